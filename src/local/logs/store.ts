// CloudWatch Logs in memory: groups, streams, events in time order; bounded.
import type { LogSink } from "../log-sink.ts";
import { type LogEvent, LogEvents } from "./log-events.ts";

export interface LogStream {
  readonly name: string;
  readonly createdEpochMs: number;
  firstEpochMs: number;
  lastEpochMs: number;
}

/** AWS counts 26 bytes for each event. */
const storedBytesOf = (message: string): number => message.length + 26;

export class LogGroup {
  readonly name: string;
  readonly createdEpochMs: number;
  readonly streams = new Map<string, LogStream>();
  storedBytes = 0;
  #events = new LogEvents();

  constructor(name: string, createdEpochMs: number) {
    this.name = name;
    this.createdEpochMs = createdEpochMs;
  }

  get events(): LogEvents {
    return this.#events;
  }

  add(event: LogEvent): void {
    this.#keep(event);
    const stream = this.streams.get(event.stream) ?? this.#newStream(event);
    if (event.atEpochMs < stream.firstEpochMs) stream.firstEpochMs = event.atEpochMs;
    if (event.atEpochMs > stream.lastEpochMs) stream.lastEpochMs = event.atEpochMs;
  }

  /** Drops the oldest half; returns how many. */
  dropHalf(): number {
    const all = this.#events;
    const dropped = Math.ceil(all.length / 2);
    this.#events = new LogEvents();
    this.storedBytes = 0;
    for (let i = dropped; i < all.length; i++) this.#keep(all.at(i));
    return dropped;
  }

  #keep(event: LogEvent): void {
    this.#events.add(event);
    this.storedBytes += storedBytesOf(event.message);
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

/** An account to which the one that is played has given its logs, in both of AWS's ways. */
export interface LogsAccount {
  readonly account: string;
  /** What a copy is called, in the words of AWS's centralization rules. */
  readonly groups: string;
}

export const SAME_NAME = `\${source.logGroup}`;

/** The oldest half of the largest group goes first, and is counted. */
export interface LogLimits {
  readonly events: number;
  readonly bytes: number;
}
const LIMITS: LogLimits = { events: 2_000_000, bytes: 1_000_000_000 };

export class LogStore implements LogSink {
  readonly groups = new Map<string, LogGroup>();
  /** Events that had to be dropped; anything above 0 is reported by `/_local/health`. */
  dropped = 0;
  readonly #wallMs: () => number;
  readonly #limits: LogLimits;
  #sequence = 0;
  #count = 0;
  #bytes = 0;

  constructor(wallMs: () => number, limits: Partial<LogLimits> = {}) {
    this.#wallMs = wallMs;
    this.#limits = { ...LIMITS, ...limits };
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
    this.#count++;
    this.#bytes += storedBytesOf(message);
    if (this.#count > this.#limits.events) this.#makeRoom(({ events }) => events.length);
    if (this.#bytes > this.#limits.bytes) this.#makeRoom(({ storedBytes }) => storedBytes);
  }

  #makeRoom(sizeOf: (group: LogGroup) => number): void {
    let largest: LogGroup | undefined;
    for (const group of this.groups.values())
      if (largest === undefined || sizeOf(group) > sizeOf(largest)) largest = group;
    if (largest === undefined) return;
    const before = largest.storedBytes;
    const dropped = largest.dropHalf();
    this.dropped += dropped;
    this.#count -= dropped;
    this.#bytes -= before - largest.storedBytes;
  }
}
