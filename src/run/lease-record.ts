// A lease as EventBridge Scheduler keeps it: what is in its name, its description and its target.
import { createHash } from "node:crypto";
import type { Change, Json } from "../core/change.ts";
import { decodeNote, encodeNote, type LeaseNote } from "./lease-note.ts";
import type { UndoRecord } from "./undo-record.ts";

/** All leases of an account are in this schedule group. */
export const LEASE_GROUP = "gatecrash";
const MINUTE_MS = 60_000;

/** A schedule of the group, as it was read. */
export interface HeldLease {
  readonly name: string;
  /** When the dead-man acts, unless it is moved forward before. */
  readonly dueMs: number;
  /** Null: the lease only keeps others away. */
  readonly undo: Pick<Change, "service" | "action" | "input"> | null;
  /** Null for a schedule that is not ours, or that only belongs to another one. */
  readonly note: LeaseNote | null;
  /** As it has to be sent again by an update. */
  readonly input: { readonly [key: string]: Json };
}

type Schedule = { readonly [key: string]: Json };

/** One name for each field (a lock), or for each call of the undo where those are more. */
export function leaseNames(record: Pick<UndoRecord, "resource" | "fields" | "undo">): string[] {
  const fields = [...record.fields].sort();
  const count = Math.max(1, fields.length, record.undo.length);
  return Array.from({ length: count }, (_, at) => {
    const what = `${record.resource}\n${fields[at] ?? `#${at}`}`;
    return `gc-${createHash("sha256").update(what).digest("hex").slice(0, 40)}`;
  });
}

export function noteOf(record: UndoRecord, by: string): LeaseNote {
  const { run, fault, kind, resource: on, readBack, prior, faulted: ours } = record;
  const read = `${readBack.service}:${readBack.action}`;
  const { input, unsettled: busy, absent: none } = readBack;
  const note = { v: 1, run, fault, kind, on, by, read, with: input, prior, ours } as const;
  return {
    ...note,
    ...(busy === undefined ? {} : { busy }),
    ...(none === undefined ? {} : { none }),
  };
}

/** Whole minutes, which is Scheduler's precision: never earlier than asked. */
export const dueAfter = (wallMs: number, lifeMs: number): number =>
  Math.ceil((wallMs + lifeMs) / MINUTE_MS) * MINUTE_MS;

/** Description of the second and later schedules of one lease. */
export const partOf = (names: readonly string[]): string => `part of ${names[0]}`;

/** The input of CreateSchedule and UpdateSchedule for the lease number `at` of a record. */
export function scheduleOf(
  record: UndoRecord,
  at: number,
  how: { readonly note: LeaseNote; readonly dueMs: number; readonly roleArn: string },
): Schedule {
  const name = leaseNames(record)[at] ?? "";
  const change = record.undo[at];
  return {
    Name: name,
    GroupName: LEASE_GROUP,
    ...expressionOf(how.dueMs),
    Description: at === 0 ? encodeNote(how.note) : partOf(leaseNames(record)),
    FlexibleTimeWindow: { Mode: "OFF" },
    State: "ENABLED",
    // A lock without a call of its own goes away by itself; a record stays until it is verified.
    ActionAfterCompletion: change === undefined ? "DELETE" : "NONE",
    Target: {
      Arn: targetArn(record.resource, change),
      RoleArn: how.roleArn,
      Input: JSON.stringify(
        renamed(change?.input ?? { Name: name, GroupName: LEASE_GROUP }, TARGET_MEMBERS),
      ),
      RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 185 },
    },
  };
}

const expressionOf = (
  dueMs: number,
): { ScheduleExpression: string; ScheduleExpressionTimezone: string } => ({
  ScheduleExpression: `at(${new Date(dueMs).toISOString().slice(0, 19)})`,
  ScheduleExpressionTimezone: "UTC",
});

/** Our service names → those of universal targets, where they differ. */
const TARGET_SERVICES: { readonly [service: string]: string } = { logs: "cloudwatchlogs" };

/** Universal targets write acronyms as words: members of the API → theirs. */
const TARGET_MEMBERS: { readonly [member: string]: string } = { UUID: "Uuid" };
const API_MEMBERS = Object.fromEntries(
  Object.entries(TARGET_MEMBERS).map(([ours, theirs]) => [theirs, ours]),
);

const renamed = (
  input: Change["input"],
  names: { readonly [member: string]: string },
): Change["input"] =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [names[key] ?? key, value]));

/** `arn:aws:scheduler:::aws-sdk:lambda:putFunctionConcurrency`. */
function targetArn(resource: string, change: Change | undefined): string {
  const partition = /^arn:([^:]+):/.exec(resource)?.[1] ?? "aws";
  const { service, action } = change ?? { service: "scheduler", action: "DeleteSchedule" };
  const called = action[0]!.toLowerCase() + action.slice(1);
  return `arn:${partition}:scheduler:::aws-sdk:${TARGET_SERVICES[service] ?? service}:${called}`;
}

/** What GetSchedule answered, or null for what is no one-time schedule with a universal target. */
export function readSchedule(output: { readonly [key: string]: unknown }): HeldLease | null {
  const schedule = output as { readonly [key: string]: Json };
  const { Name: name, Description: text = "", ScheduleExpression: expression } = schedule;
  const target = schedule.Target as { readonly Arn?: string; readonly Input?: string } | undefined;
  const [, at] = /^at\((.+)\)$/.exec(String(expression)) ?? [];
  const [, service, called] = /:aws-sdk:(\w+):(\w+)$/.exec(target?.Arn ?? "") ?? [];
  if (at === undefined || service === undefined || called === undefined) return null;
  const isLock = service === "scheduler";
  const ours = Object.entries(TARGET_SERVICES).find(([, theirs]) => theirs === service)?.[0];
  const action = called[0]!.toUpperCase() + called.slice(1);
  const given = JSON.parse(target?.Input ?? "{}") as Change["input"];
  const input = renamed(given, API_MEMBERS);
  return {
    name: String(name),
    dueMs: Date.parse(`${at}Z`),
    undo: isLock ? null : { service: ours ?? service, action, input },
    note: decodeNote(String(text)),
    input: updateInput(schedule),
  };
}

/** Everything but dates and ARN: an update replaces what it does not name. */
function updateInput(schedule: { readonly [key: string]: Json }): Schedule {
  const kept = Object.entries(schedule).filter(
    ([key]) => !["Arn", "CreationDate", "LastModificationDate", "$metadata"].includes(key),
  );
  return Object.fromEntries(kept);
}
