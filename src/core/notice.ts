// What a run tells people while it happens: to whom (as a scenario says it), and each message.
import type { Ref } from "./http-spec.ts";

export const NOTICE_KINDS = ["start", "fault", "stop", "verdict", "not-undone"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One sink of `notify:`; its texts may hold references to secrets, which are never written out. */
export interface NotifySpec {
  /** `webhook 1`, `eventbridge 2`: what it is called in facts and messages. */
  readonly name: string;
  readonly on: readonly NoticeKind[];
  readonly to: WebhookSpec | EventBusSpec;
  /** Where it stands in scenario.yaml. */
  readonly line: number;
}

export interface WebhookSpec {
  readonly kind: "webhook";
  readonly url: Ref;
  readonly headers: readonly (readonly [name: string, value: Ref])[];
  /** The secret that bodies are signed with; null = they are not. */
  readonly sign: Ref | null;
}

export interface EventBusSpec {
  readonly kind: "eventbridge";
  /** Name or ARN. */
  readonly bus: Ref;
}

/** What is changed, or was. */
export interface NoticeChange {
  readonly fault: string;
  readonly kind: string;
  /** ARN. */
  readonly resource: string;
  /** `ReservedConcurrentExecutions unset → 0`. */
  readonly change: string;
  /** When the plan puts it back, ms since 1970; null = it is not in force. */
  readonly undoDueMs: number | null;
}

export interface Notice {
  readonly kind: NoticeKind;
  /** Of a fault: `injected` or `undone`; of what is not undone: `failed` or `drift`. */
  readonly step: "injected" | "undone" | "failed" | "drift" | null;
  /** `page`: somebody has to act now. */
  readonly severity: "info" | "warning" | "page";
  readonly run: string;
  readonly title: string;
  readonly variant: string | null;
  readonly environment: string;
  readonly account: string;
  readonly region: string;
  /** Wall time, ms since 1970. */
  readonly atMs: number;
  readonly change: NoticeChange | null;
  /** Why it stopped, why the verdict, why it is not undone; "" = nothing more to say. */
  readonly reason: string;
  readonly verdict: string | null;
  readonly exitCode: number | null;
  /** What a person types to put it back; null = nothing is left to do. */
  readonly command: string | null;
  /** The run directory. */
  readonly report: string | null;
  /** The CI job that runs it, where one does. */
  readonly job: string | null;
}
