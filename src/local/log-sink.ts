// Where fronts and the invoke pipeline write their log lines.

export interface LogSink {
  /** Adds one event; group and stream are made when they do not exist. Never throws, never blocks. */
  append(group: string, stream: string, atEpochMs: number, message: string): void;
}
