// The one reviewed stack: roles by purpose, their boundary, the dead-man's, the schedule group.
import type { Policy } from "./iam.ts";
import type { Statement } from "./iam-statement.ts";

export interface Trust {
  readonly account: string;
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  /** ARNs that may take the roles. */
  readonly principals: readonly string[];
  readonly externalId: string | null;
  /** `owner/repository` whose workflows may take them by OIDC. */
  readonly github: string | null;
}

type Json = { readonly [key: string]: unknown };

/** What one stack makes in one account. */
export interface RoleStack {
  /** By role; a role that has nothing to do is not made: an empty policy is none. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly description: string;
  /** Of every name: one account may have the logs of many. */
  readonly suffix: string;
  /** Whether leases are held in it. */
  readonly leases: boolean;
}

const GITHUB = "token.actions.githubusercontent.com";

const nameOf = (role: string, { suffix }: RoleStack): string => `gatecrash-${role}${suffix}`;

/** Who may take a role: the dead-man's is Scheduler's alone. */
function trustOf(role: string, trust: Trust): Json {
  const { account, partition, principals, externalId, github } = trust;
  const statements: Json[] = [];
  if (role === "dead-man")
    statements.push({
      ...{ Effect: "Allow", Action: "sts:AssumeRole" },
      Principal: { Service: "scheduler.amazonaws.com" },
      Condition: { StringEquals: { "aws:SourceAccount": account } },
    });
  else {
    if (principals.length > 0)
      statements.push({
        ...{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { AWS: principals } },
        ...(externalId === null
          ? {}
          : { Condition: { StringEquals: { "sts:ExternalId": externalId } } }),
      });
    if (github !== null)
      statements.push({
        ...{ Effect: "Allow", Action: "sts:AssumeRoleWithWebIdentity" },
        Principal: { Federated: `arn:${partition}:iam::${account}:oidc-provider/${GITHUB}` },
        Condition: {
          StringEquals: { [`${GITHUB}:aud`]: "sts.amazonaws.com" },
          StringLike: { [`${GITHUB}:sub`]: `repo:${github}:*` },
        },
      });
  }
  return { Version: "2012-10-17", Statement: statements };
}

/** Never more than all roles together, whatever is added to one of them later. */
function boundaryOf({ policies }: RoleStack): Policy {
  const all = [...policies.values()].flatMap(({ Statement: of }): readonly Statement[] => of);
  const different = new Map(all.map((one) => [JSON.stringify(one), one]));
  return { Version: "2012-10-17", Statement: [...different.values()] };
}

/** An AWS::CloudFormation template. */
export function cloudFormation(stack: RoleStack, trust: Trust): Json {
  const { policies, description, leases } = stack;
  const resources: { [id: string]: Json } = {
    Boundary: {
      Type: "AWS::IAM::ManagedPolicy",
      Properties: {
        ManagedPolicyName: nameOf("boundary", stack),
        Description: "The most that any role of Gatecrash may do.",
        PolicyDocument: boundaryOf(stack),
      },
    },
  };
  if (leases)
    resources.Leases = {
      Type: "AWS::Scheduler::ScheduleGroup",
      Properties: { Name: "gatecrash" },
    };
  for (const [role, PolicyDocument] of policies) {
    const name = nameOf(role, stack);
    resources[idOf(role)] = {
      Type: "AWS::IAM::Role",
      Properties: {
        RoleName: name,
        AssumeRolePolicyDocument: trustOf(role, trust),
        PermissionsBoundary: { Ref: "Boundary" },
        Policies: [{ PolicyName: name, PolicyDocument }],
      },
    };
  }
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: description,
    Resources: resources,
    Outputs: Object.fromEntries(
      [...policies.keys()].map((role) => [
        `${idOf(role)}Arn`,
        { Value: { "Fn::GetAtt": [idOf(role), "Arn"] } },
      ]),
    ),
  };
}

/** Terraform's own JSON syntax: a `.tf.json` file. */
export function terraform(stack: RoleStack, trust: Trust): Json {
  const key = (role: string): string => nameOf(role, stack).replaceAll("-", "_");
  const roles = [...stack.policies.keys()];
  return {
    resource: {
      aws_iam_policy: {
        gatecrash_boundary: {
          name: nameOf("boundary", stack),
          description: "The most that any role of Gatecrash may do.",
          policy: JSON.stringify(boundaryOf(stack)),
        },
      },
      ...(stack.leases
        ? { aws_scheduler_schedule_group: { gatecrash: { name: "gatecrash" } } }
        : {}),
      aws_iam_role: Object.fromEntries(
        roles.map((role) => [
          key(role),
          {
            name: nameOf(role, stack),
            assume_role_policy: JSON.stringify(trustOf(role, trust)),
            permissions_boundary: `\${aws_iam_policy.gatecrash_boundary.arn}`,
          },
        ]),
      ),
      aws_iam_role_policy: Object.fromEntries(
        roles.map((role) => [
          key(role),
          {
            name: nameOf(role, stack),
            role: `\${aws_iam_role.${key(role)}.id}`,
            policy: JSON.stringify(stack.policies.get(role)),
          },
        ]),
      ),
    },
    output: Object.fromEntries(
      roles.map((role) => [`${key(role)}_arn`, { value: `\${aws_iam_role.${key(role)}.arn}` }]),
    ),
  };
}

/** `dead-man` → `DeadManRole`. */
const idOf = (role: string): string =>
  `${role.replaceAll(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Role`;
