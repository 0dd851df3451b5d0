// `mute-alarms:` of a scenario → which alarms call nobody, and for how long after the last change.
import { z } from "zod";
import type { MuteSpec } from "../core/scenario.ts";
import { duration, object, ref } from "./scalars.ts";
import type { Source } from "./source.ts";

const alarms = z.array(ref).min(1).max(100).describe("Names or ARNs of alarms.");

export const muteSchema = z
  .union(
    [
      alarms,
      object({
        alarms,
        after: duration
          .optional()
          .describe("Muted so long after all is put back. Default 2m; 0s in local AWS."),
        "at-most": duration
          .optional()
          .describe("Longest wait until none of them is in ALARM. Default 10m."),
      }),
    ],
    { error: () => "mute-alarms is a list of alarms, or `alarms:` with `after:` and `at-most:`" },
  )
  .describe("Alarms that call nobody during the run; they still change state.");

type RawMute = z.output<typeof muteSchema>;

const MINUTE_US = 60_000_000;

export function muteOf(
  source: Source,
  raw: RawMute | undefined,
  environment: string,
): { readonly muteAlarms?: MuteSpec } {
  if (raw === undefined) return {};
  const given = Array.isArray(raw) ? { alarms: raw } : raw;
  const { after = environment === "local" ? 0 : 2 * MINUTE_US, "at-most": most } = given;
  const atMostUs = most ?? Math.max(10 * MINUTE_US, after);
  if (atMostUs < after)
    source.fail(["mute-alarms", "at-most"], "`at-most` is shorter than `after`");
  const line = source.place(["mute-alarms"]).line ?? 1;
  return { muteAlarms: { alarms: given.alarms, afterUs: after, atMostUs, line } };
}
