// Before an operation is carried out: who calls is noted, and is stopped if his role may not.
import { validationError } from "../aws-error.ts";
import type { World } from "../world.ts";
import { type Called, needsOf } from "./needs.ts";

/**
 * `name` is what the wire calls it. Throws AccessDeniedException for the session of a role that may
 * not; whoever has no role owns the account.
 */
export function admit(world: World, accessKeyId: string, name: string, called: () => Called): void {
  const session = world.sessions.get(accessKeyId);
  const who = session?.arn.split("/")[1] ?? accessKeyId;
  const calls = world.calls.get(who) ?? new Set();
  world.calls.set(who, calls.add(name));
  if (session === undefined || !world.roles.enforced) return;
  const call = called();
  world.roles.check(session.arn, needsOf(call, world));
  const { RoleArn: role } = (call.input.Target ?? {}) as { readonly RoleArn?: string };
  if (call.service === "scheduler" && typeof role === "string") checkTarget(world, role);
}

const asScheduler = ({ account }: World) =>
  ({
    principal: "scheduler.amazonaws.com",
    kind: "services",
    action: "sts:AssumeRole",
    context: { "aws:SourceAccount": account },
  }) as const;

/** Scheduler tries the role when a schedule is made. */
function checkTarget(world: World, role: string): void {
  try {
    world.roles.checkTrust(role, asScheduler(world));
  } catch {
    throw validationError(
      "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.",
    );
  }
}

/** A schedule's call of its target: as the schedule's role, where that is one that is known. */
export function admitScheduled(world: World, role: string, called: Called): void {
  const name = role.split("/").at(-1) ?? "";
  if (!world.roles.has(name)) return;
  world.roles.checkTrust(role, asScheduler(world));
  const session = `arn:aws:sts::${world.account}:assumed-role/${name}/scheduler`;
  world.roles.check(session, needsOf(called, world));
}
