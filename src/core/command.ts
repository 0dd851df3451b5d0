// A change as the `aws` command a person can type.
import type { Call, Change, Json } from "./change.ts";

/** `PutFunctionConcurrency` → `put-function-concurrency`. */
function kebab(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3-$2").toLowerCase();
}

/** Plain words stay as they are; all else goes in single quotes, as a POSIX shell reads it. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function value(of: Json): string {
  return quote(typeof of === "string" ? of : JSON.stringify(of));
}

/** A truth is a flag of its own, without a value. */
function option(name: string, of: Json): string {
  if (typeof of === "boolean") return of ? `--${name}` : `--no-${name}`;
  return `--${name} ${value(of)}`;
}

/**
 * `aws lambda delete-function-concurrency --function-name checkout --region eu-west-1`.
 * An endpoint other than AWS's own (`null`) is named, so that the command meets the same server.
 * Values of a change that may hold secrets are left out: its reader has to know them.
 */
export function commandOf(
  change: Call & Pick<Partial<Change>, "secret">,
  region: string,
  endpoint: string | null,
): string {
  const options = Object.entries(change.input).map(([key, of]) =>
    change.secret === true ? `--${kebab(key)} '…'` : option(kebab(key), of),
  );
  const where = endpoint === null ? [] : [`--endpoint-url ${quote(endpoint)}`];
  return [
    "aws",
    change.service,
    kebab(change.action),
    ...options,
    `--region ${region}`,
    ...where,
  ].join(" ");
}

/** One line for all of them, in order; `endpoint` is a loopback URL, or `aws`. */
export function commandsOf(
  calls: readonly Parameters<typeof commandOf>[0][],
  { region, endpoint }: { readonly region: string; readonly endpoint: string },
): string {
  const address = endpoint === "aws" ? null : endpoint;
  return calls.map((call) => commandOf(call, region, address)).join(" && ");
}

export interface Arn {
  readonly service: string;
  readonly region: string;
  readonly account: string;
  /** Everything after the account: `function:checkout`. */
  readonly resource: string;
}

/** The parts of an ARN, or null for a text that is none. */
export function parseArn(text: string): Arn | null {
  const match = /^arn:[^:]+:([^:]+):([^:]*):([^:]*):(.+)$/.exec(text);
  if (match === null) return null;
  const [, service = "", region = "", account = "", resource = ""] = match;
  return { service, region, account, resource };
}
