// What local AWS can bear, and that it admits exactly what its limits say, over the wire.
import { US_PER_S } from "../src/core/time.ts";
import { type Offered, offer, startBare, startSystem } from "./peers/local-system.ts";
import { quantile } from "./peers/processes.ts";
import type { Sample } from "./peers/samples.ts";

/**
 * Counts itself in the one process that all environments of a function share, and says how long it
 * worked by its own clock.
 */
const handler = (workMs: number, init = ""): string => `
import { setTimeout as wait } from "node:timers/promises";
import { performance } from "node:perf_hooks";
${init}
globalThis.busy ??= 0;
globalThis.states = (globalThis.states ?? 0) + 1;
const state = String(globalThis.states);
export const handler = async () => {
  const startMs = performance.now();
  globalThis.busy++;
  const busy = globalThis.busy;
  await wait(${workMs});
  globalThis.busy--;
  const us = Math.round((performance.now() - startMs) * 1000);
  const headers = { "x-work-us": String(us), "x-busy": String(busy), "x-state": state };
  return { statusCode: 200, headers, body: "{}" };
};
`;

const WITH_SDK = `
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
export const client = new DynamoDBClient({});
`;

const atOnce = (count: number): number[] => Array.from({ length: count }, () => 0);
const atRate = (perSecond: number, seconds: number): number[] =>
  Array.from({ length: perSecond * seconds }, (_, i) => (i * US_PER_S) / perSecond);
const n = (value: number): string => Math.round(value).toLocaleString("en");
const ms = (us: number): string => `${(us / 1_000).toFixed(2)} ms`;
const kept = (holds: boolean): string => (holds ? "kept" : "MISSED");
const of = (samples: readonly Sample[], outcome: Sample["outcome"]): Sample[] =>
  samples.filter((one) => one.outcome === outcome);
const mostBusy = (samples: readonly Sample[]): number =>
  samples.reduce((most, one) => Math.max(most, one.busy), 0);

/** Prints each figure beside what is promised of it. */
export async function benchLocalAws(): Promise<void> {
  await admitsConcurrency();
  await admitsRate();
  await addsLittle();
  await holdsBusy();
  await holdsMany();
}

/** So many at once, and never one more. */
async function admitsConcurrency(): Promise<void> {
  for (const limit of [1, 50, 400]) {
    await using system = await startSystem({ code: handler(1_000), reserved: limit, ...QUOTA });
    const samples = await offer(system, atOnce(limit * 2), 10_000);
    const [ok, refused] = [of(samples, "ok"), of(samples, "throttled")];
    const holds =
      ok.length === limit && ok.length + refused.length === limit * 2 && mostBusy(samples) <= limit;
    console.log(
      `concurrency ${n(limit)}, ${n(limit * 2)} at once: ${n(ok.length)} accepted + ` +
        `${n(refused.length)} refused, ${n(mostBusy(samples))} busy at most: ${kept(holds)}`,
    );
  }
}

const QUOTA = { concurrency: 3_000 };
const OFFERED_S = 8;

/** Ten a second for each unit of concurrency, within 2 %, whole seconds after the first. */
async function admitsRate(): Promise<void> {
  for (const limit of [10, 40, 100]) {
    await using system = await startSystem({ code: handler(5), reserved: limit, ...QUOTA });
    const perSecond = limit * 15;
    const samples = await offer(system, atRate(perSecond, OFFERED_S), 10_000);
    const later = of(samples, "ok").filter(({ dueUs }) => dueUs >= US_PER_S);
    const found = later.length / (OFFERED_S - 1);
    const sum = of(samples, "ok").length + of(samples, "throttled").length;
    const holds = Math.abs(found / (limit * 10) - 1) <= 0.02 && sum === samples.length;
    console.log(
      `${n(limit * 10)}/s allowed, ${n(perSecond)}/s offered: ${n(found)}/s accepted, ` +
        `${n(sum)} of ${n(samples.length)} answered: ${kept(holds)}`,
    );
  }
}

interface Added {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly notOk: number;
  readonly busy: number;
}

async function added(system: Offered, perSecond: number, seconds: number): Promise<Added> {
  const samples = await offer(system, atRate(perSecond, seconds), 2_000);
  // The first second starts the environments.
  const ok = of(samples, "ok").filter(({ dueUs }) => dueUs >= US_PER_S);
  const extra = ok.map(({ serviceUs, workUs }) => serviceUs - workUs);
  return {
    p50Us: quantile(extra, 0.5),
    p99Us: quantile(extra, 0.99),
    notOk: samples.length - of(samples, "ok").length,
    busy: mostBusy(samples),
  };
}

/** Of several rounds; one moment of somebody else's would decide a single one. */
function medianOf(rounds: readonly Added[]): Added {
  const middle = (of: (one: Added) => number): number => quantile(rounds.map(of), 0.5);
  return {
    p50Us: middle((one) => one.p50Us),
    p99Us: middle((one) => one.p99Us),
    notOk: Math.max(...rounds.map((one) => one.notOk)),
    busy: Math.max(...rounds.map((one) => one.busy)),
  };
}

const WORK_MS = 120;
const ADDED_MAX_US = 5_000;
const ROUNDS = 5;
const ROUND_S = 5;
/** Where even a bare server adds this much at p99, the machine is busy with others. */
const BARE_MAX_US = 3_000;

/**
 * Beside the handler's own timer, and beside the same handler behind node:http alone, in turns: at
 * 1,500 a second, and the highest rate at which it is so.
 */
async function addsLittle(): Promise<void> {
  const code = handler(WORK_MS);
  await using system = await startSystem({ code, ...QUOTA });
  await using bare = await startBare(code);
  for (const each of [system, bare]) await added(each, 1_500, 3); // compiles
  let highest = 0;
  for (const perSecond of [1_500, 2_000, 2_500, 3_000, 3_500, 4_000]) {
    const rounds: Added[] = [];
    const bareRounds: Added[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await added(system, perSecond, ROUND_S));
      bareRounds.push(await added(bare, perSecond, ROUND_S));
    }
    const found = medianOf(rounds);
    const alone = medianOf(bareRounds);
    const clean = found.notOk === 0 && found.p99Us <= ADDED_MAX_US;
    if (clean) highest = perSecond;
    const disturbed = !clean && alone.p99Us > BARE_MAX_US;
    const word = disturbed ? "NOT JUDGED, the machine is busy with others" : kept(clean);
    const promise = perSecond === 1_500 ? `: ${word}` : clean ? "" : ": not clean";
    console.log(
      `${n(perSecond)}/s of a ${WORK_MS} ms handler, ${n(found.busy)} busy: adds ` +
        `${ms(found.p50Us)} at p50, ${ms(found.p99Us)} at p99 (node:http alone ` +
        `${ms(alone.p50Us)}, ${ms(alone.p99Us)}; rounds ${spread(rounds)}), ` +
        `${n(found.notOk)} dropped or not ok${promise}`,
    );
    if (!clean && perSecond > 1_500) break;
  }
  console.log(`highest clean rate: ${n(highest)}/s`);
}

/** Least and most p99. */
function spread(rounds: readonly Added[]): string {
  const all = rounds.map(({ p99Us }) => p99Us);
  return `${ms(Math.min(...all))} to ${ms(Math.max(...all))}`;
}

const BUSY = 600;
const BUSY_MS = 10_000;

async function holdsBusy(): Promise<void> {
  await using system = await startSystem({ code: handler(BUSY_MS), ...QUOTA });
  const samples = await offer(system, atOnce(BUSY), 10_000);
  const ok = of(samples, "ok").length;
  const late = samples.map(({ serviceUs, workUs }) => serviceUs - workUs);
  const holds = ok === BUSY && mostBusy(samples) === BUSY;
  console.log(
    `${n(BUSY)} environments busy for ${BUSY_MS / 1_000} s: ${n(ok)} ok, ` +
      `${n(mostBusy(samples))} at once, start and answer ${ms(quantile(late, 0.99))} at p99: ` +
      kept(holds),
  );
}

const MANY = 2_000;
const MANY_MS = 8_000;
const MEMORY_MAX_MB = 1_024;

/** Each with its own module state, an SDK client made at init, and one answered invoke. */
async function holdsMany(): Promise<void> {
  await using system = await startSystem({ code: handler(MANY_MS, WITH_SDK), ...QUOTA });
  const samples = await offer(system, atOnce(MANY), 10_000);
  const states = new Set(of(samples, "ok").map(({ state }) => state)).size;
  const memoryMb = system.residentMb();
  const holds = states === MANY && !(memoryMb >= MEMORY_MAX_MB);
  console.log(
    `${n(MANY)} environments with an SDK client each: ${n(states)} different module states ` +
      `answered, ${n(memoryMb)} MB in all processes: ${kept(holds)}`,
  );
}
