// Bytes of HTTP/1.1 by name, and token characters (RFC 9110 §5.6.2) as a table to index.

export const TAB = 9;
export const LF = 10;
export const CR = 13;
export const SPACE = 32;
export const COMMA = 44;
export const ZERO = 48;
export const NINE = 57;
export const COLON = 58;
export const SEMICOLON = 59;
export const DELETE = 127;

const TOKEN_PATTERN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** 1 for a byte that may stand in a header name or a method. */
export const TOKEN = tableOf((byte) => TOKEN_PATTERN.test(String.fromCharCode(byte)));

/** Each byte in lower case. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 65 && byte <= 90 ? byte + 32 : byte,
);

/** RFC 9110 §5.5: tabs, spaces, visible ASCII, and 0x80–0xFF. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** May it stand as the value of a header? */
export function isFieldValue(text: string): boolean {
  return FIELD_VALUE.test(text);
}

export function isToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

function tableOf(holds: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (holds(byte) ? 1 : 0));
}
