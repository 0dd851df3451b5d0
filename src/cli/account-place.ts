// Where leases are looked for: an account, a local AWS, or wherever this user's undo log says.
import { hostname } from "node:os";
import type { Command } from "commander";
import { createControlPlane, identify } from "../aws/control-plane.ts";
import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import type { ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { Clock } from "../core/time.ts";
import type { AccountPlace } from "../run/heal-account.ts";
import type { LeasePorts } from "../run/lease-calls.ts";
import { paceOf } from "../run/pace.ts";
import { isRunning } from "../run/process-mark.ts";
import { undoFile, undoLogPath } from "../run/undo-file.ts";
import { foldLines, isUnfinished } from "../run/undo-record.ts";
import { checkEndpoint, LOCAL_ACCOUNT, LOCAL_REGION } from "./system.ts";

export interface PlaceFlags {
  readonly account?: string | true;
  readonly region?: string;
  readonly profile?: string;
  readonly endpoint?: string;
}

export interface Place extends LeasePorts {
  readonly place: AccountPlace;
}

export const withPlace = (command: Command): Command =>
  command
    .option("--account [id]", "in this account of AWS")
    .option("--region <name>", "in this region of it")
    .option("--profile <name>", "with this profile of your AWS configuration")
    .option("--endpoint <url>", "in a local AWS that runs already");

/** Empty when nothing was named and the undo log has no change that is still in place. */
export async function placesOf(flags: PlaceFlags, clock: Clock): Promise<readonly Place[]> {
  if (flags.endpoint !== undefined) {
    checkEndpoint(flags.endpoint);
    return [localPlace(flags.endpoint, clock)];
  }
  if (flags.account !== undefined) return [await accountPlace(flags, clock)];
  const { entries } = foldLines(await undoFile(undoLogPath(process.env)).read());
  const open = entries.filter(isUnfinished).map(({ record }) => record);
  const ends = new Map(open.map((record) => [`${record.endpoint} ${record.region}`, record]));
  return Promise.all(
    [...ends.values()].map(({ endpoint, account, region }) =>
      endpoint === AWS_ENDPOINT
        ? accountPlace({ ...flags, account, region }, clock)
        : localPlace(endpoint, clock),
    ),
  );
}

function localPlace(endpoint: string, clock: Clock): Place {
  const place = { endpoint, account: LOCAL_ACCOUNT, region: LOCAL_REGION };
  const control = createControlPlane({ ...place, account: null, runId: "leases" });
  return { place, control, clock, pace: paceOf(endpoint) };
}

async function accountPlace(flags: PlaceFlags, clock: Clock): Promise<Place> {
  const { account, region, profile } = flags;
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
  const who = profile === undefined ? {} : { profile };
  const control = createControlPlane({ ...place, runId: "leases", ...who });
  await sameAccount(control, account);
  return { place, control, clock, pace: paceOf(AWS_ENDPOINT) };
}

/** True for a process of this machine that has ended; of another machine nobody can tell. */
export function isGone(by: string): boolean {
  const [, host, pid] = /^(.*):(\d+)$/.exec(by) ?? [];
  return host === hostname() && !isRunning({ pid: Number(pid), began: null });
}

/** The credentials must be of the account in which the change was made. */
export async function sameAccount(control: ControlPlane, account: string): Promise<void> {
  const caller = await identify(control);
  if (caller.account === account) return;
  const text = `the credentials are of account ${caller.account}, the change is in ${account}`;
  throw new GatecrashError("refused", text);
}
