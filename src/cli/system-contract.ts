// The system under test, open: where it is, what is deployed there, who may do what.
import type { ControlPlane } from "../core/change.ts";
import type { EnvironmentSpec, Purpose } from "../core/scenario.ts";
import type { LogReader } from "../observe/log-groups.ts";
import type { LocalProcess } from "./local-process.ts";

export interface System {
  /** Loopback URL, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;
  readonly outputs: { readonly [name: string]: string };
  /** Tags of the stack that gave the outputs. */
  readonly tags: { readonly [key: string]: string };
  /** With the identity that observes. */
  readonly control: ControlPlane;
  /** With that which reads logs: who observes, or somebody of the account that has them. */
  readonly logs: LogReader;
  /** With that of the load: it reads the load's secrets. */
  readonly load: ControlPlane;
  /** With those that inject and that put back. */
  readonly inject: ControlPlane;
  readonly restore: ControlPlane;
  /** Null: local AWS. */
  readonly environment: EnvironmentSpec | null;
  /** Who acts, as AWS says; empty on local AWS. */
  readonly actors: readonly { readonly purpose: Purpose; readonly arn: string }[];
  /** The local AWS that this run started, and that it has to stop. */
  readonly local: LocalProcess | null;
}
