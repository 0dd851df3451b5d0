// Filter patterns of CloudWatch Logs: terms, "phrases", -excluded, ?either.
import { AwsError } from "../aws-error.ts";

const TOKEN = /([-?]?)(?:"((?:[^"\\]|\\.)*)"|(\S+))/g;

/** All plain terms and none of the excluded ones; of the `?` terms at least one. Case counts. */
export function filterPattern(pattern: string): (message: string) => boolean {
  const text = pattern.trim();
  if (/^[{[%]/.test(text))
    throw new AwsError(
      "InvalidParameterException",
      400,
      "Local AWS knows terms, quoted phrases, - and ?, but no JSON, list or regex filters",
    );
  const all: string[] = [];
  const none: string[] = [];
  const some: string[] = [];
  for (const [, sign, phrase, word] of text.matchAll(TOKEN)) {
    const term = phrase?.replaceAll(/\\(.)/g, "$1") ?? word ?? "";
    (sign === "-" ? none : sign === "?" ? some : all).push(term);
  }
  return (message) =>
    all.every((term) => message.includes(term)) &&
    !none.some((term) => message.includes(term)) &&
    (some.length === 0 || some.some((term) => message.includes(term)));
}
