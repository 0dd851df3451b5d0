// From the options of `gatecrash load` to a scenario made in memory: no second engine, no file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Criterion, type Operand, operandsIn } from "../core/criterion.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import { shownUrl } from "../core/hiding.ts";
import { isLoopback } from "../core/loopback.ts";
import { measureInfo, quantileOf } from "../core/measures.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { DriverSpec, Load, Phase, Scenario } from "../core/scenario.ts";
import { parseDurationUs, parseRatePerSecond } from "../core/units.ts";
import { covers } from "../scenario/allow.ts";
import { parseOrigin } from "../wire/origin.ts";

export interface LoadOptions {
  readonly rate?: string;
  readonly connections?: number;
  readonly for: string;
  readonly ramp?: string;
  readonly expect: readonly string[];
  readonly method?: string;
  readonly header: readonly string[];
  readonly body?: string;
  readonly timeout: string;
  readonly lagP99: string;
  readonly inFlight: number;
  readonly allowHost: readonly string[];
}

export interface LoadRequest {
  readonly scenario: Scenario;
  /** The same as a file, with references in the place of header values. */
  readonly yaml: string;
  /** Environment variables that hold the header values. */
  readonly secrets: { readonly [name: string]: string };
  /** Asked arrivals per second at the full rate; null = a closed loop. */
  readonly perSecond: number | null;
}

const NAME = "load";
/** Stands where a scenario has its file: the n-th `--expect` is its n-th line. */
const FILE = "--expect";
const OK = [{ from: 200, to: 399 }];
const DRAIN_US = 10_000_000;
const BODY_FILE = "body.txt";

/**
 * `folder` takes the body, which is a file in every scenario. Throws `usage`, `scenario`, `input`
 * and `refused`: nothing has been sent then.
 */
export function loadRequest(url: string, options: LoadOptions, folder: string): LoadRequest {
  checkHost(url, options.allowHost);
  const { headers, secrets } = headersOf(options.header);
  const { driver, phases, perSecond } = driverOf(options);
  const endUs = phases.at(-1)!.endUs;
  const body = options.body === undefined ? null : bodyOf(options.body, folder);
  const method = options.method?.toUpperCase() ?? (body === null ? "GET" : "POST");
  const timeoutUs = parseDurationUs(options.timeout);
  const load: Load = {
    ...{ name: NAME, driver, body, ok: OK, during: null, startUs: 0, endUs },
    ...{ routes: [], writes: [], degraded: null, resend: null, ledger: null },
    target: { kind: "http", url, method, headers, timeoutUs },
    inFlightMax: options.inFlight,
  };
  const accept = criteriaOf(options.expect);
  const limits = {
    durationUs: endUs + timeoutUs + DRAIN_US,
    requests: Number.MAX_SAFE_INTEGER,
    inFlight: options.inFlight,
    undoUs: 0,
  };
  // A closed loop takes all the CPU that it gets: that is said beside its figures.
  const cpu = perSecond === null ? 1 : 0.9;
  const scenario: Scenario = {
    ...{ file: FILE, dir: process.cwd(), title: `${method} ${shownUrl(url)}`, seed: 1 },
    ...{ environment: "load", account: null, others: [], variants: [], variant: null },
    ...{ expect: null, template: null, scale: 1, stopWhen: [], stopAlarms: [] },
    ...{ limits, phases, loads: [load], faults: [], sinks: [], steady: [] },
    allow: { hosts: [url], change: [], lose: [] },
    generator: { lagP99Us: parseDurationUs(options.lagP99), dropped: 0, cpu },
    observe: { reports: [], accessLog: null, metricFunctions: [], metricAccount: false, waitUs: 0 },
    accept: accept.map(({ text }, at) => ({ text, line: at + 1 })),
    local: { concurrency: 1_000, unreservedMinimum: 100, scalingBucket: 1_000 },
    ...{ budgetUs: null, assumed: accept.length > options.expect.length ? [ERRORS_ADDED] : [] },
  };
  return { scenario, yaml: yamlOf(scenario, options), secrets, perSecond };
}

/** Whoever types a foreign host types it twice. */
function checkHost(url: string, allowed: readonly string[]): void {
  const { hostHeader } = parseOrigin(url);
  if (isLoopback(url) || allowed.some((host) => covers(host, url))) return;
  throw new GatecrashError("refused", `${hostHeader} is not this machine: nothing was sent`, {
    hint: `if it is yours to load, say so: --allow-host ${hostHeader}`,
  });
}

/** Values stay out of every file: the target reads them from the environment of its thread. */
function headersOf(texts: readonly string[]): {
  readonly headers: readonly (readonly [string, string])[];
  readonly secrets: { readonly [name: string]: string };
} {
  const secrets: { [name: string]: string } = {};
  const headers = texts.map((text, at): readonly [string, string] => {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new GatecrashError("usage", `--header number ${at + 1}: write it as "Name: value"`);
    if (value.includes("{{")) return [name, value];
    const variable = `GATECRASH_HEADER_${at + 1}`;
    secrets[variable] = value;
    return [name, `{{env.${variable}}}`];
  });
  return { headers, secrets };
}

interface Shape {
  readonly driver: DriverSpec;
  readonly phases: readonly Phase[];
  readonly perSecond: number | null;
}

function driverOf({ rate, connections, ramp, for: length }: LoadOptions): Shape {
  const fullUs = positiveUs("--for", length);
  if ((rate === undefined) === (connections === undefined)) {
    throw new GatecrashError("usage", "give one of --rate and --connections", {
      hint: "--rate 100/s never waits for answers; --connections 64 finds a ceiling",
    });
  }
  const rampUs = ramp === undefined ? 0 : positiveUs("--ramp", ramp);
  const full = { name: "full", startUs: rampUs, endUs: rampUs + fullUs };
  if (connections !== undefined) {
    if (rampUs > 0) throw new GatecrashError("usage", "--ramp is for --rate");
    const driver = { kind: "saturate", connections, with: "gatecrash" } as const;
    return { driver, phases: [full], perSecond: null };
  }
  const perSecond = parseRatePerSecond(rate!);
  if (perSecond === 0) throw new GatecrashError("usage", "--rate 0 sends nothing");
  const up = { fromPerSecond: 0, toPerSecond: perSecond, overUs: rampUs };
  const level = { fromPerSecond: perSecond, toPerSecond: perSecond, overUs: fullUs };
  const steps = rampUs > 0 ? [up, level] : [level];
  const rising = { name: "ramp", startUs: 0, endUs: rampUs };
  return {
    driver: { kind: "rate", steps, arrivals: "uniform", count: null },
    phases: rampUs > 0 ? [rising, full] : [full],
    perSecond,
  };
}

function positiveUs(option: string, text: string): number {
  const us = parseDurationUs(text);
  if (us > 0) return us;
  throw new GatecrashError("usage", `${option} ${text} is no time at all`);
}

/** `@file` is read, anything else is the body itself; `{{uuid}}` and its like are filled in. */
function bodyOf(text: string, folder: string): Load["body"] {
  const template = join(folder, BODY_FILE);
  try {
    const body = text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text;
    writeFileSync(template, body);
    return { template, why: "given on the command line; not kept, since it may be secret" };
  } catch (cause) {
    throw new GatecrashError("input", `--body: ${messageOf(cause)}`, { cause });
  }
}

const ERRORS_ADDED =
  "errors.rate <= 1%, since refusals that come fast make a dead system look fast";

/** Each text checked against what a load alone can answer for; a bound on errors beside times. */
function criteriaOf(texts: readonly string[]): Criterion[] {
  const given = texts.map((text, at) => {
    const criterion = parseCriterion(text, { file: FILE, line: at + 1 });
    for (const operand of operandsIn(criterion)) checkOperand(operand, criterion, at + 1);
    return criterion;
  });
  const bounded = given.filter(({ operand }) => operand.measure === "errors.rate").map(windowOf);
  const times = given.filter(({ operand }) => isTime(operand)).map(windowOf);
  const missing = [...new Set(times)].filter((window) => !bounded.includes(window));
  const added = missing.map((window) => parseCriterion(`errors.rate <= 1% ${window}`.trim()));
  return [...given, ...added];
}

const isTime = ({ measure }: Operand): boolean =>
  measure === "max" || (quantileOf(measure) !== null && !measure.startsWith("lag."));
const windowOf = ({ operand: { window } }: Criterion): string =>
  window?.kind === "during" ? `during ${window.name}` : "";

function checkOperand(operand: Operand, { text }: Criterion, line: number): void {
  const fail = (problem: string, hint: string): never => {
    const place = { file: FILE, line };
    throw new GatecrashError("scenario", `criterion \`${text}\`: ${problem}`, { hint, place });
  };
  const info = measureInfo(operand.measure)!;
  if (operand.function !== null || operand.argument !== null || !info.scopes.includes("load"))
    fail(`${operand.measure} is not known of a load alone`, KNOWN);
  if (info.joined) fail(`${operand.measure} is read from a platform's lines`, KNOWN);
  const stranger = operand.names.find((name) => name !== NAME);
  if (stranger !== undefined) fail(`there is no \`${stranger}\` here`, KNOWN);
  const { window } = operand;
  if (window === null || (window.kind === "during" && PHASES.includes(window.name))) return;
  fail("no such window here", `windows: ${PHASES.map((name) => `during ${name}`).join(", ")}`);
}

const PHASES = ["ramp", "full"];
const KNOWN = "a scenario file can ask for more; here: p99, service.p99, max, errors.rate, count";

/** What was run, for whoever finds the run directory; without values that may be secret. */
function yamlOf({ title, loads, accept, phases }: Scenario, options: LoadOptions): string {
  const { target, inFlightMax, body } = loads[0]!;
  if (target.kind !== "http") throw new Error("a load is sent over HTTP");
  const driver = options.rate === undefined ? "saturate" : "rate";
  const steps = [
    ...(options.ramp === undefined ? [] : [{ from: "0/s", to: options.rate, for: options.ramp }]),
    { at: options.rate, for: options.for },
  ];
  const spec = driver === "rate" ? { steps } : { connections: options.connections };
  const http = {
    ...{ url: shownUrl(target.url), method: target.method, timeout: options.timeout },
    ...(target.headers.length > 0 ? { headers: Object.fromEntries(target.headers) } : {}),
  };
  const bodied = body === null ? {} : { body: { template: BODY_FILE, why: body.why } };
  return stringify({
    gatecrash: 1,
    title,
    phases: phases.map(({ name, startUs, endUs }) => ({ [name]: `${(endUs - startUs) / 1e3}ms` })),
    loads: { [NAME]: { [driver]: spec, http, ...bodied, "in-flight": inFlightMax } },
    accept: accept.map(({ text }) => text),
  });
}
