// CloudWatch Logs in memory: groups, streams, events in time order; bounded.
import type { LogSink } from "../log-sink.ts";

export interface LogEvent {
  readonly atEpochMs: number;
  readonly ingestedEpochMs: number;
  readonly stream: string;
  readonly message: string;
  /** Order of arrival over all groups: ties in time keep it. */
  readonly sequence: number;
}

export interface LogStream {
  readonly name: string;
  readonly createdEpochMs: number;
  firstEpochMs: number;
  lastEpochMs: number;
}

export class LogGroup {
  readonly name: string;
  readonly createdEpochMs: number;
  readonly streams = new Map<string, LogStream>();
  storedBytes = 0;
  #sorted: LogEvent[] = [];
  #fresh: LogEvent[] = [];

  constructor(name: string, createdEpochMs: number) {
    this.name = name;
    this.createdEpochMs = createdEpochMs;
  }

  get count(): number {
    return this.#sorted.length + this.#fresh.length;
  }

  add(event: LogEvent): void {
    this.#fresh.push(event);
    this.storedBytes += event.message.length + 26; // AWS counts 26 bytes for each event
    const stream = this.streams.get(event.stream) ?? this.#newStream(event);
    if (event.atEpochMs < stream.firstEpochMs) stream.firstEpochMs = event.atEpochMs;
    if (event.atEpochMs > stream.lastEpochMs) stream.lastEpochMs = event.atEpochMs;
  }

  /**
   * All events by time, then by arrival. Lines of an invocation arrive at its end, so only the part
   * that new events reach back into is sorted again.
   */
  events(): readonly LogEvent[] {
    if (this.#fresh.length === 0) return this.#sorted;
    const fresh = this.#fresh.sort(inOrder);
    this.#fresh = [];
    const cut = firstAtOrAfter(this.#sorted, fresh[0]!.atEpochMs);
    const tail = this.#sorted.splice(cut).concat(fresh).sort(inOrder);
    for (const event of tail) this.#sorted.push(event);
    return this.#sorted;
  }

  /** Drops the oldest half; returns how many. */
  dropHalf(): number {
    const all = this.events();
    const dropped = Math.ceil(all.length / 2);
    this.#sorted = all.slice(dropped);
    this.storedBytes = this.#sorted.reduce((sum, { message }) => sum + message.length + 26, 0);
    return dropped;
  }

  #newStream({ stream, atEpochMs }: LogEvent): LogStream {
    const made: LogStream = {
      name: stream,
      createdEpochMs: atEpochMs,
      firstEpochMs: atEpochMs,
      lastEpochMs: atEpochMs,
    };
    this.streams.set(stream, made);
    return made;
  }
}

const inOrder = (a: LogEvent, b: LogEvent): number =>
  a.atEpochMs - b.atEpochMs || a.sequence - b.sequence;

/** Index of the first event at or after `atEpochMs`. */
export function firstAtOrAfter(events: readonly LogEvent[], atEpochMs: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (events[middle]!.atEpochMs < atEpochMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** About 400 MB of lines; the oldest half of the largest group goes first, and is counted. */
const EVENTS_MAX = 2_000_000;

export class LogStore implements LogSink {
  readonly groups = new Map<string, LogGroup>();
  /** Events that had to be dropped; anything above 0 is reported by `/_local/health`. */
  dropped = 0;
  readonly #wallMs: () => number;
  readonly #eventsMax: number;
  #sequence = 0;
  #count = 0;

  constructor(wallMs: () => number, eventsMax: number = EVENTS_MAX) {
    this.#wallMs = wallMs;
    this.#eventsMax = eventsMax;
  }

  ensureGroup(name: string): LogGroup {
    const found = this.groups.get(name);
    if (found !== undefined) return found;
    const made = new LogGroup(name, this.#wallMs());
    this.groups.set(name, made);
    return made;
  }

  append(group: string, stream: string, atEpochMs: number, message: string): void {
    const sequence = this.#sequence++;
    const ingestedEpochMs = this.#wallMs();
    this.ensureGroup(group).add({ atEpochMs, ingestedEpochMs, stream, message, sequence });
    if (++this.#count > this.#eventsMax) this.#makeRoom();
  }

  #makeRoom(): void {
    let largest: LogGroup | undefined;
    for (const group of this.groups.values())
      if (largest === undefined || group.count > largest.count) largest = group;
    const dropped = largest?.dropHalf() ?? 0;
    this.dropped += dropped;
    this.#count -= dropped;
  }
}
