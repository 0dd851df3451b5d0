// Is cold or warm knowable here? A few requests' own lines say so before the load starts.
import { messageOf } from "../core/error.ts";
import type { PlatformRow } from "../core/facts.ts";
import { requestKey } from "../core/ids.ts";
import type { Scenario } from "../core/scenario.ts";
import { type Clock, type EpochMs, epochMs, US_PER_MS, US_PER_S } from "../core/time.ts";
import { collectPlatform } from "../observe/collect.ts";
import type { System } from "./system-contract.ts";

/** From what an answer says to its REPORT line; the first that works is the best. */
const RUNGS = ["access log", "request id", "trace id"] as const;
type Rung = (typeof RUNGS)[number];

export interface JoinProbe {
  /** Request ids of answers, and of these how many led to their REPORT. */
  readonly asked: number;
  readonly joined: number;
  readonly rung: Rung | "none";
  /** `1 of 1 probes found their REPORT via access log after 1 s`. */
  readonly text: string;
  /** `trace id no · request id no · access log yes · REPORT found 3/3 after 6 s`. */
  readonly ladder: string;
}

/** Local AWS publishes at once; AWS's log lines take seconds. */
const QUIET_US = { rehearsal: 300 * US_PER_MS, aws: 10 * US_PER_S };
const WAIT_US = 60 * US_PER_S;

export interface Probes {
  readonly ids: readonly string[];
  readonly fromMs: EpochMs;
  readonly clock: Clock;
}

/** Never rejects: what cannot be read is not knowable, and that is said. */
export async function probeJoin(
  { observe }: Scenario,
  { control, logs, endpoint }: Pick<System, "control" | "logs" | "endpoint">,
  { ids, fromMs, clock }: Probes,
): Promise<JoinProbe> {
  const asked = ids.length;
  const begunUs = clock.nowUs();
  try {
    const { rows } = await collectPlatform({
      ...{ control, logs, clock, fromMs, toMs: epochMs(clock.wallMs() + WAIT_US / US_PER_MS) },
      ...{ functions: observe.reports, accessLogGroup: observe.accessLog, waitUs: WAIT_US },
      quietUs: endpoint === "aws" ? QUIET_US.aws : QUIET_US.rehearsal,
    });
    const found = joinsOf(ids, rows);
    const rung = RUNGS.reduce((best, one) => (found[one] > found[best] ? one : best));
    const joined = found[rung];
    const tookS = Math.round((clock.nowUs() - begunUs) / US_PER_S);
    const how = joined === 0 ? "" : ` via ${rung}`;
    const tried = RUNGS.toReversed().map((one) => `${one} ${found[one] > 0 ? "yes" : "no"}`);
    return {
      ...{ asked, joined, rung: joined === 0 ? "none" : rung },
      text: `${joined} of ${asked} probes found their REPORT${how} after ${tookS} s`,
      ladder: `${tried.join(" · ")} · REPORT found ${joined}/${asked} after ${tookS} s`,
    };
  } catch (error) {
    const text = `the platform's lines cannot be read: ${messageOf(error)}`;
    return { asked, joined: 0, rung: "none", text, ladder: text };
  }
}

const keyOf = (id: string): string => Buffer.from(requestKey(id)).toString("hex");

function joinsOf(
  ids: readonly string[],
  rows: readonly PlatformRow[],
): { readonly [rung in Rung]: number } {
  const keysOf = (field: "request_id" | "trace_id"): Set<string> =>
    new Set(rows.flatMap((row) => (row.kind === "report" ? keyed(row[field]) : [])));
  const [reports, traces] = [keysOf("request_id"), keysOf("trace_id")];
  const fronts = new Map(
    rows.flatMap((row) =>
      row.kind === "access" && row.front_request_id !== null
        ? [[keyOf(row.front_request_id), row.request_id] as const]
        : [],
    ),
  );
  const count = (leads: (id: string) => boolean): number => ids.filter(leads).length;
  return {
    "access log": count((id) => {
      const asked = fronts.get(keyOf(id)) ?? null;
      return asked !== null && reports.has(keyOf(asked));
    }),
    "request id": count((id) => reports.has(keyOf(id))),
    "trace id": count((id) => traces.has(keyOf(id))),
  };
}

const keyed = (id: string | null): string[] => (id === null ? [] : [keyOf(id)]);
