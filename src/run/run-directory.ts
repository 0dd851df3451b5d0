// The run directory as it is written: frozen files once, events line by line.
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { PlanFile, RunEvent } from "../core/facts.ts";
import { makeFolder } from "../core/make-folder.ts";

export interface RunDirectory extends Disposable {
  readonly path: string;
  /** Freezes plan.json. The coordinator of several slices writes it; the others find it there. */
  writePlan(plan: PlanFile): void;
  /** One line, given to the operating system at once: it survives the death of this process. */
  emit(event: RunEvent): void;
}

/**
 * Makes `path` with `scenario.yaml` and `attempts/`, and opens `events/<slice>.jsonl`.
 * Throws `input` when it cannot be made or already holds this slice's events: facts only grow.
 */
export function createRunDirectory(
  path: string,
  slice: number,
  scenarioYaml: string,
): RunDirectory {
  let file: number;
  try {
    makeFolder(join(path, "attempts"));
    makeFolder(join(path, "events"));
    // First, so that an old run stays as it is.
    file = openSync(join(path, "events", `${slice}.jsonl`), "ax");
    writeFileSync(join(path, "scenario.yaml"), scenarioYaml);
  } catch (cause) {
    throw new GatecrashError(
      "input",
      `cannot make the run directory ${path}: ${messageOf(cause)}`,
      {
        hint: isTaken(cause)
          ? "A run never writes into an old run's directory: choose another with --out."
          : "Choose a folder that can be written to with --out.",
        cause,
      },
    );
  }
  return {
    path,
    writePlan: (plan) => {
      writeFileSync(join(path, "plan.json"), `${JSON.stringify(plan, null, 2)}\n`);
    },
    emit: (event) => {
      writeSync(file, `${JSON.stringify(event)}\n`);
    },
    [Symbol.dispose]: () => {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

const isTaken = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "EEXIST";

/** The hash git gives a file of this text, for `PlanFile.scenario.blob`. */
export function gitBlobHash(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
