// What the recorded system answered to each arrival of a replay, as columns.
import type { Facts } from "./facts-reader.ts";

/** By arrival index; −1 = the capture does not say. */
export interface RecordedAnswers {
  readonly status: Int32Array;
  readonly latencyUs: Int32Array;
}

/** By load code; null for loads that replay nothing. */
export async function readRecorded(facts: Facts): Promise<(RecordedAnswers | null)[]> {
  const all: (RecordedAnswers | null)[] = [];
  for (const { name, planned } of facts.plan.loads) {
    let answers: RecordedAnswers | null = null;
    for await (const rows of facts.recorded(name)) {
      answers ??= {
        status: new Int32Array(planned).fill(-1),
        latencyUs: new Int32Array(planned).fill(-1),
      };
      const [index, status, latency] = ["index", "status", "latency_us"].map((column) =>
        rows.ints(column),
      );
      for (let row = 0; row < rows.rows; row++) {
        answers.status[index![row]!] = status![row]!;
        answers.latencyUs[index![row]!] = latency![row]!;
      }
    }
    all.push(answers);
  }
  return all;
}
