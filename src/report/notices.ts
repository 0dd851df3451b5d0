// Who was told what, from the events of a run; what came after the verdict is no part of it.
import type { NotifyEvent } from "../core/facts.ts";

export interface NoticeResult {
  /** `webhook 1`. */
  readonly sink: string;
  readonly asked: number;
  readonly told: number;
  /** Those that had failed, or had no answer yet, when the run was judged. */
  readonly failed: readonly { readonly on: string; readonly why: string }[];
}

/** By sink, in the order in which they were first told something. */
export function noticesOf(events: readonly NotifyEvent[]): NoticeResult[] {
  const asked = events.filter(({ step, on }) => step === "asked" && on !== "verdict");
  const names = [...new Set(asked.map(({ sink }) => sink))];
  return names.map((name) => {
    const own = asked.filter(({ sink }) => sink === name);
    const ends = own.map(({ on, delivery }) => {
      const end = events.find((event) => event.delivery === delivery && event.step !== "asked");
      return { on, step: end?.step ?? "open", why: end?.detail ?? "no answer yet" };
    });
    const failed = ends.flatMap(({ on, step, why }) => (step === "answered" ? [] : [{ on, why }]));
    return { sink: name, asked: own.length, told: own.length - failed.length, failed };
  });
}

/** `webhook 1: 4 of 5; NOT TOLD: fault (HTTP 500)`. */
export function noticesText(notices: readonly NoticeResult[]): string {
  const texts = notices.map(({ sink, asked, told, failed }) => {
    const left = failed.map(({ on, why }) => `${on} (${why})`).join(", ");
    return `${sink}: ${told} of ${asked}${left === "" ? "" : `; NOT TOLD: ${left}`}`;
  });
  return texts.join("; ");
}
