// Where leases are looked for: an environment, an account, a local AWS, or where a record was made.
import type { Command } from "commander";
import { createControlPlane, identify } from "../aws/control-plane.ts";
import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import { SHELL } from "../aws/identity.ts";
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { IdentitySpec } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import type { AccountPlace } from "../run/heal-account.ts";
import type { LeasePorts } from "../run/lease-calls.ts";
import { paceOf } from "../run/pace.ts";
import type { UndoRecord } from "../run/undo-record.ts";
import { readEnvironment } from "../scenario/read.ts";
import { type Acting, actAs, declaredFor, endpointOf } from "./account.ts";
import { agreedText, baseOption } from "./judged-by.ts";
import { readLocal } from "./local-process.ts";
import { checkEndpoint } from "./system.ts";

export interface PlaceFlags {
  readonly scenario?: string;
  readonly env?: string;
  readonly account?: string | true;
  readonly region?: string;
  readonly profile?: string;
  readonly endpoint?: string;
  readonly base?: string;
}

export interface Place extends LeasePorts {
  readonly place: AccountPlace;
}

/** As whom, in an environment: `observe` for what only reads. */
export type PlacePurpose = "observe" | "restore";

export const withPlace = (command: Command): Command =>
  command
    .option("--scenario <file>", "in an environment of this scenario, as who is declared there")
    .option("--env <name>", "which environment of it")
    .option("--account [id]", "in this account of AWS, as your shell's credentials")
    .option("--region <name>", "in this region of it")
    .option("--profile <name>", "with this profile of your AWS configuration")
    .option("--endpoint <url>", "in a local AWS that runs already")
    .addOption(baseOption());

/** True when the flags say where; otherwise it is the undo log that does. */
export function namesPlace(flags: PlaceFlags): boolean {
  const { scenario, env, account, endpoint, region, profile } = flags;
  if ((scenario === undefined) !== (env === undefined))
    throw new GatecrashError("usage", "an environment is named with both --scenario and --env", {
      hint: "gatecrash status --scenario scenarios/checkout --env staging",
    });
  const places = [env, account, endpoint].filter((each) => each !== undefined);
  if (places.length > 1)
    throw new GatecrashError("usage", "name one place: --env, --account or --endpoint");
  if (region !== undefined && account === undefined && env === undefined)
    throw new GatecrashError("usage", "--region goes with --account");
  if (env !== undefined && (region ?? profile) !== undefined)
    throw new GatecrashError("usage", "an environment says itself which region, and who acts");
  return places.length > 0;
}

/** Where the flags say, which have to name a place. */
export async function namedPlace(
  flags: PlaceFlags,
  purpose: PlacePurpose,
  clock: Clock,
): Promise<Place> {
  const { env, endpoint } = flags;
  if (env !== undefined) return environmentPlace(flags, env, purpose, clock);
  if (endpoint === undefined) return accountPlace(flags, purpose, clock);
  checkEndpoint(endpoint);
  if (!(await isListening(endpoint))) throw nobodyAt(endpoint);
  const { account, region } = await readLocal(endpoint);
  const place = { endpoint, account, region };
  const control = createControlPlane({ ...place, account: null, runId: RUN_ID });
  return { place, control, clock, pace: paceOf(endpoint) };
}

/** Of whoever looks at leases, in sessions and user agents. */
const RUN_ID = "leases";

async function environmentPlace(
  { scenario = "", base }: PlaceFlags,
  env: string,
  purpose: PlacePurpose,
  clock: Clock,
): Promise<Place> {
  const text = agreedText(scenario, base, process.env);
  const environment = readEnvironment(scenario, env, text);
  if (environment === null)
    throw new GatecrashError("usage", `--env ${env} is no account`, {
      hint: "leave it out: the undo log knows the local AWS of a run; or name it with --endpoint",
    });
  const { account, awsRegion: region } = environment;
  const place = { endpoint: endpointOf(environment), account, region };
  const identity = declaredFor(environment, purpose);
  const control = await connectAs({ identity, purpose, name: env, place }, RUN_ID, clock);
  return { place, control, clock, pace: paceOf(place.endpoint) };
}

async function accountPlace(
  { account, region, profile }: PlaceFlags,
  purpose: PlacePurpose,
  clock: Clock,
): Promise<Place> {
  if (typeof account !== "string" || !/^\d{12}$/.test(account) || region === undefined) {
    throw new GatecrashError(
      "usage",
      "which account? --account takes twelve digits, with --region",
      {
        hint: "gatecrash heal --account 222222222222 --region eu-west-1",
      },
    );
  }
  const place = { endpoint: AWS_ENDPOINT, account, region };
  const acting = { identity: shellOf(profile), purpose, name: "--account", place };
  const { control } = await actAs(acting, { runId: RUN_ID, clock });
  return { place, control, clock, pace: paceOf(AWS_ENDPOINT) };
}

export interface RecordActor {
  readonly purpose: PlacePurpose;
  /** In place of who is recorded. */
  readonly profile: string | undefined;
  readonly runId: string;
}

/**
 * Where a record was made, as who is recorded to put back. Rejects with GatecrashError("refused")
 * when the credentials, or that local AWS, are of another account.
 */
export async function connectTo(
  record: UndoRecord,
  { purpose, profile, runId }: RecordActor,
  clock: Clock,
): Promise<ControlPlane> {
  const { endpoint, account, region, actor } = record;
  const isOnlyLocal = actor === undefined && endpoint !== AWS_ENDPOINT;
  // Where nobody listens no role is to be had either: whoever asks shall hear just that.
  if (isOnlyLocal || !(await isListening(endpoint)))
    return createControlPlane({ endpoint, region, account: null, runId });
  const identity = profile === undefined ? (actor?.identity ?? SHELL) : shellOf(profile);
  const name = actor?.environment ?? "the account of the change";
  return connectAs({ identity, purpose, name, place: { endpoint, account, region } }, runId, clock);
}

/** A role says its own account, whoever gives it out: the one that is played has to agree. */
async function connectAs(acting: Acting, runId: string, clock: Clock): Promise<ControlPlane> {
  const { endpoint, account } = acting.place;
  const played = await accountAt(endpoint);
  if (played === null) throw nobodyAt(endpoint);
  if (played !== AWS_ENDPOINT && played !== account)
    throw new GatecrashError(
      "refused",
      `the local AWS at ${endpoint} plays account ${played}; ${acting.name} is ${account}`,
      { hint: `gatecrash local --account ${account} plays it` },
    );
  return (await actAs(acting, { runId, clock })).control;
}

/** Whoever says who he is says it in every region. */
const ANY_REGION = "eu-west-1";

/** The account that a local AWS plays, null where nobody listens; "aws" for AWS itself. */
async function accountAt(endpoint: string): Promise<string | null> {
  if (endpoint === AWS_ENDPOINT) return AWS_ENDPOINT;
  const where = { endpoint, region: ANY_REGION, account: null, runId: RUN_ID };
  try {
    return (await identify(createControlPlane(where))).account;
  } catch (cause) {
    if (!(cause instanceof AwsFailure)) throw cause;
    if (cause.status === 0 && cause.name === "ECONNREFUSED") return null;
    const why = `${cause.name}: ${cause.message}`;
    throw new GatecrashError("local", `no local AWS answers at ${endpoint}: ${why}`, { cause });
  }
}

/** False where nobody listens; rejects where somebody does who does not answer as AWS would. */
export const isListening = async (endpoint: string): Promise<boolean> =>
  (await accountAt(endpoint)) !== null;

const nobodyAt = (endpoint: string): GatecrashError =>
  new GatecrashError("local", `no local AWS answers at ${endpoint}: nobody listens there`, {
    hint: "what it held has ended with it; gatecrash heal settles what your undo log says of it",
  });

const shellOf = (profile: string | undefined): IdentitySpec =>
  profile === undefined ? SHELL : { ...SHELL, profile };
