// The one reviewed stack: roles by purpose, their boundary, the dead-man's, the schedule group.
import type { Policies, Policy, RoleName } from "./iam.ts";
import { ROLES } from "./iam.ts";
import type { Statement } from "./iam-statement.ts";

export interface Trust {
  readonly account: string;
  /** ARNs that may take the roles. */
  readonly principals: readonly string[];
  readonly externalId: string | null;
  /** `owner/repository` whose workflows may take them by OIDC. */
  readonly github: string | null;
}

type Json = { readonly [key: string]: unknown };

const nameOf = (role: RoleName): string => `gatecrash-${role}`;
const GITHUB = "token.actions.githubusercontent.com";

/** Who may take a role: the dead-man's is Scheduler's alone. */
function trustOf(role: RoleName, trust: Trust): Json {
  const { account, principals, externalId, github } = trust;
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
        Principal: { Federated: `arn:aws:iam::${account}:oidc-provider/${GITHUB}` },
        Condition: {
          StringEquals: { [`${GITHUB}:aud`]: "sts.amazonaws.com" },
          StringLike: { [`${GITHUB}:sub`]: `repo:${github}:*` },
        },
      });
  }
  return { Version: "2012-10-17", Statement: statements };
}

/** Never more than all roles together, whatever is added to one of them later. */
function boundaryOf(policies: Policies): Policy {
  const all = ROLES.flatMap((role): readonly Statement[] => policies[role].Statement);
  const different = new Map(all.map((one) => [JSON.stringify(one), one]));
  return { Version: "2012-10-17", Statement: [...different.values()] };
}

/** An AWS::CloudFormation template. */
export function cloudFormation(policies: Policies, trust: Trust): Json {
  const resources: { [id: string]: Json } = {
    Boundary: {
      Type: "AWS::IAM::ManagedPolicy",
      Properties: {
        ManagedPolicyName: "gatecrash-boundary",
        Description: "The most that any role of Gatecrash may do.",
        PolicyDocument: boundaryOf(policies),
      },
    },
    Leases: { Type: "AWS::Scheduler::ScheduleGroup", Properties: { Name: "gatecrash" } },
  };
  for (const role of used(policies))
    resources[idOf(role)] = {
      Type: "AWS::IAM::Role",
      Properties: {
        RoleName: nameOf(role),
        AssumeRolePolicyDocument: trustOf(role, trust),
        PermissionsBoundary: { Ref: "Boundary" },
        Policies: [{ PolicyName: nameOf(role), PolicyDocument: policies[role] }],
      },
    };
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: "What Gatecrash may do in this account.",
    Resources: resources,
    Outputs: Object.fromEntries(
      used(policies).map((role) => [
        `${idOf(role)}Arn`,
        { Value: { "Fn::GetAtt": [idOf(role), "Arn"] } },
      ]),
    ),
  };
}

/** Terraform's own JSON syntax: a `.tf.json` file. */
export function terraform(policies: Policies, trust: Trust): Json {
  const roles = used(policies);
  const key = (role: RoleName): string => nameOf(role).replaceAll("-", "_");
  return {
    resource: {
      aws_iam_policy: {
        gatecrash_boundary: {
          name: "gatecrash-boundary",
          description: "The most that any role of Gatecrash may do.",
          policy: JSON.stringify(boundaryOf(policies)),
        },
      },
      aws_scheduler_schedule_group: { gatecrash: { name: "gatecrash" } },
      aws_iam_role: Object.fromEntries(
        roles.map((role) => [
          key(role),
          {
            name: nameOf(role),
            assume_role_policy: JSON.stringify(trustOf(role, trust)),
            permissions_boundary: `\${aws_iam_policy.gatecrash_boundary.arn}`,
          },
        ]),
      ),
      aws_iam_role_policy: Object.fromEntries(
        roles.map((role) => [
          key(role),
          {
            name: nameOf(role),
            role: `\${aws_iam_role.${key(role)}.id}`,
            policy: JSON.stringify(policies[role]),
          },
        ]),
      ),
    },
    output: Object.fromEntries(
      roles.map((role) => [`${key(role)}_arn`, { value: `\${aws_iam_role.${key(role)}.arn}` }]),
    ),
  };
}

/** A role that has nothing to do is not made: an empty policy is none. */
const used = (policies: Policies): RoleName[] =>
  ROLES.filter((role) => policies[role].Statement.length > 0);

/** `dead-man` → `DeadManRole`. */
const idOf = (role: RoleName): string =>
  `${role.replaceAll(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Role`;
