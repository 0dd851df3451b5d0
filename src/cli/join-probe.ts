// Is cold or warm knowable here? The smoke requests' own lines say so before the load starts.
import { messageOf } from "../core/error.ts";
import type { PlatformRow } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { type Clock, type EpochMs, epochMs, US_PER_MS, US_PER_S } from "../core/time.ts";
import { collectPlatform } from "../observe/collect.ts";
import type { System } from "./system-contract.ts";

export interface JoinProbe {
  /** Request ids of answers, and of these how many led to their REPORT. */
  readonly asked: number;
  readonly joined: number;
  readonly rung: "access log" | "request id" | "none";
  readonly text: string;
}

/** Local AWS publishes at once; AWS's log lines take seconds. */
const QUIET_US = { rehearsal: 300 * US_PER_MS, aws: 10 * US_PER_S };
const WAIT_US = 60 * US_PER_S;

/** Never rejects: what cannot be read is not knowable, and that is said. */
export async function probeJoin(
  { observe }: Scenario,
  { control, endpoint }: Pick<System, "control" | "endpoint">,
  probes: { readonly ids: readonly string[]; readonly fromMs: EpochMs; readonly clock: Clock },
): Promise<JoinProbe> {
  const { ids, fromMs, clock } = probes;
  const asked = ids.length;
  const begunUs = clock.nowUs();
  try {
    const { rows } = await collectPlatform({
      ...{ control, clock, fromMs, toMs: epochMs(clock.wallMs() + WAIT_US / US_PER_MS) },
      ...{ functions: observe.reports, accessLogGroup: observe.accessLog, waitUs: WAIT_US },
      quietUs: endpoint === "aws" ? QUIET_US.aws : QUIET_US.rehearsal,
    });
    const [byId, byLog] = [byRequestId(ids, rows), byAccessLog(ids, rows)];
    const joined = Math.max(byId, byLog);
    const rung = joined === 0 ? "none" : byLog >= byId ? "access log" : "request id";
    const tookS = Math.round((clock.nowUs() - begunUs) / US_PER_S);
    const how = rung === "none" ? "" : ` via ${rung}`;
    const text = `${joined} of ${asked} probes found their REPORT${how} after ${tookS} s`;
    return { asked, joined, rung, text };
  } catch (error) {
    const text = `the platform's lines cannot be read: ${messageOf(error)}`;
    return { asked, joined: 0, rung: "none", text };
  }
}

const reportsOf = (rows: readonly PlatformRow[]): Set<string | null> =>
  new Set(rows.filter(({ kind }) => kind === "report").map((row) => row.request_id));

function byRequestId(ids: readonly string[], rows: readonly PlatformRow[]): number {
  const reports = reportsOf(rows);
  return ids.filter((id) => reports.has(id)).length;
}

function byAccessLog(ids: readonly string[], rows: readonly PlatformRow[]): number {
  const reports = reportsOf(rows);
  const fronts = new Map(
    rows.flatMap((row) =>
      row.kind === "access" ? [[row.front_request_id, row.request_id] as const] : [],
    ),
  );
  return ids.filter((id) => reports.has(fronts.get(id) ?? "")).length;
}
