// A local AWS with one function behind an HTTP API, in processes of its own, and a load on it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LOCAL_NODE_FLAGS } from "../../src/cli/local-process.ts";
import type { Arrival, Target } from "../../src/core/arrival.ts";
import { seededRng } from "../../src/core/rng.ts";
import { runUs, US_PER_S } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";
import { fire } from "../../src/run/fire.ts";
import { liveBuffer, loadCounters } from "../../src/run/live-counters.ts";
import { createPacer } from "../../src/run/pacing.ts";
import { answerOf, failedReading, type Reading } from "../../src/targets/exchange-answer.ts";
import type { Exchange } from "../../src/wire/exchange.ts";
import { createHttpClient } from "../../src/wire/http-client.ts";
import { parseOrigin } from "../../src/wire/origin.ts";
import { serializeRequest } from "../../src/wire/request.ts";
import { type Sample, Samples } from "./samples.ts";

/** What a load can be put on. */
export interface Offered {
  readonly url: string;
}

export interface LocalSystem extends Offered, AsyncDisposable {
  /** Of local AWS and all its functions, in MB; NaN where /proc is not there. */
  residentMb(): number;
}

export interface SystemOptions {
  /** The handler's module. */
  readonly code: string;
  readonly reserved?: number;
  readonly concurrency: number;
}

const TEMPLATE = (reserved: number | undefined): string => `
Transform: AWS::Serverless-2016-10-31
Resources:
  Work:
    Type: AWS::Serverless::Function
    Properties:
      Handler: work.handler
      Runtime: nodejs22.x
      CodeUri: functions/
      Timeout: 60
      ${reserved === undefined ? "" : `ReservedConcurrentExecutions: ${reserved}`}
      Events: { Any: { Type: HttpApi } }
Outputs:
  Url:
    Value: !Sub "https://\${ServerlessHttpApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}"
`;

export async function startSystem(options: SystemOptions): Promise<LocalSystem> {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-bench-"));
  mkdirSync(join(dir, "functions"));
  writeFileSync(join(dir, "functions/work.mjs"), options.code);
  const template = join(dir, "template.yaml");
  writeFileSync(template, TEMPLATE(options.reserved));
  const main = fileURLToPath(new URL("../../src/local/main.js", import.meta.url));
  const quota = String(options.concurrency);
  const args = [
    ...LOCAL_NODE_FLAGS,
    main,
    "--template",
    template,
    "--concurrency",
    quota,
    "--scaling-bucket",
    quota,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { outputs, error } = JSON.parse(String(line)) as {
    outputs?: { Url: string };
    error?: { message: string };
  };
  if (outputs === undefined) throw new Error(error?.message ?? "local AWS did not start");
  return {
    url: outputs.Url,
    residentMb: () => treeMb(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      await ended(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The same handler behind node:http alone. */
export async function startBare(code: string): Promise<Offered & AsyncDisposable> {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-bench-"));
  const file = join(dir, "work.mjs");
  writeFileSync(file, code);
  const server = fileURLToPath(new URL("./bare-server.js", import.meta.url));
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [server, file], { stdio: [...stdio] });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  return {
    url: String(line).trim(),
    async [Symbol.asyncDispose]() {
      await ended(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const over = once(child, "close");
  child.kill("SIGTERM");
  await over;
}

/** A process and its children, by /proc. */
function treeMb(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").map(Number),
    );
    const mine = (pages * 4_096) / 1_048_576;
    return children.filter((one) => one > 0).reduce((sum, one) => sum + treeMb(one), mine);
  } catch {
    return Number.NaN;
  }
}

const HEADERS = ["x-work-us", "x-busy", "x-state"];
const LEAD_US = US_PER_S / 5;

/** `dueUs` from the start of the load; through the product's own firing. */
export async function offer(
  system: Offered,
  dueUs: readonly number[],
  inFlightMax: number,
): Promise<Sample[]> {
  const clock = systemClock();
  await using pacer = createPacer({ now: () => clock.nowUs(), mode: "thread" });
  const seen = { headers: [] as readonly string[] };
  await using target = headerTarget(system.url, () => clock.nowUs(), seen);
  const startUs = clock.nowUs() + LEAD_US;
  const call = { kind: "http", method: "GET", path: "/", headers: [], body: null } as const;
  const arrivals = dueUs.map(
    (us, index): Arrival => ({ index, dueUs: runUs(Math.round(startUs + us)), route: 0, call }),
  );
  const samples = new Samples(dueUs.length);
  const load = {
    ...{ code: 0, arm: 0, share: { index: 0, of: 1 }, closed: null, resend: null },
    ...{ arrivals, target, inFlightMax, graceUs: 60 * US_PER_S },
  };
  await fire(load, {
    ...{ clock, pacer, rng: seededRng(1), stopped: () => false },
    counters: loadCounters([1], liveBuffer([1]))[0]!,
    recorder: {
      attempt: (key, answer) => samples.add(answer, key.dueUs, startUs, seen.headers),
      dropped: (key) => samples.drop(key.dueUs - startUs),
    },
  }).ended;
  return samples.all();
}

/** GET / with the function's own headers shown while the answer is handed over. */
function headerTarget(
  url: string,
  now: () => number,
  seen: { headers: readonly string[] },
): Target {
  const origin = parseOrigin(url);
  const timeoutUs = 60 * US_PER_S;
  const client = createHttpClient({ origin, now, timeoutUs, captureHeaders: HEADERS });
  const parts = { method: "GET", path: "/", headers: [], body: null };
  const request = serializeRequest(origin.hostHeader, parts);
  return {
    get inFlight() {
      return client.inFlight;
    },
    send: (_, done) =>
      client.send(request, (exchange) => {
        seen.headers = exchange.headers; // read before `done` returns
        done(answerOf(exchange, readingOf(exchange.failure, exchange.status)));
      }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function readingOf(failure: Exchange["failure"], status: number): Reading {
  if (failure !== "") return failedReading(failure);
  const outcome = status === 200 ? "ok" : "throttled";
  return { outcome, refusedBy: "", reason: "", degraded: false, requestId: "" };
}
