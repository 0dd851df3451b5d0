// A scenario in a folder of its own, and the complaints about it as text.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { GatecrashError } from "../../src/core/error.ts";
import type { Scenario } from "../../src/core/scenario.ts";
import { type ReadOptions, readScenario } from "../../src/scenario/read.ts";

export const LOCAL: ReadOptions = { variant: null, environment: "local" };

/** The smallest scenario, with lines added or replaced. */
export function scenarioText(lines: string): string {
  const given = new Set([...lines.matchAll(/^([a-z-]+):/gm)].map(([, key]) => key));
  const parts = [
    ["gatecrash", "gatecrash: 1"],
    ["title", "title: A question"],
    ["phases", "phases: [{ before: 10s }, { zero: 10s }]"],
    ["loads", "loads: { shopper: { rate: { at: 40/s }, http: { url: 'http://127.0.0.1:1/' } } }"],
  ];
  const kept = parts.filter(([key]) => !given.has(key)).map(([, text]) => text);
  return [...kept, lines].join("\n");
}

/** Reads the text as scenario.yaml beside the files body.json and capture.ndjson. */
export function readText(text: string, options: ReadOptions = LOCAL): Scenario {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-scenario-"));
  try {
    writeFileSync(join(dir, "scenario.yaml"), text);
    for (const file of ["body.json", "capture.ndjson", "a.yaml", "b.yaml"])
      writeFileSync(join(dir, file), "{}\n");
    return readScenario(dir, options);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** `line: message (hint)` of every complaint; [] when there is none. */
export function complaintsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    return errors.map((one) => {
      if (!(one instanceof GatecrashError)) throw one;
      const file = one.place === undefined ? "" : basename(one.place.file);
      const at = file === "scenario.yaml" ? `${one.place?.line}: ` : "";
      return `${at}${one.message}${one.hint === undefined ? "" : ` (${one.hint})`}`;
    });
  }
}

export const complaints = (lines: string): string[] =>
  complaintsOf(() => readText(scenarioText(lines)));
