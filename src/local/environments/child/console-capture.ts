// Sends what a handler prints to the execution environment that runs it, in Lambda's text format.
import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import { format } from "node:util";
import type { LogLine } from "../protocol.ts";

/** More lines than this in one invocation are counted, not kept. */
const LINES_MAX = 10_000;

/** What one execution environment has printed since its last invocation ended. */
export class LogBuffer {
  /** The request that runs now; Lambda prints `undefined` during init. */
  requestId: string | undefined;
  #lines: LogLine[] = [];
  #left = 0;

  add(message: string): void {
    if (this.#lines.length < LINES_MAX) this.#lines.push({ atEpochMs: Date.now(), message });
    else this.#left += 1;
  }

  /** One console line: `time TAB request id TAB LEVEL TAB text`. */
  addConsole(level: string, text: string): void {
    this.add(`${new Date().toISOString()}\t${this.requestId}\t${level}\t${text}`);
  }

  drain(): LogLine[] {
    if (this.#left > 0) {
      const message = `[${this.#left} more lines were not kept]`;
      this.#lines.push({ atEpochMs: Date.now(), message });
    }
    const lines = this.#lines;
    this.#lines = [];
    this.#left = 0;
    return lines;
  }
}

/** Follows a handler through its awaits and timers; the value is what it prints into. */
export const printing = new AsyncLocalStorage<LogBuffer>();

const LEVELS = {
  log: "INFO",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
  debug: "DEBUG",
  trace: "TRACE",
} as const;

/** Takes over `console` and this process's two streams; text that nobody owns goes to stderr. */
export function captureConsole(): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method as keyof typeof LEVELS] = (...parts: unknown[]): void => {
      const text = format(...parts);
      const buffer = printing.getStore();
      if (buffer === undefined) writeSync(2, `${text}\n`);
      else buffer.addConsole(level, text);
    };
  }
  process.stdout.write = captureWrite as typeof process.stdout.write;
  process.stderr.write = captureWrite as typeof process.stderr.write;
}

function captureWrite(chunk: string | Uint8Array, second?: unknown, third?: unknown): boolean {
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const buffer = printing.getStore();
  if (buffer === undefined) writeSync(2, text);
  else for (const line of text.replace(/\n$/, "").split("\n")) buffer.add(line);
  const done = typeof second === "function" ? second : third;
  if (typeof done === "function") process.nextTick(done as () => void);
  return true;
}
