// What policies allow: IAM's evaluation of actions, resources and conditions, without an account.

export interface Condition {
  readonly operator: ConditionOperator;
  readonly key: string;
  readonly values: readonly string[];
}

export interface Statement {
  readonly effect: "Allow" | "Deny";
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: readonly Condition[];
}

/** One permission that a call takes; a call may take several. */
export interface Need {
  /** `lambda:GetAlias`. */
  readonly action: string;
  /** ARN of what is touched; `*` for an action that knows no resources. */
  readonly resource: string;
  /** Condition keys that the call has. */
  readonly context?: { readonly [key: string]: string };
}

export const CONDITION_OPERATORS = ["StringEquals", "StringNotEquals", "StringLike"] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

const REGEX_CHARACTERS = /[.+^${}()|[\]\\]/g;

/** `*` is any characters, `?` is one. */
function isLike(pattern: string, text: string, flags = ""): boolean {
  const source = pattern
    .replaceAll(REGEX_CHARACTERS, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, `s${flags}`).test(text);
}

/** Service, region and account each match by themselves: a `*` there does not reach beyond. */
export function matchesResource(pattern: string, arn: string): boolean {
  if (pattern === "*") return true;
  const [wanted, found] = [partsOf(pattern), partsOf(arn)];
  return wanted.every((part, at) => isLike(part, found[at] ?? ""));
}

/** Six parts; the last one keeps its colons. */
function partsOf(arn: string): string[] {
  const parts = arn.split(":");
  return [...parts.slice(0, 5), parts.slice(5).join(":")];
}

export const matchesAction = (pattern: string, action: string): boolean =>
  isLike(pattern, action, "i");

/** A key that the call does not have fails every condition but a negated one, as in IAM. */
export function holds(
  { operator, key, values }: Condition,
  context: Need["context"] = {},
): boolean {
  const found = context[key];
  if (operator === "StringNotEquals") return found === undefined || !values.includes(found);
  if (found === undefined) return false;
  return operator === "StringEquals"
    ? values.includes(found)
    : values.some((value) => isLike(value, found));
}

const covers = (statement: Statement, { action, resource, context }: Need): boolean =>
  statement.actions.some((each) => matchesAction(each, action)) &&
  statement.resources.some((each) => matchesResource(each, resource)) &&
  statement.conditions.every((each) => holds(each, context));

const allows = (statements: readonly Statement[], need: Need): boolean =>
  statements.some((one) => one.effect === "Allow" && covers(one, need));

const denies = (statements: readonly Statement[], need: Need): boolean =>
  statements.some((one) => one.effect === "Deny" && covers(one, need));

export interface Permissions {
  readonly identity: readonly Statement[];
  /** Null: no boundary. */
  readonly boundary: readonly Statement[] | null;
}

/** Why not, in IAM's words; null = allowed. A denial wins over everything. */
export function refusal({ identity, boundary }: Permissions, need: Need): string | null {
  if (denies(identity, need)) return "with an explicit deny in an identity-based policy";
  if (boundary !== null && denies(boundary, need))
    return "with an explicit deny in a permissions boundary";
  const kind = !allows(identity, need)
    ? "identity-based policy"
    : boundary !== null && !allows(boundary, need)
      ? "permissions boundary"
      : null;
  return kind === null ? null : `because no ${kind} allows the ${need.action} action`;
}
