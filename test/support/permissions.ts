// What the roles of a rehearsal have called, as IAM names it, and what of it no policy allows.
import { matchesAction, matchesResource, type Need } from "../../src/local/iam/policy.ts";
import { STAGING } from "./rehearsal.ts";

export const ROLES = ["load", "observe", "inject", "restore"] as const;

export interface Policy {
  readonly Statement: readonly {
    readonly Action: string[];
    readonly Resource: string[];
    readonly Condition?: object;
  }[];
}
export type Policies = { readonly [role in (typeof ROLES)[number] | "dead-man"]: Policy };

/** `identities:` with a role for each purpose, in YAML's flow style. */
export const roleIdentities = (): string => {
  const role = (name: string): string =>
    `${name}: { role: "arn:aws:iam::${STAGING}:role/gatecrash-${name}" }`;
  return `identities: { ${ROLES.map(role).join(", ")} }`;
};

/** An account played at `endpoint`, as environment `stg`. */
export const withRoles = (endpoint: string): string =>
  `environments:\n  stg: { account: "${STAGING}", aws-region: eu-west-1, ` +
  `endpoint: "${endpoint}", outputs: { cloudformation: local }, ${roleIdentities()} }\n`;

/** By purpose, the operations that its role has called so far. */
export async function called(endpoint: string): Promise<{ readonly [role: string]: string[] }> {
  const answer = await fetch(`${endpoint}/_local/calls`);
  const calls = (await answer.json()) as { [role: string]: string[] };
  return Object.fromEntries(ROLES.map((role) => [role, calls[`gatecrash-${role}`] ?? []]));
}

/** Permissions that these calls need and the policy does not give. */
export function beyond({ Statement }: Policy, calls: readonly string[] = []): string[] {
  const allowed = Statement.flatMap(({ Action }) => Action);
  return calls.flatMap(permissionsOf).filter((one) => !allowed.includes(one));
}

/** An operation of local AWS as IAM calls it; everybody may ask who he is. */
function permissionsOf(call: string): string[] {
  const [service = "", action = ""] = call.split(":");
  if (action === "GetCallerIdentity") return [];
  if (service === "apigatewayv2") return ["apigateway:GET"];
  const prefix = SERVICES[service] ?? service;
  return [call === "lambda:Invoke" ? "lambda:InvokeFunction" : `${prefix}:${action}`];
}

const SERVICES: { readonly [name: string]: string } = {
  Logs_20140328: "logs",
  AmazonSSM: "ssm",
  AmazonSQS: "sqs",
  GraniteServiceVersion20100801: "cloudwatch",
  "2010-05-15": "cloudformation",
};

/**
 * From now on a role may do what `stack` says, and is refused everything else; it is a role of the
 * account that is played there, or of another one.
 */
export async function enforce(endpoint: string, stack: string, account = ""): Promise<string[]> {
  const query = account === "" ? "" : `?account=${account}`;
  const answer = await fetch(`${endpoint}/_local/roles${query}`, { method: "PUT", body: stack });
  const { roles, message } = (await answer.json()) as { roles?: string[]; message?: string };
  if (roles === undefined) throw new Error(message);
  return roles;
}

/** What each role has been let do, and what it has been refused. */
export async function asked(endpoint: string): Promise<{
  readonly [role: string]: { readonly allowed: Need[]; readonly refused: Need[] };
}> {
  return (await fetch(`${endpoint}/_local/roles`)).json() as ReturnType<typeof asked>;
}

/** Each permission of a policy that none of these calls has needed: `action resource`. */
export function unused({ Statement }: Policy, needs: readonly Need[]): string[] {
  const given = Statement.flatMap(({ Action, Resource }) =>
    Action.flatMap((action) => Resource.map((resource) => ({ action, resource }))),
  );
  const idle = given.filter(
    ({ action, resource }) =>
      !needs.some(
        (need) => matchesAction(action, need.action) && matchesResource(resource, need.resource),
      ),
  );
  return [...new Set(idle.map(({ action, resource }) => `${action} ${resource}`))].sort();
}
