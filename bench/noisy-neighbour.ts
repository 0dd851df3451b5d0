// scenarios/noisy-neighbour at length: verdicts, and tables as the `aws` command prints them.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { EXIT } from "../src/core/exit.ts";
import { hasCommand } from "./peers/processes.ts";

const SCALE = 0.1;
const FUNCTIONS = [
  ...["carrier-webhook-ingest", "checkout-confirm", "order-search", "notify-worker"],
] as const;
const [INGEST, CHECKOUT] = FUNCTIONS;
const SCENARIO = fileURLToPath(new URL("../../scenarios/noisy-neighbour/", import.meta.url));
const BIN = fileURLToPath(new URL("../bin/gatecrash.js", import.meta.url));
const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** Prints what `naive` and `hardened` come to, and their tables: six minutes each. */
export async function benchNoisyNeighbour(): Promise<void> {
  if (!hasCommand("aws")) console.log("aws is not on this machine: no tables");
  for (const variant of ["naive", "hardened"] as const) await story(variant);
}

/** The hardened system without one of its defences each: six to eleven minutes each. */
export async function benchAblations(): Promise<void> {
  for (const variant of ["a", "b", "c"]) await inFolder((out) => verdict(variant, out, []));
}

async function story(variant: "naive" | "hardened"): Promise<void> {
  await using local = await startLocal(join(SCENARIO, `${variant}.template.yaml`));
  await inFolder(async (out) => {
    const startMs = Date.now();
    await verdict(variant, out, ["--endpoint", local.endpoint]);
    if (!hasCommand("aws")) return;
    const table = await printTable(local.endpoint, startMs);
    if (variant === "naive") checkNaive(table);
    else checkHardened(table);
  });
}

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-noisy-"));
  try {
    await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Result {
  readonly verdict: string;
  readonly generator: { readonly lag_p99_ms: number };
  readonly criteria: readonly { readonly text: string; readonly verdict: string }[];
}

/** Runs it, and looks whether it is what the scenario expects, by the criterion that it names. */
async function verdict(variant: string, folder: string, more: readonly string[]): Promise<void> {
  const out = join(folder, "run");
  const args = [BIN, "run", SCENARIO, "--variant", variant, "--out", out, "--quiet", ...more];
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  const [code] = (await once(child, "close")) as [number | null];
  const minutes = (performance.now() - startMs) / MINUTE_MS;
  const read = (name: string): unknown => JSON.parse(readFileSync(join(out, name), "utf8"));
  const { expect } = read("plan.json") as { expect: string };
  const result = read("result.json") as Result;
  const [, wanted = "", criterion] = /^(\w+)(?:: (.*))?$/.exec(expect) ?? [];
  const failed = result.criteria.filter((one) => one.verdict === "fail").map(({ text }) => text);
  const named = criterion === undefined || failed.includes(criterion);
  const exit = wanted === "pass" ? EXIT.pass : EXIT.fail;
  kept(
    code === exit && result.verdict === wanted && named,
    `${variant}: ${result.verdict}, exit ${code}, wanted ${expect}; lag p99 ` +
      `${result.generator.lag_p99_ms.toFixed(2)} ms, ${minutes.toFixed(1)} min`,
  );
}

const kept = (holds: boolean, text: string): void =>
  console.log(`${holds ? "kept" : "MISSED"}: ${text}`);

interface Local extends AsyncDisposable {
  readonly endpoint: string;
}

async function startLocal(template: string): Promise<Local> {
  const args = [BIN, "local", "--template", template, "--scale", String(SCALE), "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { endpoint } = JSON.parse(String(line)) as { endpoint: string };
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** By minute, from the one in which the run began; a minute without a point is null. */
type Minutes = readonly (number | null)[];

async function statistics(
  endpoint: string,
  name: string,
  { metric, statistic, startMs }: { metric: string; statistic: string; startMs: number },
): Promise<Minutes> {
  const firstMs = Math.floor(startMs / MINUTE_MS) * MINUTE_MS;
  const iso = (epochMs: number): string => new Date(epochMs).toISOString();
  const { stdout } = await run(
    "aws",
    [
      ...["--endpoint-url", endpoint, "--output", "json", "--region", "eu-west-1"],
      ...["cloudwatch", "get-metric-statistics", "--namespace", "AWS/Lambda"],
      ...["--metric-name", metric, "--dimensions", `Name=FunctionName,Value=${name}`],
      ...["--start-time", iso(firstMs), "--end-time", iso(Date.now())],
      ...["--period", "60", "--statistics", statistic],
      ...["--query", `Datapoints[].[Timestamp, ${statistic}]`],
    ],
    { env: { ...process.env, AWS_ACCESS_KEY_ID: "LOCAL", AWS_SECRET_ACCESS_KEY: "local" } },
  );
  const points = new Map(
    (JSON.parse(stdout) as [string | number, number][]).map(([at, value]) => [
      epochMsOf(at),
      value,
    ]),
  );
  const count = Math.ceil((Date.now() - firstMs) / MINUTE_MS);
  return Array.from({ length: count }, (_, i) => points.get(firstMs + i * MINUTE_MS) ?? null);
}

/** As the protocol has it: seconds from newer versions of the command, text from others. */
const epochMsOf = (at: string | number): number =>
  typeof at === "number" ? at * 1_000 : Date.parse(at);

interface Table {
  readonly ingest: Minutes;
  readonly checkout: Minutes;
  /** Refused checkouts, as a share of all. */
  readonly refused: readonly number[];
}

async function printTable(endpoint: string, startMs: number): Promise<Table> {
  const of = (name: string, metric: string, statistic: string): Promise<Minutes> =>
    statistics(endpoint, name, { metric, statistic, startMs });
  const busy = new Map<string, Minutes>();
  for (const name of FUNCTIONS) {
    const minutes = await of(name, "ConcurrentExecutions", "Maximum");
    busy.set(name, minutes);
    console.log(`${name}:\n[${minutes.map((value) => value ?? "–").join(", ")}]`);
  }
  const ran = await of(CHECKOUT, "Invocations", "Sum");
  const throttles = await of(CHECKOUT, "Throttles", "Sum");
  const refused = ran.map((count, i) => {
    const all = (count ?? 0) + (throttles[i] ?? 0);
    return all === 0 ? 0 : (throttles[i] ?? 0) / all;
  });
  const percents = refused.map((share) => `${(share * 100).toFixed(0)} %`);
  console.log(`refused at ${CHECKOUT}:\n[${percents.join(", ")}]`);
  return { ingest: busy.get(INGEST)!, checkout: busy.get(CHECKOUT)!, refused };
}

const most = (minutes: Minutes): number => Math.max(0, ...minutes.map((value) => value ?? 0));

/** The shape of the seed's table: the pool is taken, checkout gets what is left, and is refused. */
function checkNaive({ ingest, checkout, refused }: Table): void {
  const full = ingest.flatMap((value, i) => ((value ?? 0) >= 900 * SCALE ? [i] : []));
  const first = full[0] ?? 0;
  const before = most(ingest.slice(0, first));
  const normal = most(checkout.slice(0, first));
  // The first full minute begins before the backlog does, and the last ends after it.
  const squeezed = full.map((i) => checkout[i] ?? 0).filter((value) => value < normal / 2);
  const shares = refused.filter((share) => share > 0.2).length;
  kept(first > 0 && before <= 20 * SCALE, `ingest ${before} at once in the minutes before`);
  kept(full.length >= 2, `ingest at 90 % of the pool or more in ${full.length} minutes`);
  kept(
    squeezed.length >= 2,
    `checkout ${squeezed.join(", ")} in ${squeezed.length} of those, under half of its ${normal}`,
  );
  kept(shares >= 2, `more than 20 % of checkouts refused in ${shares} minutes`);
}

/** The same load behind a queue and a ceiling: a slow drain, and nobody notices. */
function checkHardened({ ingest, checkout, refused }: Table): void {
  const [busiest, normal] = [most(ingest), checkout[1] ?? 0];
  const later = checkout.slice(1, -2).map((value) => value ?? 0);
  kept(busiest <= 100 * SCALE, `ingest ${busiest} at once at most, MaximumConcurrency 10`);
  kept(
    later.every((value) => value > normal / 2),
    `checkout ${later.join(", ")}: as before, minute by minute`,
  );
  kept(
    refused.every((share) => share === 0),
    "no checkout refused in any minute",
  );
}
