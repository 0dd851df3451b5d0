// Criteria for judging again: `accept:` of a YAML file, which may be a whole scenario.
import { readFile } from "node:fs/promises";
import { isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Criterion } from "../core/criterion.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import { yamlProblem } from "../core/yaml-problem.ts";

/**
 * Throws `input` when it cannot be read, `scenario` with file and line when a criterion is wrong.
 */
export async function readCriteria(file: string): Promise<Criterion[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const message = `criteria file ${file} cannot be read: ${messageOf(cause)}`;
    throw new GatecrashError("input", message, { cause });
  }
  return parseCriteria(text, file);
}

export function parseCriteria(text: string, file: string): Criterion[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = yamlProblem(text, document.errors);
  if (broken !== null) {
    const place = { file, line: lines.linePos(broken.offset).line };
    throw new GatecrashError("scenario", broken.message, { place });
  }
  const accept = isSeq(document.contents) ? document.contents : document.get("accept", true);
  if (!isSeq(accept) || accept.items.length === 0)
    throw new GatecrashError("scenario", "there is no list `accept:` of criteria", {
      place: { file },
      hint: "write `accept: [checkout.p99 <= 300ms]`",
    });
  return accept.items.map((item) => {
    const at = isScalar(item) ? item.range?.[0] : undefined;
    const place = { file, line: at === undefined ? 1 : lines.linePos(at).line };
    if (!isScalar(item) || typeof item.value !== "string")
      throw new GatecrashError("scenario", "a criterion is one line of text", { place });
    return { ...parseCriterion(item.value, place), place };
  });
}
