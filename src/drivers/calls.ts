// Makes the calls of loads that invent their traffic: body template, target's kind, ledger.
import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Arrival, Call } from "../core/arrival.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Load } from "../core/scenario.ts";
import { fieldOf, ledgerReader, type ReadLedger } from "./ledger.ts";
import { compileTemplate, type Template } from "./template.ts";

/** Makes the arrival with this index and due time; calls must come in order of index. */
export type MakeArrival = (index: number, dueUs: Arrival["dueUs"]) => Arrival;

const NO_BODY: Template = () => "";

/**
 * One maker per pass over the arrivals: values are drawn in order, so each pass starts afresh.
 * An http call's path is empty: the target's URL is the whole address.
 */
export function callMaker(load: Load, rng: Rng, epochMs: number): () => MakeArrival {
  const template = load.body === null ? NO_BODY : compileTemplate(...textOf(load.body.template));
  const readLedger = ledgerReader(load);
  // A load that invents its traffic has one kind of call: its only route names it, if there is one.
  const route = load.routes.length === 1 ? 1 : 0;
  const pack = load.target.kind === "kinesis" ? load.target.pack : 1;
  return () => {
    const values = rng.fork("body");
    const same = sameCall(load);
    return (index, dueUs) => {
      if (same !== null) return { index, dueUs, route, call: same };
      const dueEpochMs = epochMs + dueUs / 1_000;
      const bodies: string[] = [];
      for (let seq = index * pack; seq < (index + 1) * pack; seq++)
        bodies.push(template({ seq, dueEpochMs, rng: values }));
      return arrivalOf(load, readLedger, { index, dueUs, route, bodies });
    };
  };
}

/** Without a body every call is the same one, so that a target makes its bytes once. */
function sameCall(load: Load): Call | null {
  const { target, body, ledger } = load;
  if (body !== null || ledger !== null) return null;
  return target.kind === "http" || target.kind === "lambda" ? callOf(load, "", "") : null;
}

interface Made {
  readonly index: number;
  readonly dueUs: Arrival["dueUs"];
  readonly route: number;
  /** One, or the events of a packed record. */
  readonly bodies: readonly string[];
}

function arrivalOf(load: Load, readLedger: ReadLedger, made: Made): Arrival {
  const { index, dueUs, route, bodies } = made;
  const events = load.ledger === null ? [] : bodies.map((body) => readLedger(body)!);
  const [ledger] = events;
  const call = callOf(load, bodies.join("\n"), keyOf(load, bodies[0]!, ledger?.id ?? `${index}`));
  if (ledger === undefined) return { index, dueUs, route, call };
  if (events.length === 1) return { index, dueUs, route, call, ledger };
  return { index, dueUs, route, call, ledger, events };
}

/** Of a packed record: its first event's. */
function keyOf({ target, name }: Load, body: string, id: string): string {
  if (target.kind !== "kinesis" || target.key === null) return id;
  return fieldOf(body, target.key, name);
}

function callOf(load: Load, body: string, key: string): Call {
  const { target } = load;
  switch (target.kind) {
    case "http": {
      const hasBody = load.body !== null;
      return {
        kind: "http",
        method: target.method ?? (hasBody ? "POST" : "GET"),
        path: "",
        headers: hasBody ? contentType(load, body) : [],
        body: hasBody ? Buffer.from(body, "utf8") : null,
      };
    }
    case "lambda":
      return { kind: "invoke", payload: Buffer.from(body === "" ? "{}" : body, "utf8") };
    default:
      return { kind: "item", key, data: Buffer.from(body, "utf8") };
  }
}

/** JSON says so, unless the target's own headers name a type. */
export function contentType(load: Load, body: string): (readonly [string, string])[] {
  const named =
    load.target.kind === "http" &&
    load.target.headers.some(([name]) => name.toLowerCase() === "content-type");
  return named || !/^\s*[[{]/.test(body) ? [] : [["content-type", "application/json"]];
}

/** Text of a template and its file: an absolute path is read, anything else is the text itself. */
function textOf(template: string): [string, string | null] {
  if (!isAbsolute(template)) return [template, null];
  try {
    return [readFileSync(template, "utf8").trimEnd(), template];
  } catch (cause) {
    throw new GatecrashError("scenario", `cannot read the body template: ${messageOf(cause)}`, {
      place: { file: template },
      cause,
    });
  }
}
