// Permissions to read secrets, and to tell people of a run over EventBridge.
import { arnIn } from "../core/partition.ts";
import type { Scenario } from "../core/scenario.ts";
import { allow, type Statement } from "./iam-statement.ts";
import { secretsNamed } from "./secret-store.ts";
import { notifyTexts, secretTexts } from "./secrets.ts";
import type { System } from "./system-contract.ts";

/** Parameter Store hands Secrets Manager's secrets on, to whoever may read them there as well. */
export function secretStatements(scenario: Scenario, system: System): Statement[] {
  return secretReads(secretTexts(scenario), system);
}

/** `heal` tells people what it could not put back. */
export function noticeSecrets({ notify = [] }: Scenario, system: System): Statement[] {
  return secretReads(notify.flatMap(notifyTexts), system);
}

/** Whoever changes something tells of it, else whoever loads. */
export function notifyStatements({ notify = [] }: Scenario, system: System): Statement[] {
  return notify.flatMap(({ to }): Statement[] => {
    if (to.kind !== "eventbridge") return [];
    const arn = to.bus.startsWith("arn:") ? to.bus : arnIn(system, "events", `event-bus/${to.bus}`);
    return [allow(["events:DescribeEventBus", "events:PutEvents"], [arn])];
  });
}

function secretReads(texts: readonly string[], system: System): Statement[] {
  return secretsNamed(texts).flatMap(({ kind, name, parameter }): Statement[] => {
    const path = `parameter/${parameter.replace(/^\//, "")}`;
    const read = allow(["ssm:GetParameter"], [arnIn(system, "ssm", path)]);
    if (kind === "ssm") return [read];
    // An ARN of Secrets Manager's ends in six characters of its own.
    const secret = arnIn(system, "secretsmanager", `secret:${name}-??????`);
    return [read, allow(["secretsmanager:GetSecretValue"], [secret])];
  });
}
