// Text for places that many people read: without account ids, ARNs, hosts and addresses.
import { resourceName } from "./fault-result.ts";

const ARN = /\barn:[\w-]+:[\w-]+:[^\s,;)`'"]*/g;
const URL_HOST = /\b([a-z][a-z+]*:\/\/)[^\s/,;)`'"]+/gi;
const HOST =
  /\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|aws|cloud|internal|example)(?![\w.-])(?::\d+)?/gi;
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g;
const ACCOUNT = /\b\d{12}\b/g;

/** A function keeps its name; what says where it lies is left out. */
export function withoutPlaces(text: string): string {
  return text
    .replace(ARN, (arn) => resourceName(arn))
    .replace(URL_HOST, "$1…")
    .replace(HOST, "…")
    .replace(ADDRESS, "…")
    .replace(ACCOUNT, "…");
}
