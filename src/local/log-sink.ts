// Where fronts and the invoke pipeline write their log lines.

export interface LogSink {
  /** Adds one event, with group and stream when there are none. Never throws, never blocks. */
  append(group: string, stream: string, atEpochMs: number, message: string): void;
}
