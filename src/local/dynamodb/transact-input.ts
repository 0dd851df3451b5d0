// What a transaction asks for: its actions, checked for their shape before anything is looked at.

import { AwsError } from "../aws-error.ts";
import { said } from "../wire/said.ts";

export type Members = { readonly [member: string]: unknown };

/** DynamoDB's limit for one transaction. */
const ACTIONS_MAX = 100;

/** Action of a TransactItem → the operation that carries it out. */
const WRITES = {
  ConditionCheck: "DeleteItem", // its condition is all that is used
  Delete: "DeleteItem",
  Put: "PutItem",
  Update: "UpdateItem",
} as const;
type WriteKind = keyof typeof WRITES;

export interface TransactAction {
  readonly kind: WriteKind | "Get";
  readonly operation: (typeof WRITES)[WriteKind] | "GetItem";
  readonly table: string;
  /** The operation's own input. */
  readonly input: Members;
  /** What says which item it is: the key, or a whole item. */
  readonly keyed: Members;
  /** The item is shown when its condition fails. */
  readonly returnsOld: boolean;
}

export const validation = (message: string): AwsError =>
  new AwsError("com.amazon.coral.validate#ValidationException", 400, message);

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const constraint = (value: string, rule: string): AwsError =>
  validation(
    `1 validation error detected: Value ${value} at 'transactItems' failed to satisfy ` +
      `constraint: Member must ${rule}`,
  );

/** The actions of TransactWriteItems. */
export const writesOf = (input: Members): TransactAction[] =>
  itemsOf(input).map((item) => {
    const kinds = (Object.keys(WRITES) as WriteKind[]).filter((kind) => isObject(item[kind]));
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1)
      throw validation("TransactItems can only contain one of Check, Put, Update or Delete");
    const members = item[kind] as Members;
    if (kind === "ConditionCheck" && typeof members.ConditionExpression !== "string")
      throw validation(
        "1 validation error detected: Value null at " +
          "'transactItems.1.member.conditionCheck.conditionExpression' failed to satisfy " +
          "constraint: Member must not be null",
      );
    return actionOf(kind, WRITES[kind], members);
  });

/** The actions of TransactGetItems. */
export const readsOf = (input: Members): TransactAction[] =>
  itemsOf(input).map(({ Get: get }) => {
    if (!isObject(get)) throw validation("TransactItems can only contain Get");
    return actionOf("Get", "GetItem", get);
  });

function itemsOf({ TransactItems: items }: Members): readonly Members[] {
  if (!Array.isArray(items)) throw constraint("null", "not be null");
  const shown = `'[${items.map(() => "TransactItem").join(", ")}]'`;
  if (items.length === 0) throw constraint(shown, "have length greater than or equal to 1");
  if (items.length > ACTIONS_MAX)
    throw constraint(shown, `have length less than or equal to ${ACTIONS_MAX}`);
  return items.map((item: unknown) => (isObject(item) ? item : {}));
}

function actionOf(
  kind: TransactAction["kind"],
  operation: TransactAction["operation"],
  members: Members,
): TransactAction {
  const { ReturnValuesOnConditionCheckFailure: shown, ...input } = members;
  const keyed = kind === "Put" ? input.Item : input.Key;
  return {
    kind,
    operation,
    table: said(input.TableName ?? ""),
    input,
    keyed: isObject(keyed) ? keyed : {},
    returnsOld: shown === "ALL_OLD",
  };
}
