// What local AWS and its child processes say to each other over their channel.

/** What every execution environment of a function has in common. */
export interface FunctionFacts {
  readonly name: string;
  readonly memoryMb: number;
  readonly logGroup: string;
}

/** How a child gets the handler's module: the compiled bundle, or the file itself. */
export type ModuleSource =
  | {
      readonly kind: "bundle";
      /** CommonJS text; evaluated once per execution environment. */
      readonly code: string;
      readonly file: string;
      /** Packages that are loaded before the first environment, as their state is shared anyway. */
      readonly packages: readonly string[];
    }
  | {
      readonly kind: "file";
      readonly file: string;
      /** A package of this handler is found only beside local AWS itself. */
      readonly packagesElsewhere: boolean;
    };

/** With `invoke` goes the event, as the message's text; with all others nothing. */
export type ToChild =
  | {
      readonly kind: "load";
      readonly facts: FunctionFacts;
      readonly source: ModuleSource;
      readonly exportPath: readonly string[];
      /** `index.handler`, for messages. */
      readonly handler: string;
    }
  | {
      readonly kind: "create";
      readonly environment: string;
      readonly stream: string;
      readonly version: string;
    }
  | {
      readonly kind: "invoke";
      readonly call: number;
      readonly environment: string;
      readonly requestId: string;
      readonly functionArn: string;
      readonly deadlineEpochMs: number;
      readonly traceId: string | null;
    }
  /** The deadline has passed: answer with what was logged so far, and forget the environment. */
  | { readonly kind: "cut"; readonly call: number; readonly environment: string }
  | { readonly kind: "destroy"; readonly environment: string };

export interface LogLine {
  readonly atEpochMs: number;
  readonly message: string;
}

export type FromChild =
  | { readonly kind: "ready" }
  | { readonly kind: "created"; readonly environment: string; readonly initMs: number }
  | {
      readonly kind: "init-failed";
      readonly environment: string;
      readonly initMs: number;
      readonly errorType: string;
      /** JSON text. */
      readonly payload: string;
    }
  | CallResult
  /** Sent while the process ends: what running invocations had logged. */
  | { readonly kind: "last-logs"; readonly call: number; readonly logs: readonly LogLine[] };

/** Its text is the answer's JSON. */
export interface CallResult {
  readonly kind: "result";
  readonly call: number;
  readonly how: "ok" | "error" | "crash" | "cut";
  readonly durationMs: number;
  readonly memoryMb: number;
  readonly logs: readonly LogLine[];
}
