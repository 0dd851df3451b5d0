// Where notices go: one attempt each; how often it is tried is the notifier's business.
import type { Notice, NoticeKind } from "../core/notice.ts";

export interface NotifySink {
  /** As in the scenario's facts: `webhook 1`. */
  readonly name: string;
  readonly kind: "webhook" | "eventbridge";
  readonly on: readonly NoticeKind[];
  /** One attempt; `delivery` is the same for each attempt at one notice. */
  send(notice: Notice, delivery: string, signal: AbortSignal): Promise<void>;
}

/** Why an attempt failed; nothing secret is in its message. */
export class NotSent extends Error {
  /** Another attempt would end alike. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.name = "NotSent";
    this.isFinal = isFinal;
  }
}
