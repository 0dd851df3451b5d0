// A sink in a DynamoDB table: a consistent scan of the needed fields, page by page.
import { AwsFailure, type Json } from "../../core/change.ts";
import { runUs } from "../../core/time.ts";
import { fieldsOf, type ReadRecords, type SinkPorts, textInput, unreadable } from "./sink-row.ts";

type Input = { readonly [key: string]: Json };
type Output = { readonly [key: string]: unknown };

/** Refusals for capacity of one page before the look is given up. */
const ATTEMPTS_MAX = 10;
const PAUSE_FIRST_US = 100_000;
const PAUSE_MAX_US = 5_000_000;

/** A scan costs half a read unit per 4 KB of the table and is doubled by being consistent. */
export const dynamodbRecords: ReadRecords = async function* (spec, ports, signal) {
  const input = {
    TableName: textInput(spec, "table"),
    ConsistentRead: true,
    ...projection(fieldsOf(spec)),
  };
  let start: Json | undefined;
  do {
    const next = start === undefined ? {} : { ExclusiveStartKey: start };
    let page: Output;
    try {
      page = await scan({ ...input, ...next }, ports, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof AwsFailure)) throw cause;
      const hint = cause.name === "AccessDeniedException" ? "it needs dynamodb:Scan" : undefined;
      throw unreadable(spec, `cannot scan ${input.TableName}: ${cause.name}`, hint);
    }
    yield (page.Items as readonly unknown[] | undefined)?.map(plainItem) ?? [];
    start = page.LastEvaluatedKey as Json | undefined;
  } while (start !== undefined && start !== null);
};

/** Names stand behind placeholders: many of them are reserved words. */
function projection(fields: readonly string[]): Input {
  const names = [...new Set(fields.flatMap((field) => field.split(".")))];
  const placeholder = (name: string): string => `#f${names.indexOf(name)}`;
  const paths = fields.map((field) => field.split(".").map(placeholder).join("."));
  return {
    ProjectionExpression: [...new Set(paths)].join(", "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [placeholder(name), name])),
  };
}

async function scan(input: Input, { control, clock }: SinkPorts, signal: AbortSignal) {
  if (control === null) throw new AwsFailure("NoControlPlane", "there is no AWS to ask", "", 0);
  let pauseUs = PAUSE_FIRST_US;
  for (let attempt = 1; ; attempt++) {
    try {
      return await control.call("dynamodb", "Scan", input);
    } catch (thrown) {
      const refused = thrown instanceof AwsFailure && /Throttl|Throughput/.test(thrown.name);
      if (!refused || attempt === ATTEMPTS_MAX) throw thrown;
    }
    await clock.sleepUntil(runUs(clock.nowUs() + pauseUs), signal);
    pauseUs = Math.min(PAUSE_MAX_US, pauseUs * 2);
  }
}

/** `{ id: { S: "a" }, n: { N: "1" } }` → `{ id: "a", n: "1" }`; of other types maps are kept. */
function plainItem(item: unknown): { [field: string]: unknown } {
  const entries = Object.entries((item ?? {}) as { [field: string]: AttributeValue });
  return Object.fromEntries(entries.map(([field, value]) => [field, plainValue(value)]));
}

interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly M?: { readonly [field: string]: AttributeValue };
}

function plainValue(value: AttributeValue): unknown {
  if (value.M !== undefined) return plainItem(value.M);
  return value.S ?? value.N;
}
