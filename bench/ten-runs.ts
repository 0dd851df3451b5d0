// The main job ten times for each system: the same exit code every time, and how long it takes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT } from "../src/core/exit.ts";
import { median } from "./peers/processes.ts";

const TIMES = 10;
/** A run that takes longer than this is ended, and counts as not kept. */
const LONGEST_MS = 180_000;
const SYSTEMS = [
  ["naive", EXIT.fail],
  ["hardened", EXIT.pass],
] as const;

interface Ended {
  readonly code: number | null;
  readonly seconds: number;
  readonly reason: string;
}

/** Prints the exit codes of ten runs of each variant of zero-concurrency. */
export async function benchTenRuns(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-ten-"));
  console.log(`zero-concurrency, ${TIMES} runs of each system in turn: exit codes`);
  const ended = new Map<string, Ended[]>(SYSTEMS.map(([name]) => [name, []]));
  try {
    for (let time = 0; time < TIMES; time++)
      for (const [name] of SYSTEMS) ended.get(name)!.push(await run(name, join(folder, "run")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const [name, wanted] of SYSTEMS) {
    const runs = ended.get(name)!;
    const kept = runs.filter(({ code }) => code === wanted).length;
    const codes = runs.map(({ code }) => code ?? "–").join(" ");
    const seconds = median(runs.map((one) => one.seconds)).toFixed(0);
    const word = kept === TIMES ? "kept" : "MISSED";
    console.log(`${name.padEnd(10)} ${codes}   wanted ${wanted}: ${word}, ${seconds} s each`);
    for (const { code, reason } of runs) if (code !== wanted) console.log(`  ${code}: ${reason}`);
  }
}

async function run(variant: string, out: string): Promise<Ended> {
  rmSync(out, { recursive: true, force: true });
  const [bin, scenario] = ["../bin/gatecrash.js", "../../scenarios/zero-concurrency"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const args = [bin!, "run", scenario!, "--variant", variant, "--out", out, "--quiet"];
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const timer = setTimeout(() => child.kill("SIGTERM"), LONGEST_MS);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  const reason = /^(PASS|FAIL|INCONCLUSIVE|INVALID) .*$/m.exec(text)?.[0] ?? text.slice(0, 200);
  return { code, seconds: (performance.now() - startMs) / 1_000, reason };
}
