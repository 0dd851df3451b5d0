// Bodies of AWS JSON answers, read without trust: whatever is not there reads as nothing.

/** Empty when the body is no JSON object. */
export function jsonObject(body: Buffer): { readonly [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The error's name without its namespace; "" when the body names none. */
export function errorType(body: Buffer): string {
  const { __type: type } = jsonObject(body);
  return typeof type === "string" ? (type.split("#").at(-1) ?? "") : "";
}
