// The permissions that a scenario needs, by who acts: of its loads, its faults' calls, its reads.

import type { Change, Fault, Fields, Json } from "../core/change.ts";
import { arnIn } from "../core/partition.ts";
import type { Scenario } from "../core/scenario.ts";
import { LEASE_GROUP } from "../run/lease-record.ts";
import { CLEAN_UP_ACTIONS, cleanedOf } from "./clean-up.ts";
import { makeFault } from "./compose.ts";
import { noticeSecrets, notifyStatements, secretStatements } from "./iam-notices.ts";
import { logsStatements, observeStatements } from "./iam-observe.ts";
import { actionOf, allow, deadManRole, type Statement, schedules } from "./iam-statement.ts";
import { mutedArns, muteFault } from "./mute-alarms.ts";
import type { System } from "./system-contract.ts";

export interface Policy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

export const ROLES = ["load", "observe", "inject", "restore", "dead-man"] as const;
export type RoleName = (typeof ROLES)[number];
/** `logs`: of a role in another account, where one has them. */
export type Policies = { readonly [role in RoleName]: Policy } & { readonly logs?: Policy };

export interface Found {
  /** What each fault's fields are now, by the fault's name. */
  readonly priors: ReadonlyMap<string, Fields>;
  /** Log groups of another account, as they are asked for there. */
  readonly logGroups: readonly string[];
}

export function policiesOf(
  scenario: Scenario,
  system: System,
  { priors, logGroups }: Found,
): Policies {
  const logs = logsStatements(system, logGroups);
  const mute = muteFault(scenario, system, { run: "*", nowMs: 0 });
  const chosen = scenario.faults.map((spec) => makeFault(spec, scenario.seed));
  const made = mute === null ? chosen : [...chosen, mute];
  const muted = mute === null ? [] : [allow([MUTE], mutedArns(scenario, system))];
  // What is changed for a moment to make a fault is undone, and left to a lease, like the fault.
  const faults = made.flatMap((fault) => [fault, ...(fault.stage ? [fault.stage.base] : [])]);
  const undo = faults.flatMap((fault) => undoStatements(fault, priors.get(fault.name) ?? {}));
  const inject = faults.flatMap((fault) => injectStatements(fault, priors.get(fault.name) ?? {}));
  const told = notifyStatements(scenario, system);
  const acts = faults.length > 0;
  const lease = faults.length === 0 ? [] : leaseStatements(system);
  const making = faults.length === 0 ? [] : leaseMakingStatements(system);
  const probes = faults.map(({ probe, resources }) =>
    allow([actionOf(probe.service, probe.action)], probe.resources ?? resources),
  );
  return {
    load: policy([
      ...secretStatements(scenario, system),
      ...loadStatements(scenario, system),
      ...(acts ? [] : told),
      ...cleanedOf(scenario).map(({ cleanUp }) => allow(CLEAN_UP_ACTIONS, [cleanUp.queue])),
    ]),
    observe: policy(observeStatements(scenario, system)),
    inject: policy([
      ...made.flatMap(stageStatements),
      ...[inject, undo, probes, lease, making, told, muted].flat(),
    ]),
    restore: policy(acts ? [...undo, ...lease, ...told, ...noticeSecrets(scenario, system)] : []),
    "dead-man": policy([
      ...faults.flatMap((fault) => deadManStatements(fault, priors.get(fault.name) ?? {})),
      ...(faults.length === 0 ? [] : [allow(["scheduler:DeleteSchedule"], [schedules(system)])]),
    ]),
    ...(logs.length === 0 ? {} : { logs: policy(logs) }),
  };
}

/** A right on the rule and on each alarm. */
const MUTE = "cloudwatch:PutAlarmMuteRule";

function policy(statements: readonly Statement[]): Policy {
  const byResource = new Map<string, Statement>();
  for (const one of statements) {
    const key = JSON.stringify([one.Resource, one.Condition]);
    const known = byResource.get(key)?.Action ?? [];
    const actions = [...new Set([...known, ...one.Action])].sort();
    byResource.set(key, { ...one, Action: actions });
  }
  return { Version: "2012-10-17", Statement: [...byResource.values()] };
}

/** One of these undoes every prior: what is now, nothing, or another value than the fault's. */
function undoCalls(fault: Fault, prior: Fields): Change[] {
  return [prior, {}, otherThan(fault.faulted)].flatMap((fields) => {
    try {
      return fault.undo(fields);
    } catch {
      return []; // a prior that this fault never meets
    }
  });
}

function otherThan(faulted: Fields): Fields {
  const other = Object.entries(faulted).map(([field, value]): [string, Json] => {
    if (typeof value === "number") return [field, value + 1];
    return [field, typeof value === "boolean" ? !value : value];
  });
  return Object.fromEntries(other);
}

function changeStatements({ resources }: Fault, calls: readonly Change[]): Statement[] {
  const writes = calls.map(({ service, action }) => actionOf(service, action));
  const reads = calls.map(({ service, readBack }) => actionOf(service, readBack.action));
  return calls.length === 0 ? [] : [allow([...writes, ...reads], resources)];
}

function undoStatements(fault: Fault, prior: Fields): Statement[] {
  const { read, resources } = fault;
  const reads = allow([actionOf(read.service, read.action)], resources);
  return [...changeStatements(fault, undoCalls(fault, prior)), reads];
}

/** It makes the undo call and reads nothing. */
function deadManStatements(fault: Fault, prior: Fields): Statement[] {
  const calls = undoCalls(fault, prior).map(({ service, action }) => actionOf(service, action));
  return calls.length === 0 ? [] : [allow(calls, fault.resources)];
}

const injectStatements = (fault: Fault, prior: Fields): Statement[] =>
  changeStatements(fault, fault.inject(prior));

/** What is looked at before a fault, and what is made for it. */
function stageStatements({ looks, stage, resources }: Fault): Statement[] {
  const calls = [...(looks?.calls ?? []), ...(stage === undefined ? [] : [stage.make])];
  const actions = calls.map(({ service, action }) => actionOf(service, action));
  return actions.length === 0 ? [] : [allow(actions, resources)];
}

/** To look for leases, to ask a run to stop (an update passes the role again), to let go. */
function leaseStatements(system: System): Statement[] {
  const verbs = ["Get", "Update", "Delete"].map((verb) => `scheduler:${verb}Schedule`);
  return [
    allow(verbs, [schedules(system)]),
    allow(["scheduler:ListSchedules"], ["*"]),
    allow(["iam:PassRole"], [deadManRole(system)], {
      StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
    }),
  ];
}

/** Who puts back makes none. */
function leaseMakingStatements(system: System): Statement[] {
  const group = arnIn(system, "scheduler", `schedule-group/${LEASE_GROUP}`);
  return [
    allow(["scheduler:CreateSchedule"], [schedules(system)]),
    allow(["scheduler:CreateScheduleGroup"], [group]),
  ];
}

function loadStatements({ loads }: Scenario, system: System): Statement[] {
  return loads.flatMap(({ target }): Statement[] => {
    if (target.kind === "lambda") return [allow(["lambda:InvokeFunction"], [target.function])];
    if (target.kind === "kinesis") {
      const arn = target.stream.startsWith("arn:")
        ? target.stream
        : arnIn(system, "kinesis", `stream/${target.stream}`);
      return [allow(["kinesis:PutRecords"], [arn])];
    }
    if (target.kind === "sqs") {
      const name = target.queue.split(/[:/]/).at(-1);
      return [allow(["sqs:SendMessage"], [arnIn(system, "sqs", `${name}`)])];
    }
    const api = URL.canParse(target.url) ? new URL(target.url).hostname.split(".")[0] : "*";
    const signed =
      target.auth?.kind !== "iam"
        ? []
        : target.auth.service === "lambda"
          ? [allow(["lambda:InvokeFunctionUrl"], [arnIn(system, "lambda", "function:*")])]
          : [allow(["execute-api:Invoke"], [arnIn(system, "execute-api", `${api}/*`)])];
    return signed;
  });
}
