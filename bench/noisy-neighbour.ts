// scenarios/noisy-neighbour at length: verdicts, and tables as the `aws` command prints them.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

/** Prints what `naive` and `hardened` come to: five to six minutes each. */
export async function benchNoisyNeighbour(): Promise<void> {
  if (!hasCommand("aws")) console.log("aws is not on this machine: no tables");
  for (const [variant, exit] of [
    ["naive", 1],
    ["hardened", 0],
  ] as const)
    await story(variant, exit);
}

async function story(variant: string, wanted: number): Promise<void> {
  await using local = await startLocal(join(SCENARIO, `${variant}.template.yaml`));
  const out = mkdtempSync(join(tmpdir(), "gatecrash-noisy-"));
  try {
    const startMs = Date.now();
    const args = ["run", SCENARIO, "--variant", variant, "--endpoint", local.endpoint];
    const child = spawn(process.execPath, [BIN, ...args, "--out", join(out, "run"), "--quiet"], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const [code] = (await once(child, "close")) as [number | null];
    console.log(
      `${variant}: exit ${code}, wanted ${wanted}: ${code === wanted ? "kept" : "MISSED"}`,
    );
    if (!hasCommand("aws")) return;
    await printTable(local.endpoint, startMs, variant === "naive");
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

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

async function printTable(endpoint: string, startMs: number, naive: boolean): Promise<void> {
  const of = (name: string, metric: string, statistic: string): Promise<Minutes> =>
    statistics(endpoint, name, { metric, statistic, startMs });
  const busy = new Map<string, Minutes>();
  for (const name of FUNCTIONS) {
    busy.set(name, await of(name, "ConcurrentExecutions", "Maximum"));
    console.log(
      `${name}:\n[${busy
        .get(name)!
        .map((value) => value ?? "–")
        .join(", ")}]`,
    );
  }
  const ran = await of(CHECKOUT, "Invocations", "Sum");
  const refused = await of(CHECKOUT, "Throttles", "Sum");
  const shares = ran.map((count, i) => {
    const all = (count ?? 0) + (refused[i] ?? 0);
    return all === 0 ? 0 : (refused[i] ?? 0) / all;
  });
  const percents = shares.map((share) => `${(share * 100).toFixed(0)} %`);
  console.log(`refused at ${CHECKOUT}:\n[${percents.join(", ")}]`);
  if (naive) checkShape(busy.get(INGEST)!, busy.get(CHECKOUT)!, shares);
}

/** Of the seed's table: the pool is taken, checkout gets what is left over, and is refused. */
function checkShape(ingest: Minutes, checkout: Minutes, shares: readonly number[]): void {
  const full = ingest.flatMap((value, i) => ((value ?? 0) >= 900 * SCALE ? [i] : []));
  const first = full[0] ?? 0;
  const normal = Math.max(...checkout.slice(0, first).map((value) => value ?? 0));
  const refused = shares.filter((share) => share > 0.2).length;
  // The first full minute begins before the backlog does.
  const squeezed = full.slice(1).filter((i) => (checkout[i] ?? 0) < normal / 2).length;
  const say = (holds: boolean, text: string): void =>
    console.log(`  ${holds ? "as in the story" : "NOT AS IN THE STORY"}: ${text}`);
  const before = Math.max(...ingest.slice(0, Math.max(1, first)).map((value) => value ?? 0));
  say(first > 0 && before <= 20 * SCALE, `ingest ${before} at once in the minute before`);
  say(full.length >= 2, `ingest at 90 % of the pool or more in ${full.length} minutes`);
  say(squeezed >= 2, `checkout under half of its ${normal} in ${squeezed} of those minutes`);
  say(refused >= 2, `more than 20 % of checkouts refused in ${refused} minutes`);
}
