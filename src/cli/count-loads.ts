// Reads what every load plans, once: for the plan, for lint, and for the balance of a run.
import type { Arrival } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { PlannedLoad } from "../core/facts.ts";
import type { Load, Scenario } from "../core/scenario.ts";
import { countPlanned, type Planned } from "../run/planned.ts";
import { makeDriver } from "./compose.ts";

/** Every run has this one arm until references are compared with candidates. */
export const ARMS: readonly string[] = ["candidate"];

/** One load, counted. Outputs may still be open: nothing here depends on where it is sent. */
export interface CountedLoad {
  readonly load: Load;
  readonly facts: PlannedLoad;
  readonly counts: Planned;
  /** The same arrivals again, each time it is called. */
  readonly arrivals: () => Iterable<Arrival>;
  /** What of a capture is not sent, and why. */
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
  /** Recorded service time in ms by route code; null = no capture says it. */
  readonly recordedMs: readonly number[] | null;
}

/** @throws GatecrashError `scenario` or `input` when a load cannot be made or plans nothing. */
export async function countLoads(scenario: Scenario, plannedAtMs: number): Promise<CountedLoad[]> {
  const counted: CountedLoad[] = [];
  for (const load of scenario.loads) counted.push(await countLoad(scenario, load, plannedAtMs));
  checkLimits(scenario, counted);
  return counted;
}

async function countLoad(
  scenario: Scenario,
  load: Load,
  plannedAtMs: number,
): Promise<CountedLoad> {
  if (load.driver.kind === "saturate") return closedLoad(load, load.driver);
  const driver = await makeDriver(load, scenario.seed, plannedAtMs);
  const counts = countPlanned(driver.arrivals(), load.routes.length + 1);
  const recordedMs = driver.recordedMs?.() ?? null;
  const arrivals = (): Iterable<Arrival> => driver.arrivals();
  const capture = driver.capture?.();
  const facts = { ...factsOf(load, counts), ...(capture === undefined ? {} : { capture }) };
  return { load, facts, counts, arrivals, skipped: driver.skipped ?? [], recordedMs };
}

/** A closed loop sends as fast as it is answered: nothing of it can be counted before. */
function closedLoad(load: Load, { connections }: { readonly connections: number }): CountedLoad {
  const counts = countPlanned([], load.routes.length + 1);
  const facts = { ...factsOf(load, counts), closed: { connections } };
  return { load, facts, counts, arrivals: () => [], skipped: [], recordedMs: null };
}

function factsOf(load: Load, { planned, perSecond }: Planned): PlannedLoad {
  return {
    name: load.name,
    routes: ["", ...load.routes.map((route) => route.name)],
    planned,
    planned_per_s: perSecond,
    start_us: load.startUs,
    end_us: load.endUs,
    in_flight_max: load.inFlightMax,
    timeout_us: load.target.timeoutUs,
    resend_attempts: load.resend?.attempts ?? 1,
    ...(load.target.kind === "http"
      ? { ok: load.ok.map(({ from, to }) => [from, to] as const) }
      : {}),
    ...(load.target.kind === "kinesis" || load.target.kind === "sqs" ? { invokes: false } : {}),
    ...(typeof load.joinBy === "object" ? { request_id_header: load.joinBy.header } : {}),
  };
}

function checkLimits(scenario: Scenario, counted: readonly CountedLoad[]): void {
  const planned = counted.reduce((sum, { facts }) => sum + facts.planned, 0);
  const { requests } = scenario.limits;
  if (planned > requests) {
    throw new GatecrashError(
      "scenario",
      `${planned} arrivals are planned, limits.requests is ${requests}`,
      { hint: "raise limits.requests, or plan less", place: { file: scenario.file } },
    );
  }
  const empty = counted.find(({ facts }) => facts.planned === 0 && facts.closed === undefined);
  if (empty === undefined) return;
  const { name, line } = empty.load;
  throw new GatecrashError("scenario", `load ${name} plans no arrival at all`, {
    hint:
      empty.load.driver.kind === "replay"
        ? "its capture has nothing that may be sent in this time: see routes: and writes:"
        : "its rate is too low for its time",
    place: { file: scenario.file, ...(line === undefined ? {} : { line }) },
  });
}
