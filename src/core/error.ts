// The one error class: a stable code, a message that names the place, and a hint that says what to
// do.

/**
 * Closed list of error codes; `usage`, `scenario` and `input` end the command with exit code 64.
 */
export type ErrorCode =
  | "usage" // a command line that cannot be understood
  | "scenario" // a scenario, template, criterion or reference that is wrong
  | "input" // a capture, body file or run directory that cannot be read
  // preflight: what was asked may not be done (allow-list, open undo record, busy lease)
  | "refused"
  | "aws" // a control-plane call failed and was not a fact about the system under test
  | "local" // local AWS could not start or went away
  | "facts" // a run directory that contradicts itself
  | "undo"; // a change that could not be put back

export interface ErrorPlace {
  readonly file: string;
  /** 1-based. */
  readonly line?: number;
  readonly column?: number;
}

export class GatecrashError extends Error {
  readonly code: ErrorCode;
  /** What the reader can do about it, one sentence. */
  readonly hint: string | undefined;
  readonly place: ErrorPlace | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { hint?: string; place?: ErrorPlace; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "GatecrashError";
    this.code = code;
    this.hint = more.hint;
    this.place = more.place;
  }

  /** `file:line: message` and the hint on a line of its own, as a terminal shows it. */
  render(): string {
    const { file, line, column } = this.place ?? {};
    const at = [file, line, line === undefined ? undefined : column].filter((x) => x !== undefined);
    const head = at.length > 0 ? `${at.join(":")}: ${this.message}` : this.message;
    return this.hint === undefined ? head : `${head}\n  hint: ${this.hint}`;
  }
}

/** The text of anything thrown, without its stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const OF_THE_MACHINE = [
  ...["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO"],
  ...["EMFILE", "ENFILE", "ENOMEM"],
];

/** A full disk, a folder that may not be written, too many open files: nobody's bug. */
export function isOfTheMachine(thrown: unknown): boolean {
  return (
    thrown instanceof Error && OF_THE_MACHINE.includes((thrown as { code?: string }).code ?? "")
  );
}
