// Recorded traffic again: the capture's own order and gaps, faster or slower, at the load's target.
import type { Arrival, Driver, HttpCall } from "../core/arrival.ts";
import type { CaptureRecord } from "../core/capture.ts";
import { isMutating } from "../core/capture.ts";
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Load } from "../core/scenario.ts";
import { runUs } from "../core/time.ts";
import { type BodyFiles, bodyRotation, readBodyFiles } from "./bodies.ts";
import { contentType } from "./calls.ts";
import { ledgerReader } from "./ledger.ts";
import { type ReplaySchedule, scheduleOf } from "./replay-schedule.ts";
import { type MatchRoute, routeMatcher } from "./routes.ts";

export interface ReplayDriver extends Driver {
  /** Arrivals in all. */
  readonly planned: number;
  /** Records of the capture that are not sent, and why; the rest is sent `amplify` times. */
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
}

/** Kept from the recorder; all else (host, length, cookies, credentials) is not ours to send. */
const KEPT_HEADERS = new Set(["accept", "accept-language", "content-type", "range", "user-agent"]);

/**
 * `records` are ordered by start (import sorts them). Mutating requests are sent only on routes
 * that `writes:` lists, with bodies from its file; others are skipped and counted.
 * @throws GatecrashError `scenario` or `input`
 */
export async function replay(
  load: Load,
  records: readonly CaptureRecord[],
  rng: Rng,
  epochMs = 0,
): Promise<ReplayDriver> {
  if (load.driver.kind !== "replay" || load.target.kind !== "http")
    throw new GatecrashError("scenario", `load ${load.name}: a replay needs an http target`);
  const files = await readBodyFiles(load);
  const match = routeMatcher(load.routes);
  const skipped = new Map<string, number>();
  const sendable = records.filter((one) => {
    const reason = reasonNotToSend(one, match, files);
    if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    return reason === null;
  });
  const schedule = scheduleOf(load, load.driver, records, sendable, rng);
  for (const [reason, count] of schedule.skipped) skipped.set(reason, count);
  return {
    name: "replay",
    planned: schedule.dueUs.length,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    arrivals: () => arrivalsOf({ load, match, files, schedule, sendable, rng, epochMs }),
  };
}

function reasonNotToSend(
  record: CaptureRecord,
  match: MatchRoute,
  files: BodyFiles,
): string | null {
  if (record.t_meaning === "none") return "the capture has no times";
  if (!isMutating(record.method)) return null;
  const route = match(record.method, record.path);
  if (files.has(route)) return null;
  return `${record.method} that no writes: entry allows`;
}

interface Replayed {
  readonly load: Load;
  readonly match: MatchRoute;
  readonly files: BodyFiles;
  readonly schedule: ReplaySchedule;
  readonly sendable: readonly CaptureRecord[];
  readonly rng: Rng;
  readonly epochMs: number;
}

function* arrivalsOf(plan: Replayed): Generator<Arrival, void, undefined> {
  const { load, match, schedule, sendable, rng } = plan;
  const values = rng.fork("body");
  const nextBody = bodyRotation(plan.files, rng);
  const readLedger = ledgerReader(load);
  const { dueUs, source } = schedule;
  for (let index = 0; index < dueUs.length; index++) {
    const record = sendable[source[index] ?? 0];
    if (record === undefined) return;
    const due = dueUs[index] ?? 0;
    const route = match(record.method, record.path);
    const dueEpochMs = plan.epochMs + due / 1_000;
    const body = nextBody(route)?.({ seq: index, dueEpochMs, rng: values });
    const call = callOf(load, record, body);
    const ledger = body === undefined ? undefined : readLedger(body);
    yield {
      index,
      dueUs: runUs(due),
      route,
      call,
      ...recordedOf(record),
      ...(ledger === undefined ? {} : { ledger }),
    };
  }
}

function recordedOf({ recorded }: CaptureRecord): Pick<Arrival, "recorded"> {
  if (recorded === null) return {};
  return { recorded: { status: recorded.status, latencyUs: recorded.latency_us } };
}

function callOf(load: Load, record: CaptureRecord, body: string | undefined): HttpCall {
  const headers = record.headers.filter(([name]) => KEPT_HEADERS.has(name));
  const typed = headers.some(([name]) => name === "content-type");
  return {
    kind: "http",
    method: record.method,
    // A raw space would end the request line: what the client meant is %20.
    path: record.path.replaceAll(" ", "%20"),
    headers: body === undefined || typed ? headers : [...headers, ...contentType(load, body)],
    body: body === undefined ? null : Buffer.from(body, "utf8"),
  };
}
