// An environment of a scenario: an account, and who acts in it for which purpose.
import type { Ref } from "./http-spec.ts";

export interface EnvironmentSpec {
  readonly name: string;
  readonly account: string;
  readonly awsRegion: string;
  readonly outputs: { readonly [source: string]: string };
  readonly identities: { readonly [purpose in Purpose]?: IdentitySpec };
  /** Declared, so that a run needs the account's id a second time. */
  readonly production: boolean;
  /** A local AWS on this machine that plays the account (a rehearsal); null = AWS itself. */
  readonly endpoint: string | null;
}

export type Purpose = "load" | "observe" | "inject" | "restore";

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
