// The events of a run that people are told of, as notices.
import type { FaultEvent, PlanFile, RunEvent } from "../core/facts.ts";
import type { Notice, NoticeChange } from "../core/notice.ts";

/** What every notice of a run has in common. */
export type NoticeFrame = Pick<
  Notice,
  "run" | "title" | "variant" | "environment" | "account" | "region" | "report" | "job"
>;

type Own = Pick<Notice, "kind"> & Partial<Notice>;

export function noticeOf(frame: NoticeFrame, atMs: number, own: Own): Notice {
  return {
    ...{ step: null, severity: "info", change: null, reason: "", verdict: null },
    ...{ exitCode: null, command: null, atMs },
    ...frame,
    ...own,
  };
}

/** Listens to the events of one run, in their order; null = nobody is told of it. */
export function noticesFrom(
  plan: Pick<PlanFile, "faults" | "around">,
  frame: NoticeFrame,
  wallMs: () => number,
): (event: RunEvent) => Notice | null {
  const all = [...plan.faults, ...(plan.around ?? [])];
  const changes = new Map<string, string>();
  return (event) => {
    const atMs = wallMs();
    if (event.kind === "start") return noticeOf(frame, atMs, { kind: "start" });
    if (event.kind === "stop") {
      const reason = `${event.why}: ${event.detail}`;
      return noticeOf(frame, atMs, { kind: "stop", severity: "warning", reason });
    }
    if (event.kind !== "fault") return null;
    if (event.step === "asked") changes.set(event.fault, event.detail ?? "");
    const own = ofFault(event, (due) => {
      const planned = all.find(({ name }) => name === event.fault);
      const leftMs = ((planned?.end_us ?? event.t) - event.t) / 1_000;
      return {
        fault: event.fault,
        kind: planned?.kind ?? "",
        resource: planned?.resources[0] ?? event.fault,
        change: changes.get(event.fault) ?? "",
        undoDueMs: due ? Math.round(atMs + leftMs) : null,
      };
    });
    return own === null ? null : noticeOf(frame, atMs, own);
  };
}

function ofFault(event: FaultEvent, changeOf: (due: boolean) => NoticeChange): Own | null {
  const { step, detail = "", command = null } = event;
  switch (step) {
    case "answered":
      // With a text that is no "nothing to write" it was refused: the stop says so.
      if (detail !== "" && detail !== "nothing to write") return null;
      return { kind: "fault", step: "injected", severity: "warning", change: changeOf(true) };
    case "verified":
      return { kind: "fault", step: "undone", change: changeOf(false) };
    case "failed":
      return { kind: "not-undone", ...PAGE, step, change: changeOf(false), command: detail };
    case "drift":
      return {
        kind: "not-undone",
        ...PAGE,
        step,
        change: changeOf(false),
        command,
        reason: detail,
      };
    default:
      return null;
  }
}

const PAGE = { severity: "page" } as const;
