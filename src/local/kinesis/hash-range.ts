// The 128-bit hash space of a stream: even ranges, and where a record's key falls.
import { hash } from "node:crypto";

const SPACE = 1n << 128n;
const HEX_DIGITS = 32;

/** Both ends are part of it; hexadecimal of equal length, so that text order is number order. */
export interface HashRange {
  readonly startHex: string;
  readonly endHex: string;
}

const hexOf = (value: bigint): string => value.toString(16).padStart(HEX_DIGITS, "0");

/** As CreateStream splits the space: equal parts, the last one takes what is left over. */
export function evenRanges(count: number): HashRange[] {
  const part = SPACE / BigInt(count);
  return Array.from({ length: count }, (_, index) => {
    const end = index === count - 1 ? SPACE : part * BigInt(index + 1);
    return { startHex: hexOf(part * BigInt(index)), endHex: hexOf(end - 1n) };
  });
}

/** The API's form of one end. */
export const decimalOf = (hex: string): string => BigInt(`0x${hex}`).toString();

/** MD5 of the partition key in UTF-8. */
export const hashOfKey = (partitionKey: string): string => hash("md5", partitionKey, "hex");

/** Of an ExplicitHashKey in decimal; null = outside the space. */
export function hashOfExplicit(decimal: string): string | null {
  const value = BigInt(decimal);
  return value < SPACE ? hexOf(value) : null;
}
