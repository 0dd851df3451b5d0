// Roles from a CloudFormation stack: policies, boundary, who may take them. What is not modelled
// is refused, so that nothing is allowed or denied on a misunderstanding.
import { z } from "zod";
import { GatecrashError } from "../../core/error.ts";
import { CONDITION_OPERATORS, type Permissions, type Statement } from "./policy.ts";

export interface Role extends Permissions {
  readonly name: string;
  readonly trust: readonly TrustStatement[];
}

export interface TrustStatement extends Statement {
  /** ARNs and account roots. */
  readonly aws: readonly string[];
  readonly services: readonly string[];
  readonly federated: readonly string[];
}

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const conditions = z
  .partialRecord(z.enum(CONDITION_OPERATORS), z.record(z.string(), texts))
  .optional();
const common = {
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: texts,
  Condition: conditions,
};
const policy = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.array(z.strictObject({ ...common, Resource: texts })),
});
const principal = z.strictObject({
  AWS: texts.optional(),
  Service: texts.optional(),
  Federated: texts.optional(),
});
const trust = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.array(z.strictObject({ ...common, Principal: principal })),
});
const roleSchema = z.strictObject({
  RoleName: z.string(),
  AssumeRolePolicyDocument: trust,
  PermissionsBoundary: z.strictObject({ Ref: z.string() }).optional(),
  Policies: z.array(z.strictObject({ PolicyName: z.string(), PolicyDocument: policy })).default([]),
});
const stackSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })),
});
const managedSchema = z.object({ PolicyDocument: policy });

/** Throws GatecrashError("scenario"): what it says of `source` is not modelled. */
export function readRoles(stack: unknown, source: string): Role[] {
  const { Resources } = checked(stackSchema, stack, source, []);
  const of = (type: string) =>
    Object.entries(Resources).filter(([, resource]) => resource.Type === type);
  const managed = new Map(
    of("AWS::IAM::ManagedPolicy").map(([id, { Properties }]) => {
      const { PolicyDocument } = checked(managedSchema, Properties, source, [id]);
      return [id, statementsOf(PolicyDocument)];
    }),
  );
  const roles = of("AWS::IAM::Role").map(([id, { Properties }]): Role => {
    const role = checked(roleSchema, Properties, source, [id]);
    const ref = role.PermissionsBoundary?.Ref;
    const boundary = ref === undefined ? null : managed.get(ref);
    if (boundary === undefined) throw unknown(source, `${id}: there is no policy ${ref}`);
    return {
      name: role.RoleName,
      identity: role.Policies.flatMap(({ PolicyDocument }) => statementsOf(PolicyDocument)),
      boundary,
      trust: role.AssumeRolePolicyDocument.Statement.map((one) => ({
        ...statementOf({ ...one, Resource: [] }),
        ...{ aws: one.Principal.AWS ?? [], services: one.Principal.Service ?? [] },
        federated: one.Principal.Federated ?? [],
      })),
    };
  });
  if (roles.length === 0) throw unknown(source, "it has no AWS::IAM::Role");
  return roles;
}

function checked<T>(
  schema: z.ZodType<T>,
  value: unknown,
  source: string,
  inside: readonly string[],
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw unknown(source, `${[...inside, ...path].map(String).join(".")}: ${message}`);
}

const unknown = (source: string, what: string): GatecrashError =>
  new GatecrashError("scenario", `roles of ${source}: ${what}`, {
    hint: "local AWS takes the stack that gatecrash bootstrap prints",
  });

const statementsOf = ({ Statement: all }: z.infer<typeof policy>): Statement[] =>
  all.map(statementOf);

function statementOf({
  Effect,
  Action,
  Resource,
  Condition,
}: z.infer<typeof policy>["Statement"][number]): Statement {
  const conditions = CONDITION_OPERATORS.flatMap((operator) =>
    Object.entries(Condition?.[operator] ?? {}).map(([key, values]) => ({ operator, key, values })),
  );
  return { effect: Effect, actions: Action, resources: Resource, conditions };
}
