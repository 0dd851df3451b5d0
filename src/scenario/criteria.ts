// The criteria of a scenario: each must parse, and name only what the scenario has.
import { type Criterion, type Operand, operandsIn, type WindowRef } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import { type LiveUse, type MeasureScope, measureInfo } from "../core/measures.ts";
import { didYouMean } from "../core/nearest.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { CriterionText, StopAlarm } from "../core/scenario.ts";
import { versionOfName } from "../core/version-name.ts";
import type { Known } from "./names.ts";
import type { Source } from "./source.ts";

export type CriteriaKey = LiveUse | "accept";

export interface PlacedCriterion {
  readonly key: CriteriaKey;
  readonly index: number;
  readonly criterion: Criterion;
}

/** Every criterion that can be read, straight from the data: also when the rest is out of shape. */
export function parseCriteria(source: Source): PlacedCriterion[] {
  const data = source.data as { readonly [key: string]: unknown } | null | undefined;
  return (["steady", "stop-when", "accept"] as const).flatMap((key) => {
    const texts = data?.[key];
    if (!Array.isArray(texts)) return [];
    return texts.flatMap((text: unknown, index) => {
      if (typeof text !== "string") return [];
      try {
        const place = source.place([key, index]);
        return [{ key, index, criterion: parseCriterion(text, place) }];
      } catch (error) {
        if (!(error instanceof GatecrashError)) throw error;
        source.add(error);
        return [];
      }
    });
  });
}

export function criterionTexts(
  source: Source,
  key: CriteriaKey,
  texts: readonly (string | object)[] | undefined,
): CriterionText[] {
  return (texts ?? []).flatMap((text, i) =>
    typeof text === "string" ? [{ text, line: source.place([key, i]).line ?? 1 }] : [],
  );
}

/** The conditions that are alarms of CloudWatch, not criteria. */
export function stopAlarmsOf(
  source: Source,
  conditions: readonly (string | { readonly alarm: string })[] | undefined,
): StopAlarm[] {
  return (conditions ?? []).flatMap((one, i) =>
    typeof one === "string"
      ? []
      : [{ alarm: one.alarm, line: source.place(["stop-when", i]).line ?? 1 }],
  );
}

/** Complains about every name, window and measure that this scenario cannot answer for. */
export function checkCriteria(
  source: Source,
  placed: readonly PlacedCriterion[],
  known: Known,
): void {
  for (const { key, index, criterion } of placed) {
    const fail = (problem: string, hint?: string): void =>
      source.fail([key, index], `criterion \`${criterion.text}\`: ${problem}`, hint);
    for (const operand of operandsIn(criterion)) checkOperand(operand, known, fail);
    if (key !== "accept") checkLive(key, criterion, known, fail);
  }
}

type Fail = (problem: string, hint?: string) => void;

function checkOperand(operand: Operand, known: Known, fail: Fail): void {
  if (operand.window !== null) checkWindow(operand.window, known, fail);
  if (operand.argument !== null && !known.faulted.includes(operand.argument))
    fail(
      `no fault is in force in \`${operand.argument}\``,
      didYouMean(operand.argument, known.faulted),
    );
  if (operand.function !== null) checkFunction(operand, operand.function, known, fail);
  const scope = checkPath(operand, known, fail);
  if (scope === null || operand.function !== null || operand.argument !== null) return;
  const { scopes } = measureInfo(operand.measure)!;
  if (!scopes.includes(scope))
    fail(`${operand.measure} is no measure of a ${scope}`, `it is one of: ${scopes.join(", ")}`);
}

function checkWindow(window: WindowRef, known: Known, fail: Fail): void {
  const name = window.kind === "during" ? window.name : window.after;
  if (known.windows.includes(name)) return;
  fail(`unknown window \`${name}\``, didYouMean(name, known.windows) ?? "give `phases:`");
}

function checkFunction(operand: Operand, output: string, known: Known, fail: Fail): void {
  const { joined } = measureInfo(operand.measure)!;
  const key = joined ? "reports" : "metrics";
  const observed = joined ? known.reported : known.measured;
  if (observed.includes(output)) return;
  const elsewhere = joined ? known.measured : known.reported;
  const add = `add {{outputs.${output}}} to observe.${key}.functions`;
  const hint = elsewhere.includes(output) ? add : (didYouMean(output, observed) ?? add);
  fail(`function \`${output}\` is not observed`, hint);
}

const STARTS = ["cold", "warm"];

/** What the names before the measure are, together; null when that has been complained about. */
function checkPath(operand: Operand, known: Known, fail: Fail): MeasureScope | null {
  const [first] = operand.names;
  if (first === "account") {
    if (!known.account)
      fail("the account is not observed", "add `account: true` to observe.metrics");
    return operand.names.length === 1 ? "account" : wrongPath(operand, fail);
  }
  if (first !== undefined && known.sinks.includes(first))
    return operand.names.length === 1 ? "sink" : wrongPath(operand, fail);
  if (first !== undefined && known.queues.includes(first))
    return operand.names.length === 1 ? "queue" : wrongPath(operand, fail);
  const kinds = operand.names.map((name) => kindOf(name, known));
  for (const [i, kind] of kinds.entries()) {
    const name = operand.names[i]!;
    if (kind === null) fail(`unknown name \`${name}\``, didYouMean(name, spellings(known)));
    if (kind === "reference") fail("no load has a reference");
    if (kind === "recorded" && !known.replays) fail("only a replay has recorded answers");
  }
  if (kinds.includes(null)) return null;
  if (operand.measure === "agreement" && !known.replays)
    fail("agreement is with recorded answers, and only a replay has them");
  if (kinds.includes("recorded")) checkRecorded(operand, kinds, fail);
  const load = operand.names.find((name) => known.loads.has(name));
  const route = operand.names.find((_, i) => kinds[i] === "route");
  const strays =
    load !== undefined && route !== undefined && !known.loads.get(load)!.includes(route);
  if (strays)
    fail(`load \`${load}\` has no route \`${route}\``, didYouMean(route, known.loads.get(load)!));
  return new Set(kinds).size === kinds.length ? "load" : wrongPath(operand, fail);
}

/** A capture says when an answer came, how long it took and its status; seldom more. */
function checkRecorded({ measure }: Operand, kinds: readonly (string | null)[], fail: Fail): void {
  if (kinds.includes("start") || kinds.includes("version"))
    fail("what was recorded is not told apart by start or version");
  if (!/^(p\d+|max|count|errors\.rate)$/.test(measure))
    fail(`no capture says ${measure}`, "recorded has p50 … p9999, max, count and errors.rate");
}

function wrongPath(operand: Operand, fail: Fail): null {
  fail(`\`${operand.names.join(".")}\` names two things of one kind`);
  return null;
}

function kindOf(name: string, known: Known): string | null {
  if (known.loads.has(name)) return "load";
  if ([...known.loads.values()].some((routes) => routes.includes(name))) return "route";
  if (STARTS.includes(name)) return "start";
  if (["candidate", "reference", "recorded"].includes(name)) return name;
  return versionOfName(name) === null ? null : "version";
}

function spellings(known: Known): string[] {
  const routes = [...known.loads.values()].flat();
  const seen = [...known.sinks, ...known.queues];
  return [...known.loads.keys(), ...routes, ...seen, ...STARTS, "account", "recorded"];
}

/**
 * `steady` and `stop-when` are judged while the run goes on, from live counters over a fixed time.
 */
function checkLive(key: LiveUse, criterion: Criterion, known: Known, fail: Fail): void {
  const over = key === "steady" ? "`before` and again after a fault" : "the last 10 s";
  if (criterion.primary) fail("only criteria of `accept` can be primary");
  if (criterion.operand.window !== null) fail(`it is looked at over ${over}: no window here`);
  for (const operand of operandsIn(criterion)) checkCounted(key, operand, known, fail);
  if (key === "stop-when" && criterion.expr.kind !== "number") fail("the limit must be a number");
}

function checkCounted(key: LiveUse, operand: Operand, known: Known, fail: Fail): void {
  const { measure, names } = operand;
  const { scopes, live } = measureInfo(measure)!;
  const other = names.find((name) => !["load", "route", null].includes(kindOf(name, known)));
  if (!scopes.includes("load") || operand.function !== null)
    fail(`${measure} is not known while the run goes on`);
  else if (names.some((name) => versionOfName(name) !== null))
    fail("which version answered is not known while the run goes on");
  else if (key === "stop-when" && (!live.includes(key) || names.length > 1))
    fail("only whole loads' live counters can stop a run", `one of ${STOPPING}`);
  else if (!live.includes(key))
    fail(`${measure} is not known while the run goes on`, `these are: ${SHOWING}`);
  else if (other !== undefined) fail(`${other}.${measure} is not known while the run goes on`);
}

const STOPPING = "errors.rate, unknown.rate, throttles[.rate], count, dropped, in-flight";
const SHOWING = `p50 … p9999, lag.p50 …, ${STOPPING}, degraded.rate, amplification`;
