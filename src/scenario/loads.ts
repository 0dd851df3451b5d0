// Raw loads → Load: one driver, one target, what may be written, how answers are read.
import { isMutating } from "../core/capture.ts";
import { didYouMean } from "../core/nearest.ts";
import type { Load, Resend, SmokeSpec, TargetSpec } from "../core/scenario.ts";
import { driverOf } from "./drivers.ts";
import { httpOf } from "./http-target.ts";
import { DRIVERS, type RawLoad, type RawResend, TARGETS } from "./load-schema.ts";
import { existingFile, onlyOne, phaseNamed, type Reading, scaledCount } from "./reading.ts";
import type { Path } from "./source.ts";

const DEFAULT_TIMEOUT_US = 30_000_000; // what an API Gateway integration waits at most, and a bit
const DEFAULT_LINGER_US = 100_000;
const DEFAULT_OK = [{ from: 200, to: 399 }];

/** Every load of the file that makes sense; the others have left a complaint. */
export function loadsOf(reading: Reading, resends: { [load: string]: RawResend }): Load[] {
  const entries = Object.entries(reading.raw.loads);
  if (entries.length === 0) reading.source.fail(["loads"], "there is no load");
  return entries.flatMap(([name, raw]) => {
    const override = Object.hasOwn(resends, name) ? resends[name] : undefined;
    return loadOf(reading, name, override === undefined ? raw : { ...raw, resend: override }) ?? [];
  });
}

function loadOf(reading: Reading, name: string, raw: RawLoad): Load | null {
  const { source, limits, scale } = reading;
  const at = ["loads", name];
  const driverKind = onlyOne(source, at, raw, DRIVERS, "driver");
  const targetKind = onlyOne(source, at, raw, TARGETS, "target");
  const phase =
    raw.during === undefined ? null : phaseNamed(reading, [...at, "during"], raw.during);
  if (driverKind === null || targetKind === null) return null;
  const end = phase?.endUs ?? reading.phases.at(-1)?.endUs ?? null;
  const span = { startUs: phase?.startUs ?? 0, endUs: end };
  const timed = driverOf(reading, at, raw, driverKind, span);
  if (timed === null) return null;
  const inFlight = raw["in-flight"];
  const load: Load = {
    name,
    driver: timed.driver,
    target: targetOf(reading, at, raw, { kind: targetKind, replay: driverKind === "replay" }),
    ...routesOf(reading, at, raw),
    body: bodyOf(reading, at, raw),
    ok: raw.ok?.status.map(statusRange) ?? DEFAULT_OK,
    degraded: raw.degraded ? { ...raw.degraded, value: raw.degraded.value ?? null } : null,
    ...joinOf(reading, at, raw),
    resend: raw.resend === undefined ? null : resendOf(raw.resend),
    ledger: raw.ledger ?? null,
    during: raw.during ?? null,
    startUs: span.startUs,
    endUs: timed.endUs,
    inFlightMax: inFlight === undefined ? limits.inFlight : scaledCount(inFlight, scale),
    ...(raw.smoke === undefined ? {} : { smoke: smokeOf(raw.smoke) }),
    ...(raw.duplicates === undefined ? {} : { duplicates: raw.duplicates }),
    ...cleanUpOf(reading, at, raw),
    line: source.keyPlace(at).line ?? 1,
  };
  checkWrites(reading, at, load);
  checkClosedLoop(reading, at, load);
  return load;
}

function targetOf(
  reading: Reading,
  at: Path,
  raw: RawLoad,
  { kind, replay }: { readonly kind: TargetSpec["kind"]; readonly replay: boolean },
): TargetSpec {
  const timeoutUs = raw[kind]?.timeout ?? DEFAULT_TIMEOUT_US;
  if (kind === "kinesis") return streamOf(raw.kinesis!, timeoutUs);
  if (kind === "sqs") {
    const { queue, linger: lingerUs = DEFAULT_LINGER_US } = raw.sqs!;
    return { kind, queue, timeoutUs, lingerUs };
  }
  if (kind === "http") return httpOf(reading, [...at, kind], raw.http!, { replay, timeoutUs });
  const { function: name, invocation = "sync" } = raw.lambda!;
  return { kind, function: name, invocation, timeoutUs };
}

const BYTES_PER_KIB = 1_024;

/** What one call may carry are AWS's constants: `scale` does not change them. */
const streamOf = (raw: NonNullable<RawLoad["kinesis"]>, timeoutUs: number): TargetSpec => ({
  kind: "kinesis",
  stream: raw.stream,
  timeoutUs,
  key: raw.key ?? null,
  lingerUs: raw.linger ?? DEFAULT_LINGER_US,
  recordsMax: raw.records ?? 500,
  recordBytesMax: (raw["max-record-kib"] ?? 1_024) * BYTES_PER_KIB,
  pack: raw.pack ?? 1,
});

function routesOf(reading: Reading, at: Path, raw: RawLoad): Pick<Load, "routes" | "writes"> {
  const { source } = reading;
  const routes = Object.entries(raw.routes ?? {}).map(([name, route]) => {
    const [method = "", path = ""] = route.split(" ");
    return { name, method, path };
  });
  const writes = Object.entries(raw.writes ?? {}).map(([route, { body, why }]) => {
    const path = [...at, "writes", route];
    if (!routes.some(({ name }) => name === route)) {
      const hint = didYouMean(
        route,
        routes.map(({ name }) => name),
      );
      source.fail(path, `writes of an unknown route \`${route}\``, hint ?? "give `routes:`");
    }
    return { route, body: existingFile(source, [...path, "body"], body), why };
  });
  return { routes, writes };
}

function bodyOf({ source }: Reading, at: Path, raw: RawLoad): Load["body"] {
  if (raw.body === undefined) return null;
  const { template, why } = raw.body;
  return { template: existingFile(source, [...at, "body", "template"], template), why };
}

/** A trace id is the last resort: it needs a REST front, active tracing, and luck in sampling. */
function joinOf(
  { source, raw: { observe } }: Reading,
  at: Path,
  raw: RawLoad,
): Pick<Load, "joinBy"> {
  const { "request-id": echo, http } = raw;
  if (echo !== undefined) {
    if (http === undefined)
      source.fail([...at, "request-id"], "only an answer to `http` has headers", "leave it out");
    return { joinBy: { header: echo.header.toLowerCase() } };
  }
  const wanted = observe?.reports !== undefined && observe["access-log"] === undefined;
  return http !== undefined && wanted ? { joinBy: "trace" } : {};
}

function resendOf(raw: RawResend): Resend {
  return {
    attempts: raw.attempts,
    on: raw.on ?? ["throttled", "errored"],
    backoffUs: raw.backoff ?? 100_000,
    maxUs: raw.max ?? 30_000_000,
    jitter: raw.jitter ?? "full",
    ...(raw["retry-after"] === undefined ? {} : { retryAfter: raw["retry-after"] }),
  };
}

const smokeOf = ({ status, off }: NonNullable<RawLoad["smoke"]>): SmokeSpec => ({
  status: status?.map(statusRange) ?? null,
  off: off ?? null,
});

const CLEAN_UP_QUIET_US = 5_000_000;
const CLEAN_UP_AT_MOST_US = 60_000_000;

/** Only what a stream or a queue says it has stored can be known again in a message. */
function cleanUpOf({ source }: Reading, at: Path, raw: RawLoad): Pick<Load, "cleanUp"> {
  const given = raw["clean-up"];
  if (given === undefined) return {};
  const path = [...at, "clean-up"];
  if (raw.kinesis === undefined && raw.sqs === undefined)
    source.fail(path, "`clean-up` is for loads to kinesis or sqs", "leave it out");
  const quietUs = given.settle?.quiet ?? CLEAN_UP_QUIET_US;
  const atMostUs = given.settle?.["at-most"] ?? Math.max(quietUs, CLEAN_UP_AT_MOST_US);
  if (atMostUs < quietUs) source.fail([...path, "settle"], "`at-most` is shorter than `quiet`");
  return { cleanUp: { queue: given.queue, quietUs, atMostUs } };
}

function statusRange(status: number | string): { from: number; to: number } {
  const [from = 0, to = from] = String(status).split("-").map(Number);
  return { from, to };
}

/** Nothing is written by accident: a body and a reason, or no mutating request. */
function checkWrites({ source }: Reading, at: Path, load: Load): void {
  const replay = load.driver.kind === "replay";
  if (replay && load.body !== null)
    source.fail([...at, "body"], "a replay takes bodies from `writes:`");
  if (!replay && load.writes.length > 0)
    source.fail([...at, "writes"], "`writes:` is for replays", "give the load a `body:`");
  if (replay && load.target.kind !== "http")
    source.fail(at, `a capture of requests cannot be sent to ${load.target.kind}`);
  if (load.body !== null || replay) return;
  const method = load.target.kind === "http" ? load.target.method : "POST";
  if (method === null || !isMutating(method)) return;
  const what = load.target.kind === "http" ? method : load.target.kind;
  source.fail(
    at,
    `load \`${load.name}\` writes (${what}) without saying what`,
    "give `body: { template: <file>, why: <reason> }`",
  );
}

/** A closed loop sends one call for each answer; its cross-check sends one and the same. */
function checkClosedLoop({ source }: Reading, at: Path, { driver, target, body }: Load): void {
  if (driver.kind !== "saturate") return;
  const path = [...at, "saturate"];
  if (target.kind === "kinesis" || target.kind === "sqs")
    source.fail(path, `a closed loop cannot be sent to ${target.kind}`, "use `http` or `lambda`");
  if (driver.with === "gatecrash") return;
  if (target.kind !== "http")
    source.fail([...path, "with"], `autocannon cannot send to ${target.kind}`, "use `http`");
  if (body !== null)
    source.fail([...path, "with"], "autocannon would write the same body again and again");
}
