// Closes `{{outputs.X}}` once the system is known, then checks the allow-list: before anything is
// sent.
import { existsSync, readFileSync } from "node:fs";
import { GatecrashError } from "../core/error.ts";
import { didYouMean } from "../core/nearest.ts";
import type { NotifySpec } from "../core/notice.ts";
import type {
  AuthSpec,
  FaultSpec,
  Load,
  Scenario,
  SinkInputValue,
  SinkSpec,
  TargetSpec,
} from "../core/scenario.ts";
import { checkAllowed } from "./allow.ts";
import { replaceReferences } from "./refs.ts";

export interface Resolution {
  readonly outputs: { readonly [name: string]: string };
  readonly env: { readonly [name: string]: string | undefined };
}

/**
 * The scenario with outputs and, outside headers, `{{env.X}}` filled in; headers keep `{{env.X}}`
 * and
 * `{{secret.…}}` for the target, so that no file ever holds them. Throws an AggregateError of
 * GatecrashErrors: "scenario" for what is not there, "refused" for what is not in `allow`.
 */
export function resolveScenario(scenario: Scenario, resolution: Resolution): Scenario {
  const errors: GatecrashError[] = [];
  const close = (text: string, line?: number): string =>
    closeText(text, resolution, (message, hint, reference) => {
      const at = line ?? lineOf(scenario.file, reference);
      const place = { file: scenario.file, ...(at === undefined ? {} : { line: at }) };
      errors.push(new GatecrashError("scenario", message, { hint, place }));
    });
  const closed = closeAll(scenario, close);
  if (errors.length === 0) errors.push(...checkAllowed(closed));
  const different = [...new Map(errors.map((error) => [error.render(), error])).values()];
  if (different.length === 0) return closed;
  const refused = different.some(({ code }) => code === "refused");
  const what = refused ? "refused: nothing was sent" : "references that cannot be resolved";
  throw new AggregateError(different, `${scenario.file}: ${what}`);
}

/** Where it stands first: what knows no line of its own, such as `allow`, comes before the rest. */
function lineOf(file: string, reference: string): number | undefined {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const at = lines.findIndex((text) =>
    text.replaceAll(/(\{\{) +| +(\}\})/g, "$1$2").includes(reference),
  );
  return at < 0 ? undefined : at + 1;
}

type Close = (text: string, line?: number) => string;

function closeText(
  text: string,
  { outputs, env }: Resolution,
  fail: (message: string, hint: string, reference: string) => void,
): string {
  return replaceReferences(text, (kind, name) => {
    if (kind === "outputs") {
      if (Object.hasOwn(outputs, name)) return outputs[name];
      fail(
        `there is no output \`${name}\``,
        didYouMean(name, Object.keys(outputs)) ?? "the template has no Outputs",
        `{{outputs.${name}}}`,
      );
    } else if (kind === "env") {
      if (env[name] !== undefined) return env[name];
      fail(`the environment variable ${name} is not set`, `set ${name}`, `{{env.${name}}}`);
    }
    return undefined;
  });
}

function closeAll(scenario: Scenario, close: Close): Scenario {
  const { allow, observe, notify, muteAlarms: mute } = scenario;
  const each = (texts: readonly string[]): string[] => texts.map((text) => close(text));
  return {
    ...scenario,
    allow: {
      hosts: each(allow.hosts),
      change: each(allow.change),
      lose: each(allow.lose),
    },
    loads: scenario.loads.map((load) => closeLoad(load, close)),
    faults: scenario.faults.map((fault) => closeFault(fault, close)),
    sinks: scenario.sinks.map((sink) => closeSink(sink, close)),
    stopAlarms: scenario.stopAlarms.map(({ alarm, line }) => ({ alarm: close(alarm, line), line })),
    ...(mute === undefined ? {} : { muteAlarms: { ...mute, alarms: each(mute.alarms) } }),
    ...(notify === undefined ? {} : { notify: notify.map((one) => closeNotify(one, close)) }),
    observe: {
      ...observe,
      reports: each(observe.reports),
      accessLog: observe.accessLog === null ? null : close(observe.accessLog),
      metricFunctions: each(observe.metricFunctions),
      ...(observe.queues === undefined ? {} : { queues: closeValues(observe.queues, close) }),
    },
  };
}

function closeValues(texts: { readonly [name: string]: string }, close: Close) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, close(text)]));
}

function closeLoad(load: Load, close: Close): Load {
  const { cleanUp, line } = load;
  const closed = { ...load, target: closeTarget(load, close) };
  if (cleanUp === undefined) return closed;
  return { ...closed, cleanUp: { ...cleanUp, queue: close(cleanUp.queue, line) } };
}

function closeTarget({ target, line }: Load, close: Close): TargetSpec {
  if (target.kind === "kinesis") return { ...target, stream: close(target.stream, line) };
  if (target.kind === "sqs") return { ...target, queue: close(target.queue, line) };
  if (target.kind === "lambda") return { ...target, function: close(target.function, line) };
  const headers = target.headers.map(
    ([name, value]) => [name, closeOutputs(value, close, line)] as const,
  );
  const { auth } = target;
  const closed = { ...target, url: close(target.url, line), headers };
  if (auth === undefined) return closed;
  const texts = Object.entries(auth).map(([key, value]) => [
    key,
    typeof value === "string" ? closeOutputs(value, close, line) : value,
  ]);
  return { ...closed, auth: Object.fromEntries(texts) as AuthSpec };
}

/** Header values: only outputs are closed; what may be secret stays a reference. */
function closeOutputs(text: string, close: Close, line: number | undefined): string {
  return replaceReferences(text, (kind, name) =>
    kind === "outputs" ? close(`{{outputs.${name}}}`, line) : undefined,
  );
}

function closeFault(fault: FaultSpec, close: Close): FaultSpec {
  const input = Object.entries(fault.input).map(([key, value]) => [
    key,
    typeof value === "string" ? close(value, fault.line) : value,
  ]);
  return { ...fault, input: Object.fromEntries(input) as FaultSpec["input"] };
}

/** What may be secret stays a reference. */
function closeNotify(one: NotifySpec, close: Close): NotifySpec {
  const { to, line } = one;
  if (to.kind === "eventbridge") return { ...one, to: { ...to, bus: close(to.bus, line) } };
  const outputs = (text: string): string => closeOutputs(text, close, line);
  const headers = to.headers.map(([name, value]) => [name, outputs(value)] as const);
  return { ...one, to: { ...to, url: outputs(to.url), headers } };
}

function closeSink(sink: SinkSpec, close: Close): SinkSpec {
  const closeValue = (key: string, value: SinkInputValue): SinkInputValue => {
    if (typeof value === "string") return close(value, sink.line);
    if (isList(value)) return value.map((text) => close(text, sink.line));
    const closed = Object.entries(value).map(([name, text]) => {
      return [
        name,
        key === "headers" ? closeOutputs(text, close, sink.line) : close(text, sink.line),
      ];
    });
    return Object.fromEntries(closed) as { [name: string]: string };
  };
  const input = Object.entries(sink.input).map(([key, value]) => [key, closeValue(key, value)]);
  return { ...sink, input: Object.fromEntries(input) as SinkSpec["input"] };
}

const isList = (value: SinkInputValue): value is readonly string[] => Array.isArray(value);
