// An account as a system under test: who acts in it, what is deployed there, is it the right one.
import { createControlPlane, identify } from "../aws/control-plane.ts";
import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import { type Identity, identityOf, SHELL } from "../aws/identity.ts";
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { EnvironmentSpec, IdentitySpec, Purpose, Scenario } from "../core/scenario.ts";
import { type Clock, US_PER_MS } from "../core/time.ts";
import type { AccountPlace } from "../run/heal-account.ts";
import { changesAnything } from "./changes-anything.ts";
import { elsewhereOf } from "./logs-account.ts";
import { readDeployment } from "./outputs.ts";
import { patient } from "./patient.ts";
import { secretsIn } from "./secrets.ts";
import type { System } from "./system-contract.ts";

export interface Actor {
  readonly identity: Identity;
  readonly control: ControlPlane;
  /** Who AWS says it is. */
  readonly arn: string;
}

/** Beyond the longest run and its undo: for onset, clearing, and clocks that differ. */
const MARGIN_MS = 5 * 60_000;

/** `restore` falls back to `inject`: whoever may change it may put it back. */
export function declaredFor({ identities }: EnvironmentSpec, purpose: Purpose): IdentitySpec {
  const inPlace = purpose === "restore" ? identities.inject : undefined;
  return identities[purpose] ?? inPlace ?? SHELL;
}

/** Where a purpose acts: logs may be of another account, and then are by declaration. */
function placeOf(environment: EnvironmentSpec, purpose: Purpose): AccountPlace {
  const { account, awsRegion: region } = (purpose === "logs" && environment.logs) || environment;
  return { endpoint: endpointOf(environment), account, region };
}

/** With the external id filled in. */
export const identityFor = (environment: EnvironmentSpec, purpose: Purpose): IdentitySpec =>
  closed(declaredFor(environment, purpose));

function closed(identity: IdentitySpec): IdentitySpec {
  const { externalId } = identity;
  return externalId === null ? identity : { ...identity, externalId: secretsIn(externalId) };
}

export const endpointOf = ({ endpoint }: EnvironmentSpec): string => endpoint ?? AWS_ENDPOINT;

/** Reads only. Rejects with GatecrashErrors: `refused` for who may not act, `aws` for no answer. */
export async function openAccount(
  scenario: Scenario,
  environment: EnvironmentSpec,
  ports: ActorPorts & { readonly signal: AbortSignal },
): Promise<System> {
  const { account, awsRegion: region } = environment;
  const purposes: Purpose[] = ["load", "observe"];
  const elsewhere = elsewhereOf(scenario, environment);
  if (elsewhere !== null) purposes.push("logs");
  if (changesAnything(scenario)) purposes.push("inject", "restore");
  const actors = new Map<string, Actor>();
  const keyOf = (purpose: Purpose): string =>
    JSON.stringify([identityFor(environment, purpose), placeOf(environment, purpose)]);
  for (const purpose of purposes) {
    if (actors.has(keyOf(purpose))) continue;
    const actor = await actorOf(environment, purpose, ports);
    await refuseShort(actor, scenario, purpose, ports.clock);
    actors.set(keyOf(purpose), actor);
  }
  const controlOf = (purpose: Purpose): ControlPlane =>
    (actors.get(keyOf(purpose)) ?? [...actors.values()][0]!).control;
  const control = patient(controlOf("observe"), ports.signal);
  const reader = elsewhere === null ? control : patient(controlOf("logs"), ports.signal);
  const { outputs, tags } = await readDeployment(scenario, environment, control);
  return {
    ...{ endpoint: endpointOf(environment), region, account, outputs, tags, control },
    ...{
      logs: { control: reader, elsewhere },
      load: controlOf("load"),
      inject: controlOf("inject"),
      restore: controlOf("restore"),
      environment,
      local: null,
    },
    actors: purposes.map((purpose) => {
      return { purpose, arn: actors.get(keyOf(purpose))?.arn ?? "" };
    }),
  };
}

interface ActorPorts {
  readonly runId: string;
  readonly clock: Pick<Clock, "wallMs">;
  /** Absent: who acts is asked once. */
  readonly signal?: AbortSignal;
}

/** One identity, and proof that it is of the account that is declared for it. */
export function actorOf(
  environment: EnvironmentSpec,
  purpose: Purpose,
  ports: ActorPorts,
): Promise<Actor> {
  const place = placeOf(environment, purpose);
  const name = purpose === "logs" ? `${environment.name}'s account for logs` : environment.name;
  return actAs({ identity: declaredFor(environment, purpose), purpose, name, place }, ports);
}

export interface Acting {
  readonly identity: IdentitySpec;
  readonly purpose: Purpose;
  /** What has named the account, for messages. */
  readonly name: string;
  readonly place: AccountPlace;
}

/** Rejects with GatecrashErrors: `refused` for another account's, `aws` for no answer. */
export async function actAs(
  { identity: declared, purpose, name, place }: Acting,
  { runId, clock, signal }: ActorPorts,
): Promise<Actor> {
  const { endpoint, account, region } = place;
  const nowMs = (): number => clock.wallMs();
  const identity = identityOf(closed(declared), { endpoint, region, runId, nowMs });
  const { credentials } = identity;
  const control = createControlPlane({ endpoint, region, account, runId, credentials });
  const asking = signal === undefined ? control : patient(control, signal);
  const caller = await whoIs(asking, purpose, name);
  if (caller.account !== account)
    throw new GatecrashError(
      "refused",
      `the credentials for ${purpose} are of account ${caller.account}; ${name} is ${account}`,
      { hint: `they are ${caller.arn}: log in to ${account}, or name a role under identities:` },
    );
  return { identity, control, arn: caller.arn };
}

const LOG_IN = "log in, set AWS_PROFILE, or name identities:";

async function whoIs(control: ControlPlane, purpose: Purpose, name: string) {
  try {
    return await identify(control);
  } catch (cause) {
    if (!(cause instanceof AwsFailure)) throw cause;
    const expired = /expired/i.test(cause.name);
    throw new GatecrashError(
      "aws",
      `who acts for ${purpose} in ${name} is not known: ${cause.name}: ${cause.message}`,
      { hint: cause.hint ?? (expired ? "log in again" : LOG_IN), cause },
    );
  }
}

/** What cannot be renewed has to outlive plan, undo and a margin. */
async function refuseShort(
  { identity }: Actor,
  { limits }: Scenario,
  purpose: Purpose,
  clock: Pick<Clock, "wallMs">,
): Promise<void> {
  const endsMs = await identity.endsMs();
  if (endsMs === null) return;
  const needMs = (limits.durationUs + limits.undoUs) / US_PER_MS + MARGIN_MS;
  const leftMs = endsMs - clock.wallMs();
  if (leftMs >= needMs) return;
  const minutes = (ms: number): string => `${Math.max(0, Math.floor(ms / 60_000))} min`;
  throw new GatecrashError(
    "refused",
    `the credentials for ${purpose} end in ${minutes(leftMs)}, ` +
      `the run may need ${minutes(needMs + 59_999)}`,
    { hint: "log in again: what a run breaks it must be able to put back" },
  );
}
