// One closed-loop client in its own process: answers and CPU time of a measured span, as JSON.
// usage: closed-loop.js <client> <port> <folder> <connections> <warm-up ms> <measured ms>
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Client } from "undici";
import type { HttpCall, Target } from "../../src/core/arrival.ts";
import { SEGMENT_ROWS } from "../../src/core/facts.ts";
import { US_PER_S } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";
import { startEncoder } from "../../src/run/encoder.ts";
import { SegmentRecorder } from "../../src/run/recorder.ts";
import { httpTarget } from "../../src/targets/http.ts";
import { createHttpClient } from "../../src/wire/http-client.ts";
import { parseOrigin } from "../../src/wire/origin.ts";
import { serializeRequest } from "../../src/wire/request.ts";

const [client = "", port = "", folder = "", ...numbers] = process.argv.slice(2);
const [connections = 64, warmUpMs = 500, measuredMs = 2_000] = numbers.map(Number);
const url = `http://127.0.0.1:${port}`;
const timeoutUs = 10_000_000;
const { nowUs: now } = systemClock();
const seen = { answers: 0, failures: 0 };

/** Counts an answer and asks for the next one. */
function counted(ok: boolean, again: () => void): void {
  if (ok) seen.answers++;
  else seen.failures++;
  again();
}

/** A run is long against the time that Node takes to compile the encoder; a round here is not. */
const WARM_SEGMENTS = 8;

function frontTarget(): Target {
  const ok = [{ from: 200, to: 299 }];
  return httpTarget({ url, now, timeoutUs, ok, degraded: null, headers: [] });
}

const CALL: HttpCall = { kind: "http", method: "GET", path: "/", headers: [], body: null };

/** What a run does: every attempt goes into the facts, a thread writes them as Parquet. */
async function recorded(): Promise<() => void> {
  const target = frontTarget();
  const encoder = await startEncoder(join(folder, `${process.pid}-`), (error) => {
    throw error;
  });
  for (let i = 0; i < WARM_SEGMENTS; i++) {
    const segment = encoder.take();
    segment.rows = SEGMENT_ROWS;
    encoder.give(segment);
  }
  while (encoder.pending > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const recorder = new SegmentRecorder(0, encoder);
  let index = 0;
  const slot = (): void => {
    const dueUs = now();
    const key = { load: 0, arm: 0, route: 0, index: index++, attempt: 1, dueUs, readyUs: dueUs };
    target.send(CALL, (answer) => {
      recorder.attempt({ ...key, askedUs: dueUs }, answer);
      counted(answer.outcome === "ok", slot);
    });
  };
  return slot;
}

/** Each makes a function that starts one slot of the closed loop. */
const CLIENTS: { readonly [name: string]: () => (() => void) | Promise<() => void> } = {
  wire: () => {
    const http = createHttpClient({ origin: parseOrigin(url), now, timeoutUs });
    const parts = { method: "GET", path: "/", headers: [], body: null };
    const get = serializeRequest(`127.0.0.1:${port}`, parts);
    const slot = (): void => http.send(get, (e) => counted(e.status === 200, slot));
    return slot;
  },
  target: () => {
    const target = frontTarget();
    const slot = (): void => target.send(CALL, (a) => counted(a.outcome === "ok", slot));
    return slot;
  },
  recorded,
  undici: () => () => {
    const one = new Client(url);
    let status = 0;
    const handler = {
      onRequestStart: () => {},
      onResponseStart: (_: unknown, statusCode: number) => {
        status = statusCode;
      },
      onResponseData: () => {},
      onResponseEnd: () => counted(status === 200, next),
      onResponseError: () => counted(false, next),
    };
    const next = (): void => {
      one.dispatch({ method: "GET", path: "/" }, handler);
    };
    next();
  },
  "node:http": () => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const slot = (): void => {
      const sent = request(url, { agent }, (response) => {
        response.on("end", () => counted(response.statusCode === 200, slot)).resume();
      });
      sent.on("error", () => counted(false, slot)).end();
    };
    return slot;
  },
};

/** `duration` is in seconds. */
type AutocannonResult = { readonly [count in "2xx" | "errors" | "duration"]: number };
type Autocannon = (options: object) => Promise<AutocannonResult>;

/** autocannon brings its own loop and clock: a short run warms it up, the second one counts. */
async function autocannon(): Promise<void> {
  const run = createRequire(import.meta.url)("autocannon") as Autocannon;
  await run({ url, connections, duration: Math.ceil(warmUpMs / 1_000) });
  const cpu = process.cpuUsage();
  const result = await run({ url, connections, duration: Math.round(measuredMs / 1_000) });
  seen.answers = result["2xx"];
  seen.failures = result.errors;
  report(result.duration, cpu);
}

function report(spanS: number, cpu: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(cpu);
  const perSecond = seen.answers / spanS;
  const cpuPerMillionS = (user + system) / seen.answers;
  console.log(JSON.stringify({ perSecond, cpuPerMillionS, failures: seen.failures }));
}

if (client === "autocannon") await autocannon();
else {
  const slot = await CLIENTS[client]?.();
  if (slot === undefined) throw new Error(`no such client: ${client}`);
  for (let i = 0; i < connections; i++) slot();
  setTimeout(() => {
    seen.answers = 0;
    const startUs = now();
    const cpu = process.cpuUsage();
    setTimeout(() => {
      report((now() - startUs) / US_PER_S, cpu);
      process.exit(0);
    }, measuredMs);
  }, warmUpMs);
}
