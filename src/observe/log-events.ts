// Reads a log group's events through FilterLogEvents: every page, each event once.
import { AwsFailure, type ControlPlane, type Json } from "../core/change.ts";

export interface LogEvent {
  readonly id: string;
  readonly atMs: number;
  readonly stream: string | null;
  readonly message: string;
}

/** AWS's most events per page; pages may be empty and still have a next one. */
const PAGE_EVENTS = 10_000;
const PAGES_MAX = 100_000;

export interface LogQuery {
  /** Its name, or the ARN of one of an account that is linked to the caller's. */
  readonly group: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** CloudWatch filter pattern, or null for every event. */
  readonly pattern: string | null;
}

/** A group that does not exist has no events: a function that never ran has no group. */
export async function* logEvents(
  control: ControlPlane,
  query: LogQuery,
): AsyncGenerator<LogEvent[], void, undefined> {
  let nextToken: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const input: { [key: string]: Json } = {
      ...groupInput(query.group),
      startTime: Math.floor(query.fromMs),
      endTime: Math.ceil(query.toMs),
      limit: PAGE_EVENTS,
    };
    if (query.pattern !== null) input.filterPattern = query.pattern;
    if (nextToken !== undefined) input.nextToken = nextToken;
    const output = await pageOf(control, input);
    if (output === null) return;
    yield eventsOf(output.events);
    const token = output.nextToken;
    if (typeof token !== "string" || token === "" || token === nextToken) return;
    nextToken = token;
  }
}

const groupInput = (group: string): { readonly [key: string]: string } =>
  group.startsWith("arn:") ? { logGroupIdentifier: group } : { logGroupName: group };

/** One look, at one event at most. Rejects with the AwsFailure of a group that cannot be read. */
export async function lookInto(
  control: ControlPlane,
  { group, fromMs }: Pick<LogQuery, "group" | "fromMs">,
): Promise<void> {
  const input = { ...groupInput(group), startTime: Math.floor(fromMs), limit: 1 };
  await control.call("logs", "FilterLogEvents", input);
}

async function pageOf(
  control: ControlPlane,
  input: { readonly [key: string]: Json },
): Promise<{ readonly [key: string]: unknown } | null> {
  try {
    return await control.call("logs", "FilterLogEvents", input);
  } catch (thrown) {
    if (thrown instanceof AwsFailure && thrown.name === "ResourceNotFoundException") return null;
    throw thrown;
  }
}

function eventsOf(value: unknown): LogEvent[] {
  if (!Array.isArray(value)) return [];
  return (value as { readonly [key: string]: unknown }[]).map((event) => {
    const message = String(event.message ?? "");
    const atMs = Number(event.timestamp ?? 0);
    const name = event.logStreamName;
    const stream = typeof name === "string" ? name : null;
    const id = event.eventId;
    return {
      id: typeof id === "string" ? id : `${stream} ${atMs} ${message}`,
      atMs,
      stream,
      message: message.replace(/\n+$/, ""),
    };
  });
}
