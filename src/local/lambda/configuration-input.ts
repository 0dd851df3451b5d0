// The members of UpdateFunctionConfiguration, checked; what is not given stays as it was.
import { invalidParameter, validationError } from "../aws-error.ts";
import { parseHandlerName } from "../environments/handler-name.ts";
import { said } from "../wire/said.ts";
import { environmentOf } from "./environment-input.ts";
import type { FunctionConfig } from "./function-version.ts";
import { USER } from "./update-rules.ts";
import { descriptionOf } from "./versions.ts";

type Members = { readonly [member: string]: unknown };

/** Taken and not used: `Role` stands for permissions, `RevisionId` is checked elsewhere. */
const IGNORED = ["Role", "RevisionId", "FunctionName"];
const KNOWN = [
  "Description",
  "Timeout",
  "MemorySize",
  "Handler",
  "Runtime",
  "Environment",
  "Layers",
  "TracingConfig",
  "DeadLetterConfig",
];
const TIMEOUT_S = [1, 900] as const;
const MEMORY_MB = [128, 10_240] as const;
const LAYERS_MAX = 5;
const LAYER = /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:[a-zA-Z0-9-_]+:\d+$/;
const QUEUE = /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[a-zA-Z0-9-_]+$/;

/** Throws AWS's errors; a member that local AWS has no use for is refused, not lost. */
export function configurationFrom(before: FunctionConfig, input: Members): FunctionConfig {
  for (const [member, value] of Object.entries(input))
    if (value !== null && !KNOWN.includes(member) && !IGNORED.includes(member))
      throw invalidParameter(`${member} is not modelled by local AWS`);
  const { spec } = before;
  const timeoutS = whole(input, "Timeout", TIMEOUT_S);
  return {
    description: descriptionOf(input) ?? before.description,
    activeTracing: tracingOf(input) ?? before.activeTracing,
    deadLetterArn: deadLetterOf(input, before.deadLetterArn),
    layers: layersOf(input) ?? before.layers,
    spec: {
      ...spec,
      timeoutMs: timeoutS === null ? spec.timeoutMs : timeoutS * 1_000,
      memoryMb: whole(input, "MemorySize", MEMORY_MB) ?? spec.memoryMb,
      handler: handlerOf(input) ?? spec.handler,
      runtime: runtimeOf(input) ?? spec.runtime,
      environment: environmentOf(input) ?? spec.environment,
    },
  };
}

function whole(input: Members, member: string, [low, high]: readonly [number, number]) {
  const value = input[member] ?? null;
  if (value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < low)
    throw refusal(value, member, `have value greater than or equal to ${low}`);
  if (value > high) throw refusal(value, member, `have value less than or equal to ${high}`);
  return value;
}

function handlerOf({ Handler: given = null }: Members): string | null {
  if (given === null) return null;
  if (typeof given === "string" && given.length <= 128 && parseHandlerName(given) !== null)
    return given;
  throw refusal(given, "handler", "satisfy regular expression pattern: [^\\s]+");
}

function runtimeOf({ Runtime: given = null }: Members): string | null {
  if (given === null) return null;
  if (typeof given === "string" && /^nodejs\d+\.x$/.test(given)) return given;
  throw invalidParameter(`Value ${said(given)} at 'runtime': local AWS runs nodejs runtimes only`);
}

function tracingOf({ TracingConfig: given = null }: Members): boolean | null {
  if (given === null) return null;
  const { Mode: mode = null } = given as Members;
  if (mode === null) return null;
  if (mode === "Active" || mode === "PassThrough") return mode === "Active";
  throw refusal(mode, "tracingConfig.mode", "satisfy enum value set: [Active, PassThrough]");
}

/** An empty TargetArn removes the queue. */
function deadLetterOf({ DeadLetterConfig: given = null }: Members, before: string | null) {
  if (given === null) return before;
  const { TargetArn: arn = null } = given as Members;
  if (arn === null || arn === "") return null;
  if (typeof arn === "string" && QUEUE.test(arn)) return arn;
  throw invalidParameter(`The provided dead-letter target ${said(arn)} is no queue's ARN`, USER);
}

/** Their content is not loaded, so that they need not exist. */
function layersOf({ Layers: given = null }: Members): string[] | null {
  if (given === null) return null;
  if (!Array.isArray(given) || !given.every((arn) => typeof arn === "string" && LAYER.test(arn)))
    throw refusal(given, "layers", "be a list of layer version ARNs");
  if (given.length > LAYERS_MAX)
    throw invalidParameter(`Cannot reference more than ${LAYERS_MAX} layers.`, USER);
  return given as string[];
}

function refusal(value: unknown, member: string, must: string): Error {
  const name = `${member.charAt(0).toLowerCase()}${member.slice(1)}`;
  return validationError(
    `1 validation error detected: Value '${said(value)}' at '${name}' failed to satisfy ` +
      `constraint: Member must ${must}`,
  );
}
