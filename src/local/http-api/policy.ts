// What an authorizer's policy says of one method: the part of IAM that API Gateway evaluates.
import { isRecord } from "./answer.ts";

export type Decision = "allow" | "explicit-deny" | "implicit-deny";

const ACTION = "execute-api:Invoke";

/** null: not a policy. A deny beats every allow; what is not said is denied. */
export function decide(document: unknown, methodArn: string): Decision | null {
  if (!isRecord(document)) return null;
  const statements = [document.Statement].flat();
  let decision: Decision = "implicit-deny";
  for (const statement of statements) {
    if (!isRecord(statement)) return null;
    const { Effect: effect, Action: action, Resource: resource } = statement;
    if (effect !== "Allow" && effect !== "Deny") return null;
    const fits = [action].flat().some((one) => matches(one, ACTION.toLowerCase(), true));
    if (!fits || ![resource].flat().some((one) => matches(one, methodArn, false))) continue;
    if (effect === "Deny") return "explicit-deny";
    decision = "allow";
  }
  return decision;
}

/** `*` stands for any text, slashes included, `?` for one character. */
function matches(pattern: unknown, text: string, anyCase: boolean): boolean {
  if (typeof pattern !== "string") return false;
  return isLike(anyCase ? pattern.toLowerCase() : pattern, text);
}

/** Without expressions, which a hostile pattern could make run for hours. */
function isLike(pattern: string, text: string): boolean {
  let [p, t, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    if (
      p < pattern.length &&
      (pattern[p] === "?" || pattern[p] === text[t]) &&
      pattern[p] !== "*"
    ) {
      p++;
      t++;
    } else if (pattern[p] === "*") {
      star = p++;
      from = t;
    } else if (star >= 0) {
      p = star + 1;
      t = ++from;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
