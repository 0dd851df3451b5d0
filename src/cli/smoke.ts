// One request for each route that reads, before the load starts: each must match.
import type { Answer, Arrival } from "../core/arrival.ts";
import { isMutating } from "../core/capture.ts";
import { GatecrashError } from "../core/error.ts";
import type { Load, Scenario } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { WAYS_PAST } from "../report/layers.ts";
import { makeTarget } from "./compose.ts";
import type { CountedLoad } from "./count-loads.ts";
import type { AwsPlace } from "./load-place.ts";

export interface SmokePorts {
  readonly clock: Clock;
  readonly aws: AwsPlace;
  readonly say: (text: string) => void;
}

/** Routes that come first this late are not looked for. */
const LOOK_MAX = 100_000;

export interface Smoked {
  /** Of the answers. */
  readonly ids: readonly string[];
  /** Requests that were made, by load. */
  readonly made: { readonly [load: string]: number };
}

/**
 * Rejects with an AggregateError of `refused` errors when an
 * answer does not match: the load was not started.
 */
export async function smoke(
  scenario: Scenario,
  counted: readonly CountedLoad[],
  ports: SmokePorts,
): Promise<Smoked> {
  const ids: string[] = [];
  const made: { [load: string]: number } = {};
  const errors: GatecrashError[] = [];
  for (const { load, arrivals } of counted) {
    if (!isWanted(load, scenario)) continue;
    const first = firstOfRoutes(arrivals());
    ports.say(`one request for each of ${first.length} routes of ${load.name}`);
    made[load.name] = first.length;
    await using target = await makeTarget(load, ports.clock, ports.aws);
    for (const { call, route } of first) {
      const answer = await new Promise<Answer>((done) => target.send(call, done));
      if (matches(answer, load)) ids.push(answer.requestId);
      else errors.push(mismatch(answer, load, { call, route }, scenario.file));
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${scenario.file}: the load was not started`);
  return { ids: ids.filter((id) => id !== ""), made };
}

/** In an account by default; on local AWS where the load says so. */
function isWanted({ target, smoke: spec }: Load, { account }: Scenario): boolean {
  if (target.kind !== "http" || typeof spec?.off === "string") return false;
  return account !== null || spec !== undefined;
}

function firstOfRoutes(arrivals: Iterable<Arrival>): Pick<Arrival, "call" | "route">[] {
  const first = new Map<number, Arrival>();
  let looked = 0;
  for (const arrival of arrivals) {
    if (++looked > LOOK_MAX) break;
    const { call, route } = arrival;
    if (call.kind !== "http" || isMutating(call.method) || first.has(route)) continue;
    first.set(route, arrival);
  }
  return [...first.values()];
}

function matches({ outcome, status }: Answer, { smoke: spec }: Load): boolean {
  const wanted = spec?.status ?? null;
  if (wanted === null) return outcome === "ok";
  return wanted.some(({ from, to }) => status >= from && status <= to);
}

function mismatch(
  { status, outcome, reason, refusedBy }: Answer,
  load: Load,
  { call, route }: Pick<Arrival, "call" | "route">,
  file: string,
): GatecrashError {
  const name = load.routes[route - 1]?.name;
  const method = call.kind === "http" ? call.method : "";
  const got = status > 0 ? `status ${status}` : `no answer (${reason || outcome})`;
  const by = refusedBy === "" ? "" : `, refused by ${refusedBy}`;
  const which = name === undefined ? "" : `, route ${name}`;
  const past = WAYS_PAST[refusedBy];
  const auth = status === 401 || status === 403;
  return new GatecrashError("refused", `load ${load.name}${which}: ${method} got ${got}${by}`, {
    hint:
      past !== undefined
        ? past
        : auth
          ? "does the load send the credentials that this front wants? See auth:"
          : "one request for each route must match before the load starts; see smoke:",
    place: { file, ...(load.line === undefined ? {} : { line: load.line }) },
  });
}
