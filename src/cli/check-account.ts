// Before the first byte to an account: is each destination its own, and is it not production?
import { type Proof, type ProofPlace, traceUrl } from "../aws/host-proof.ts";
import { traceResource } from "../aws/resource-proof.ts";
import { GatecrashError } from "../core/error.ts";
import type { EnvironmentSpec, Load, Scenario } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { destinationOf } from "../scenario/assumed.ts";
import { actorOf, endpointOf } from "./account.ts";
import { foreignChanges } from "./foreign-changes.ts";
import { logsText } from "./logs-account.ts";
import { productionSigns } from "./production.ts";
import type { System } from "./system-contract.ts";

export interface ProvenLoad {
  readonly load: string;
  /** Null: nothing proves it, and the scenario says why that is all right. */
  readonly proof: Proof | null;
  /** `checkout.example → HTTP API a1 → function checkout:live → account 222222222222 eu-west-1`. */
  readonly text: string;
}

export interface CheckedAccount {
  /** Loads with where a rehearsal has put their domains. */
  readonly scenario: Scenario;
  readonly proven: readonly ProvenLoad[];
  /** Why it looks like production. */
  readonly signs: readonly string[];
}

/** The scenario's references are closed. Rejects with an AggregateError of `refused` errors. */
export async function checkAccount(
  scenario: Scenario,
  system: System,
  clock: Pick<Clock, "wallMs">,
): Promise<CheckedAccount> {
  const { environment } = system;
  const errors = foreignChanges(scenario, system);
  if (environment === null && errors.length === 0) return { scenario, proven: [], signs: [] };
  if (environment === null) throw new AggregateError(errors, `${scenario.file}: nothing was sent`);
  const proven: ProvenLoad[] = [];
  for (const load of scenario.loads) {
    const found = await proveLoad(load, scenario, system, clock);
    if (found instanceof GatecrashError) errors.push(found);
    else proven.push(found);
  }
  errors.push(...openWrites(scenario));
  if (errors.length > 0) throw new AggregateError(errors, `${scenario.file}: nothing was sent`);
  const signs = productionSigns({
    environment,
    names: [...namesOf(scenario, system), ...proven.flatMap(({ proof }) => proof?.names ?? [])],
    tags: system.tags,
    accounts: process.env.GATECRASH_PRODUCTION_ACCOUNTS,
  });
  return { scenario: connected(scenario, proven, system), proven, signs };
}

function connected(scenario: Scenario, proven: readonly ProvenLoad[], system: System): Scenario {
  const loads = scenario.loads.map((load, at): Load => {
    const connectTo = proven[at]?.proof?.connectTo;
    if (connectTo === undefined || load.target.kind !== "http") return load;
    return { ...load, target: { ...load.target, connectTo } };
  });
  return {
    ...scenario,
    loads,
    assumed: [...scenario.assumed, ...notesOf(scenario, proven, system)],
  };
}

/** What was taken on somebody's word stands in the plan and in the report. */
function notesOf(
  { downstreams = {} }: Scenario,
  proven: readonly ProvenLoad[],
  system: System,
): string[] {
  const logs = logsText(system);
  const said = proven.flatMap(({ proof, text }) => (proof === null ? [`${text}.`] : []));
  const behind = Object.entries(downstreams).map(([name, what]) => `Behind it: ${name}, ${what}.`);
  return [...said, ...(logs === null ? [] : [`Log lines: of ${logs}.`]), ...behind];
}

/** Where proofs are read. */
export function placeOf(system: System): ProofPlace {
  const { control, account, region, endpoint } = system;
  return { control, account, region, endpoint };
}

async function proveLoad(
  load: Load,
  scenario: Scenario,
  system: System,
  clock: Pick<Clock, "wallMs">,
): Promise<ProvenLoad | GatecrashError> {
  const { name, target } = load;
  const { account, region } = system;
  const to = destinationOf(load);
  const traced = await traceOf(target.kind, to, placeOf(system));
  const shown = target.kind === "http" && URL.canParse(to) ? new URL(to).host : to;
  if ("proof" in traced) {
    const { proof } = traced;
    return {
      load: name,
      proof,
      text: [...proof.steps, `account ${account} ${region}`].join(" → "),
    };
  }
  const owner = await ownerOf(target.kind, to, scenario, clock);
  const place = { file: scenario.file, ...(load.line === undefined ? {} : { line: load.line }) };
  if (owner !== null)
    return new GatecrashError("refused", `load ${name}: ${shown} belongs to ${owner}`, {
      hint: `this run is for account ${account}; ${suggestion(scenario, to)}`,
      place,
    });
  const mayBeSaid = target.kind === "http" && traced.foreign !== true;
  const reason = mayBeSaid ? target.unverifiedHost : undefined;
  if (reason !== undefined) {
    const text = `${shown} → account ${account}: NOT PROVEN (${traced.why}); said: ${reason}`;
    return { load: name, proof: null, text };
  }
  return new GatecrashError("refused", `load ${name}: whose ${shown} is: ${traced.why}`, {
    hint: mayBeSaid
      ? "check the name; if nothing can prove it, say why it is yours: unverified-host: <why>"
      : "name a resource of the environment's account and region",
    place,
  });
}

const traceOf = (kind: Load["target"]["kind"], to: string, place: ProofPlace) =>
  kind === "http" ? traceUrl(to, place) : traceResource(kind, to, place);

/** Another environment of the file to which it belongs, where its control plane can be read. */
async function ownerOf(
  kind: Load["target"]["kind"],
  to: string,
  { others }: Scenario,
  clock: Pick<Clock, "wallMs">,
): Promise<string | null> {
  const inArn = /^arn:aws[a-z-]*:[a-z0-9]+:[^:]*:(\d{12}):/.exec(to)?.[1];
  for (const other of others) {
    const name = `account ${other.account} (environment ${other.name})`;
    if (inArn === other.account) return name;
    if (inArn !== undefined) continue;
    const place = await placeIn(other, clock);
    if (place !== null && "proof" in (await traceOf(kind, to, place))) return name;
  }
  return inArn === undefined ? null : `account ${inArn}`;
}

async function placeIn(
  other: EnvironmentSpec,
  clock: Pick<Clock, "wallMs">,
): Promise<ProofPlace | null> {
  try {
    const { control } = await actorOf(other, "observe", { runId: "whose", clock });
    const { account, awsRegion: region } = other;
    return { control, account, region, endpoint: endpointOf(other) };
  } catch (error) {
    if (error instanceof GatecrashError) return null; // not readable from here: it stays unknown
    throw error;
  }
}

function suggestion({ others }: Scenario, to: string): string {
  const names = others.map(({ name }) => `--env ${name}`).join(" or ");
  return URL.canParse(to)
    ? `check the host's name, or choose ${names}`
    : `check its name, or choose ${names}`;
}

/** In an account, whoever writes says what the writes reach. */
function openWrites({ loads, downstreams = {}, file }: Scenario): GatecrashError[] {
  const writes = loads.filter(({ body, writes: list }) => body !== null || list.length > 0);
  const [first] = writes;
  if (first === undefined || Object.keys(downstreams).length > 0) return [];
  const place = { file, ...(first.line === undefined ? {} : { line: first.line }) };
  return [
    new GatecrashError("refused", `load ${first.name} writes; what do its writes reach?`, {
      hint: 'say it: downstreams: { payments: "the provider\'s sandbox", mail: "none is sent" }',
      place,
    }),
  ];
}

function namesOf(
  { loads, faults, observe }: Scenario,
  { environment }: System,
): (readonly [string, string])[] {
  const functions = [...observe.reports, ...observe.metricFunctions];
  const roles = Object.values(environment?.identities ?? {}).flatMap(({ roles: list }) => list);
  return [
    ...loads.map((load) => ["destination", shortOf(destinationOf(load))] as const),
    ...Object.values(environment?.outputs ?? {}).map((name) => ["stack", name] as const),
    ...functions.map((arn) => ["function", shortOf(arn)] as const),
    ...faults.flatMap(({ input }) =>
      Object.values(input).flatMap((value) =>
        String(value).startsWith("arn:") ? [["resource", shortOf(String(value))] as const] : [],
      ),
    ),
    ...roles.map((arn) => ["role", shortOf(arn)] as const),
  ];
}

const shortOf = (text: string): string =>
  URL.canParse(text) && !text.startsWith("arn:")
    ? new URL(text).host
    : text.split(":").slice(5).join(":") || text;
