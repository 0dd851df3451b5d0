// The request ids that a run's attempts were answered with, in order of time and a part at a time.
import { join } from "node:path";
import { requestKeyText } from "../core/ids.ts";
import { OUTCOMES, type Outcome } from "../core/outcome.ts";
import { type AttemptChunk, attemptChunk } from "./attempt-chunk.ts";
import { readParquet } from "./parquet-columns.ts";
import { filesOf } from "./run-files.ts";

export interface AnsweredKeys {
  /** Keys (requestKeyText) of what was answered before a moment of the run, each told once. */
  until(runUs: number): Promise<string[]>;
}

/** Whether the answers of a load that ended so are looked for among the platform's lines. */
export type IsWanted = (load: number, outcome: Outcome) => boolean;

const COLUMNS = [
  ...["base", "load", "arm", "route", "attempt", "due_d", "ready_d", "sent_d", "first_d", "done_d"],
  ...["outcome", "refused_by", "error", "request_id"],
];

/**
 * Holds one segment of each worker at a time, whatever the length of the run.
 * @throws GatecrashError `facts` for a segment that cannot be read
 */
export async function answeredKeys(runDir: string, isWanted: IsWanted): Promise<AnsweredKeys> {
  const files = await filesOf(join(runDir, "attempts"), ".parquet");
  const workers = [...new Set(files.map(workerOf))];
  const readers = workers.map((worker) => {
    const own = files.filter((file) => workerOf(file) === worker);
    return new WorkerAnswers(own.toSorted(bySequence), isWanted);
  });
  return {
    until: async (runUs) => {
      const keys: string[] = [];
      for (const reader of readers) await reader.until(runUs, keys);
      return keys;
    },
  };
}

const workerOf = (file: string): string => file.replace(/-\d+\.parquet$/, "");
const sequenceOf = (file: string): number => Number(/(\d+)\.parquet$/.exec(file)?.[1] ?? 0);
const bySequence = (a: string, b: string): number => sequenceOf(a) - sequenceOf(b);

interface Later {
  readonly doneUs: number;
  readonly key: string;
}

/** The segments of one worker follow each other in time, their rows nearly so. */
class WorkerAnswers {
  readonly #files: string[];
  readonly #isWanted: IsWanted;
  #later: Later[] = [];

  constructor(files: string[], isWanted: IsWanted) {
    this.#files = files;
    this.#isWanted = isWanted;
  }

  async until(runUs: number, keys: string[]): Promise<void> {
    for (;;) {
      const later: Later[] = [];
      for (const one of this.#later)
        if (one.doneUs > runUs) later.push(one);
        else keys.push(one.key);
      this.#later = later;
      if (later.length > 0) return;
      const file = this.#files.shift();
      if (file === undefined) return;
      this.#later = await this.#read(file);
    }
  }

  async #read(file: string): Promise<Later[]> {
    const segment = await readParquet(file, COLUMNS);
    const chunk = attemptChunk(segment, null);
    const ids = segment.values("request_id");
    const rows: Later[] = [];
    for (let row = 0; row < chunk.rows; row++) {
      const id = ids[row];
      if (!(id instanceof Uint8Array) || id.length !== 16 || !this.#wants(chunk, row)) continue;
      rows.push({ doneUs: chunk.doneUs[row]!, key: requestKeyText(id) });
    }
    return rows;
  }

  #wants({ load, outcome }: AttemptChunk, row: number): boolean {
    return this.#isWanted(load[row]!, OUTCOMES[outcome[row]!] ?? "unknown");
  }
}
