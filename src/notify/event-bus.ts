// A bus of EventBridge: a notice is one event, with everything in it; it stays in the account.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import type { NoticeKind } from "../core/notice.ts";
import { type NotifySink, NotSent } from "./sink.ts";
import { bodyOf } from "./words.ts";

/** `source` of every event, for rules. */
const SOURCE = "gatecrash";

const DETAIL_TYPES: { readonly [kind in NoticeKind]: string } = {
  start: "Gatecrash Run Started",
  fault: "Gatecrash Fault",
  stop: "Gatecrash Run Stopped",
  verdict: "Gatecrash Verdict",
  "not-undone": "Gatecrash Not Undone",
};

export interface EventBusOptions {
  readonly name: string;
  readonly on: readonly NoticeKind[];
  /** Name or ARN. */
  readonly bus: string;
  readonly control: ControlPlane;
}

/** A call has its own time limit: the signal is heard between calls. */
export function eventBusSink({ name, on, bus, control }: EventBusOptions): NotifySink {
  return {
    ...{ name, on, kind: "eventbridge" },
    async send(notice, delivery) {
      const { resource } = notice.change ?? {};
      const entry = {
        ...{ EventBusName: bus, Source: SOURCE, DetailType: DETAIL_TYPES[notice.kind] },
        Detail: JSON.stringify({ ...bodyOf(notice, true), delivery }),
        Resources: resource === undefined ? [] : [resource],
      };
      const answer = await put(control, entry);
      const entries = Array.isArray(answer.Entries) ? answer.Entries : [];
      const { ErrorCode: code, ErrorMessage: text } = (entries[0] ?? {}) as {
        readonly ErrorCode?: string;
        readonly ErrorMessage?: string;
      };
      if (code === undefined) return;
      const mayPass = ["InternalFailure", "InternalException", "ThrottlingException"];
      throw new NotSent(`${code}: ${text ?? ""}`, !mayPass.includes(code));
    },
  };
}

type Entry = Parameters<ControlPlane["call"]>[2];

async function put(control: ControlPlane, entry: Entry) {
  try {
    return await control.call("eventbridge", "PutEvents", { Entries: [{ ...entry }] });
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    const isFinal = error.status >= 400 && error.status < 500 && error.status !== 429;
    throw new NotSent(`${error.name}: ${error.message}`, isFinal && !/Throttl/.test(error.name));
  }
}
