// The shipped scenarios as somebody takes them to an account: nothing but the account is missing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listVariants, readScenario } from "../../src/scenario/read.ts";

const root = join(import.meta.dirname, "../../scenarios");

const declared = readdirSync(root).filter((name) =>
  readFileSync(join(root, name, "scenario.yaml"), "utf8").includes("\nenvironments:"),
);

test.each(declared)("%s says for its account what its writes reach", (name) => {
  const folder = join(root, name);
  const [variant = null] = listVariants(folder);
  const scenario = readScenario(folder, { variant, environment: "staging" });
  expect(scenario.account?.account).toMatch(/^\d{12}$/);
  expect(Object.keys(scenario.downstreams ?? {})).not.toEqual([]);
});
