// A run that is killed: what it had recorded is whole, readable and only lacks its last moments.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, expect, test } from "vitest";
import { builtFile } from "../../src/core/built-file.ts";
import type { RunEvent } from "../../src/core/facts.ts";
import { readAttempts } from "../support/read-attempts.ts";

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

/** Resolves when the second whole segment has its name. */
function secondSegment(attemptsDir: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(attemptsDir, () => {
      if (readdirSync(attemptsDir).filter((name) => name.endsWith(".parquet")).length < 2) return;
      watcher.close();
      resolve();
    });
  });
}

async function killedRun(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-"));
  dirs.push(dir);
  mkdirSync(join(dir, "attempts"));
  const script = fileURLToPath(builtFile("../support/endless-run.js", import.meta.url));
  const child = fork(script, [dir], { execArgv: [] });
  await secondSegment(join(dir, "attempts"));
  child.kill("SIGKILL");
  await once(child, "exit");
  return dir;
}

test("keeps every attempt up to the last segment, and strangers can read it", async () => {
  const dir = await killedRun();
  const rows = await readAttempts(dir);
  expect(rows.length).toBeGreaterThan(2_000);
  expect(rows.every((row, i) => row.index === i && row.outcome === "ok")).toBe(true);

  const lines = readFileSync(join(dir, "events", "0.jsonl"), "utf8")
    .trim()
    .split("\n");
  const events = lines.map((line) => JSON.parse(line) as RunEvent);
  const sent = events.flatMap((event) => (event.kind === "health" ? event.loads[0]!.sent : []));
  expect(sent.at(-1)! - rows.length).toBeLessThan(2_500);
  expect(events.some((event) => event.kind === "end")).toBe(false);
  expect(JSON.parse(readFileSync(join(dir, "plan.json"), "utf8")).gatecrash).toBe(1);

  const duck = await (await DuckDBInstance.create()).connect();
  const from = `from '${join(dir, "attempts", "*.parquet")}'`;
  const query = `select count(*)::int n, max(base + due_d)::int due ${from} where attempt = 1`;
  const [row] = (await duck.runAndReadAll(query)).getRowObjects();
  expect(row).toEqual({ n: rows.length, due: rows.at(-1)!.dueUs });
});
