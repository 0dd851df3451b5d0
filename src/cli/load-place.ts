// Where a load's own calls to AWS go, and as whom.
import type { IdentitySpec } from "../core/scenario.ts";
import { identityFor } from "./account.ts";
import type { System } from "./system-contract.ts";

/** What a worker needs to make targets; it is cloned into its thread. */
export interface AwsPlace {
  /** Loopback URL, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  /** Part of the names of sessions. */
  readonly runId: string;
  /** Of a declared environment; null = local AWS. */
  readonly account: string | null;
  /** Who sends; absent = the shell's credentials. */
  readonly identity?: IdentitySpec;
  /** The scenario's folder, where commands are run. */
  readonly dir: string;
}

/** Of the load's own calls to AWS, so that an account's audit trail names the run. */
export const userAgentOf = ({ runId }: AwsPlace): string => `gatecrash run/${runId}`;

export function loadPlace(
  { endpoint, region, environment }: System,
  { runId, dir }: { readonly runId: string; readonly dir: string },
): AwsPlace {
  const place = { endpoint, region, runId, dir };
  if (environment === null) return { ...place, account: null };
  const { account } = environment;
  return { ...place, account, identity: identityFor(environment, "load") };
}
