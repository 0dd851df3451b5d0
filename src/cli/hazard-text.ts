// One hazard in words and numbers: events of a function, messages of a queue, records of a stream.
import { formatNumber } from "../core/format.ts";
import {
  asyncSavedS,
  lostOf,
  messageSavedS,
  type Refusal,
  recordSavedS,
} from "../model/data-loss.ts";
import type { AsyncExposure, QueueExposure, StreamExposure } from "../observe/exposure.ts";
import type { PlannedTo } from "./planned-to.ts";

export interface Hazard {
  readonly fault: string;
  /** Of the fault in scenario.yaml. */
  readonly line: number;
  /** ARN of the function, queue or stream whose data it is. */
  readonly resource: string;
  /** `destroyed` needs the ARN under `allow.lose`; `none`: what would be, and why it is not. */
  readonly kind: "destroyed" | "moved" | "unknown" | "pool" | "impossible" | "none";
  /** Events, messages or records; null = not known, or not about data. */
  readonly count: number | null;
  readonly text: string;
}

/** A fault's time, and what of the plan goes to a resource in it. */
export interface Window {
  readonly refusal: Refusal;
  readonly fromS: number;
  readonly toS: number;
  readonly planned: (resource: string) => PlannedTo;
  /** More than this is never sent, whatever a closed loop would. */
  readonly requestsMax: number;
}

type Found = Omit<Hazard, "fault" | "line">;

const n = formatNumber;
const seconds = (s: number): string => `${n(s, s < 10 && !Number.isInteger(s) ? 1 : 0)} s`;

export function asyncHazard(arn: string, events: AsyncExposure, window: Window): Found {
  const { destination } = events;
  const name = lastOf(arn);
  const savedS = asyncSavedS(window.refusal, events);
  const lost = costOf(arn, { ...events, backlog: 0 }, savedS, window);
  const what = `asynchronous events of ${name}`;
  if (lost.count === 0)
    return isOpen(lost, events) && destination === null
      ? found(arn, "unknown", null, `${what} would be dropped; how many come is not known`)
      : found(arn, "none", 0, `no ${what} are lost: ${calm(lost.isShort, events, savedS, window)}`);
  const whys = { refused: "nothing is retried at 0", capped: "too old", failing: "given up" };
  const why = whys[window.refusal];
  if (destination !== null)
    return found(arn, "moved", lost.count, `${lost.text} ${what} go to ${destination}: ${why}`);
  const nowhere = "it has neither a dead-letter queue nor a failure destination";
  return found(arn, "destroyed", lost.count, `${lost.text} ${what} are DESTROYED: ${nowhere}`);
}

export function queueHazard(queue: QueueExposure, window: Window): Found {
  const { arn, deadLetter, receivesMax, visibilityS } = queue;
  const savedS = messageSavedS(queue);
  const lost = costOf(arn, queue, savedS, window);
  const what = `messages of ${lastOf(arn)}`;
  const limit =
    receivesMax === null
      ? `they are kept ${seconds(savedS)}`
      : `${n(receivesMax)} receives × ${n(visibilityS)} s of visibility = ${seconds(savedS)}`;
  const against = `${limit}, the fault lasts ${seconds(window.toS - window.fromS)}`;
  if (lost.count === 0) {
    const kind = isOpen(lost, queue) ? "unknown" : "none";
    return found(arn, kind, kind === "none" ? 0 : null, `no ${what} are lost: ${against}`);
  }
  if (deadLetter === null)
    return found(arn, "destroyed", lost.count, `${lost.text} ${what} are DESTROYED: ${against}`);
  const to = `move to the dead-letter queue ${lastOf(deadLetter)}`;
  return found(arn, "moved", lost.count, `${atMost(lost.text)} ${what} ${to}: ${against}`);
}

export function streamHazard(stream: StreamExposure, window: Window): Found {
  const { arn, onFailure, ageMaxS, retriesMax } = stream;
  const savedS = recordSavedS(window.refusal, stream);
  const lost = costOf(arn, { ...stream, backlog: 0 }, savedS, window);
  const what = `records of ${lastOf(arn)}`;
  const by = ageMaxS === null ? "the stream's retention" : "the mapping's maximum record age";
  const limit =
    savedS === 0
      ? `a failing batch is given up after ${n(retriesMax ?? 0)} retries`
      : `a record waits ${seconds(savedS)} (${by})`;
  const against = `${limit}, the fault lasts ${seconds(window.toS - window.fromS)}`;
  if (lost.count === 0) {
    const kind = isOpen(lost, stream) ? "unknown" : "none";
    return found(arn, kind, kind === "none" ? 0 : null, `no ${what} are lost: ${against}`);
  }
  if (onFailure !== null) {
    const to = `are skipped, their positions go to ${onFailure}`;
    return found(arn, "moved", lost.count, `${lost.text} ${what} ${to}: ${against}`);
  }
  return found(arn, "destroyed", lost.count, `${lost.text} ${what} are DESTROYED: ${against}`);
}

const atMost = (text: string): string => (text.startsWith("up to") ? text : `up to ${text}`);

/** A shorter visibility: whoever takes longer than all receives together loses the message. */
export function visibilityHazard(queue: QueueExposure, visibilityS: number): Found {
  const { arn, deadLetter, receivesMax } = queue;
  const what = `a message of ${lastOf(arn)}`;
  if (receivesMax === null || deadLetter === null)
    return found(arn, "none", 0, `${what} is never given up: it has no dead-letter queue`);
  const limit = `${n(receivesMax)} receives × ${n(visibilityS)} s`;
  const to = `moves to ${lastOf(deadLetter)} although it is being handled`;
  return found(arn, "unknown", null, `${what} whose handling takes longer than ${limit} ${to}`);
}

interface Cost {
  readonly count: number;
  /** The fault outlasts what saves them. */
  readonly isShort: boolean;
  /** `about 1,500 (1,200 of this plan, 300 of others)`. */
  readonly text: string;
}

function costOf(
  arn: string,
  { perSecond, backlog }: { readonly perSecond: number | null; readonly backlog: number },
  savedS: number,
  { fromS, toS, planned: plannedTo, requestsMax }: Window,
): Cost {
  const { perSecond: planned, closed } = plannedTo(arn);
  const lost = lostOf({ planned, perSecond: perSecond ?? 0, backlog }, { fromS, toS, savedS });
  const isShort = savedS <= toS - fromS;
  const others =
    perSecond === null ? `${n(lost.others)} or more of others` : `${n(lost.others)} of others`;
  if (closed.length > 0 && isShort) {
    const loops = `how many ${closed.join(", ")} sends in a closed loop is not known`;
    const most = lost.planned + lost.others + requestsMax;
    const bound = `at most limits.requests ${n(requestsMax)}`;
    const text = `up to ${n(most)} (${loops}: ${bound}, ${others})`;
    return { count: most, isShort, text };
  }
  const count = lost.planned + lost.others;
  return {
    count,
    isShort,
    text: `about ${n(count)} (${n(lost.planned)} of this plan, ${others})`,
  };
}

/** Nobody could be asked how many others send. */
const isOpen = ({ isShort }: Cost, { perSecond }: { readonly perSecond: number | null }): boolean =>
  perSecond === null && isShort;

function calm(
  isShort: boolean,
  { destination, perSecond }: AsyncExposure,
  savedS: number,
  { fromS, toS }: Window,
): string {
  if (isShort && perSecond === null) return `they go to ${destination}`;
  return isShort
    ? "none planned, and none came in the last hour"
    : `they are tried for ${seconds(savedS)}, the fault lasts ${seconds(toS - fromS)}`;
}

const found = (
  resource: string,
  kind: Hazard["kind"],
  count: number | null,
  text: string,
): Found => ({ resource, kind, count, text });

const lastOf = (arn: string): string => arn.split(/[:/]/).at(-1) ?? arn;
