// How callers name a function: name, name:qualifier, partial or full ARN.

export interface FunctionRef {
  readonly name: string;
  /** Version, `$LATEST` or alias from the name or the query; null = none given. */
  readonly qualifier: string | null;
  /** Account id when the reference has one. */
  readonly account: string | null;
}

const QUALIFIER = "(?::(\\$LATEST|[a-zA-Z0-9-_]+))?";
const FULL = new RegExp(
  `^arn:aws[a-z-]*:lambda:[a-z0-9-]+:(\\d{12}):function:([a-zA-Z0-9-_]+)${QUALIFIER}$`,
);
const PARTIAL = new RegExp(`^(\\d{12}):function:([a-zA-Z0-9-_]+)${QUALIFIER}$`);
const SHORT = new RegExp(`^(?:function:)?([a-zA-Z0-9-_]+)${QUALIFIER}$`);

/** null when `text` names no function at all; `text` is already percent-decoded. */
export function parseFunctionRef(text: string): FunctionRef | null {
  const withAccount = FULL.exec(text) ?? PARTIAL.exec(text);
  if (withAccount !== null) {
    const [, account = null, name = "", qualifier = null] = withAccount;
    return { name, qualifier, account };
  }
  const short = SHORT.exec(text);
  if (short === null) return null;
  const [, name = "", qualifier = null] = short;
  return { name, qualifier, account: null };
}

/** Of `name` or `name:qualifier`. */
export const nameOf = (target: string): string => target.split(":")[0]!;

/** `name` alone means `$LATEST`. */
export const qualified = (target: string): string =>
  target.includes(":") ? target : `${target}:$LATEST`;
