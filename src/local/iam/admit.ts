// Before an operation is carried out: who calls is noted, and is stopped if his role may not.
import { AwsError, validationError } from "../aws-error.ts";
import type { Caller } from "../wire/sigv4.ts";
import type { World } from "../world.ts";
import { type Called, needsOf } from "./needs.ts";

/**
 * `name` is what the wire calls it. Throws AccessDeniedException for the session of a role that may
 * not; whoever has no role owns the account.
 */
export function admit(
  world: World,
  { accessKeyId, region }: Pick<Caller, "accessKeyId" | "region">,
  name: string,
  called: () => Called,
): void {
  const session = world.sessions.get(accessKeyId);
  const who = session?.arn.split("/")[1] ?? accessKeyId;
  const calls = world.calls.get(who) ?? new Set();
  world.calls.set(who, calls.add(name));
  if (session === undefined) return;
  const { account, arn } = session;
  const isEnforced = world.roles.enforces(account);
  if (account === world.account && !isEnforced) return;
  const call = called();
  if (account !== world.account && !OF_ALL_ACCOUNTS.includes(call.service))
    throw elsewhere(world, arn);
  if (!isEnforced) return;
  // Here is one region; another account's logs may be in another one.
  const where = account === world.account ? world : { account, region };
  world.roles.check(arn, needsOf(call, where));
  const { RoleArn: role } = (call.input.Target ?? {}) as { readonly RoleArn?: string };
  if (call.service === "scheduler" && typeof role === "string") checkTarget(world, role);
}

/** What a session of an account gets an answer from that is not the one which is played. */
const OF_ALL_ACCOUNTS = ["sts", "logs"];

/** On AWS he would act in his own account, which nobody plays here. */
const elsewhere = ({ account }: World, who: string): AwsError =>
  new AwsError(
    "AccessDeniedException",
    403,
    `${who} is of another account than ${account}, which is the one that local AWS plays`,
  );

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
  if (!world.roles.has(role)) return;
  world.roles.checkTrust(role, asScheduler(world));
  const name = role.split("/").at(-1) ?? "";
  const session = `arn:aws:sts::${world.account}:assumed-role/${name}/scheduler`;
  world.roles.check(session, needsOf(called, world));
}
