// A member of an input as text, whatever it is.

/** For names and messages; `String()` would throw for an object with a `toString` of its own. */
export const said = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "null");

/** Where a page begins; what is no token begins at the start. */
export function pageStart(token: unknown): number {
  const start = typeof token === "string" ? Number(token) : 0;
  return Number.isInteger(start) && start > 0 ? start : 0;
}
