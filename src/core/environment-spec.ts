// An environment of a scenario: an account, and who acts in it for which purpose.
import type { Ref } from "./http-spec.ts";

export interface EnvironmentSpec {
  readonly name: string;
  readonly account: string;
  readonly awsRegion: string;
  readonly outputs: { readonly [source: string]: string };
  /** Null: its log groups are its own account's, and `observe` reads them. */
  readonly logs: LogsSpec | null;
  readonly identities: { readonly [purpose in Purpose]?: IdentitySpec };
  /** Declared, so that a run needs the account's id a second time. */
  readonly production: boolean;
  /** A local AWS on this machine that plays the account (a rehearsal); null = AWS itself. */
  readonly endpoint: string | null;
}

export type Purpose = "load" | "observe" | "logs" | "inject" | "restore";

/** Another account, in which the environment's log groups are read. */
export interface LogsSpec {
  readonly account: string;
  readonly awsRegion: string;
  /**
   * `linked`: they stay where they are, and this account monitors them (CloudWatch's cross-account
   * observability). Else the name of a group's copy, with `${source.logGroup}` in it, and maybe
   * `${source.accountId}` and `${source.region}`, as in a rule that centralizes logs.
   */
  readonly groups: string;
}

/** Who acts for a purpose: a profile's or the shell's credentials, and roles taken from there. */
export interface IdentitySpec {
  readonly profile: string | null;
  /** In the order in which they are taken; the last one acts. */
  readonly roles: readonly string[];
  readonly externalId: Ref | null;
  /** Its token takes the first role. */
  readonly webIdentityFile: string | null;
  readonly sessionS: number;
}
