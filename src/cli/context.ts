// What every command is given: where it may write, the signal that ends it, and its exit code.
import type { ExitCode } from "../core/exit.ts";

export interface CommandContext {
  readonly signal: AbortSignal;
  /** The command's own result: text, or one JSON document. */
  out(text: string): void;
  /** Progress, warnings and errors. */
  err(text: string): void;
  /** Sets the exit code of the process. */
  exit(code: ExitCode): void;
}
