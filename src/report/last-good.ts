// What an earlier run that was good had for the same criteria, to stand beside this one's.
import type { Criterion } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import { type Facts, readFacts } from "./facts-reader.ts";
import { judgeFacts } from "./report.ts";
import type { LastGood, Report } from "./result.ts";
import { foundText } from "./words.ts";

/** Throws as `report` does; a criterion that run cannot answer stays without a figure. */
export async function lastGoodOf(runDir: string, { criteria }: Report): Promise<LastGood> {
  const facts = await readFacts(runDir);
  const wanted = criteria.map(({ text }) => parseCriterion(text));
  const found = (await judged(facts, wanted)) ?? (await oneByOne(facts, wanted));
  return {
    run: facts.plan.run,
    found: Object.fromEntries(found.map((one) => [one.text, foundText(one)])),
  };
}

/** Null where one of them names what that run did not have. */
async function judged(facts: Facts, wanted: readonly Criterion[]) {
  try {
    return (await judgeFacts(facts, wanted)).criteria;
  } catch (error) {
    if (error instanceof GatecrashError && error.code === "scenario") return null;
    throw error;
  }
}

async function oneByOne(facts: Facts, wanted: readonly Criterion[]): Promise<Report["criteria"]> {
  const all: Report["criteria"][number][] = [];
  for (const one of wanted) all.push(...((await judged(facts, [one])) ?? []));
  return all;
}
