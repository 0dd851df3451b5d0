// What local AWS asks of the process that its dependencies' proxies run in.
import type { ProxyState } from "./child/proxy.ts";

export type Ask =
  | { readonly kind: "open"; readonly name: string; readonly target: string }
  | { readonly kind: "apply"; readonly name: string; readonly rule: string | null }
  | { readonly kind: "state"; readonly name: string };

/** Whoever runs the proxies. */
export interface ProxyLink {
  /** Rejects with what is wrong. */
  ask(ask: Ask): Promise<Answered>;
  close(): Promise<void>;
}

export interface Asked {
  readonly id: number;
  readonly ask: Ask;
}

export interface Answered {
  readonly id: number;
  readonly port: number;
  readonly state: ProxyState;
  /** "" = it was done. */
  readonly error: string;
}
