// The JSON Schema in the repository is the one that the validating schema makes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scenarioJsonSchema } from "../../src/scenario/json-schema.ts";

const file = join(import.meta.dirname, "../../schema/scenario.schema.json");

it("is current (UPDATE_SCHEMA=1 rewrites it)", () => {
  const made = scenarioJsonSchema();
  if (process.env.UPDATE_SCHEMA === "1") writeFileSync(file, made);
  expect(readFileSync(file, "utf8")).toBe(made);
});

it("describes every key of the top level", () => {
  const { properties } = JSON.parse(scenarioJsonSchema()) as {
    properties: { [key: string]: { type?: string; const?: number } };
  };
  expect(Object.keys(properties)).toContain("stop-when");
  expect(properties.gatecrash?.const).toBe(1);
});
