// A record of the stream as events: unpacked, checked, and joined with what is known of the device.
import { factorOf } from "./reference.mjs";

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
const NAME = /^[\w-]{1,64}$/;

/** The shard of an event source's record: its id is `<shard>:<sequence number>`. */
export const shardOf = ({ eventID }) => eventID.slice(0, eventID.indexOf(":"));

/** Texts of equal length compare as the numbers do; these have up to 56 digits. */
export const orderOf = (sequenceNumber) => sequenceNumber.padStart(64, "0");

/** Events of a record, one a line. Throws for a record that holds anything else. */
export function eventsOf({ kinesis: { data, sequenceNumber } }) {
  const lines = Buffer.from(data, "base64").toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => eventOf(line, sequenceNumber));
}

function eventOf(line, sequenceNumber) {
  const event = parsed(line);
  const { minute, group, device, value } = event ?? {};
  const isWhole = MINUTE.test(minute) && NAME.test(group) && Number.isFinite(value);
  if (isWhole) return { minute, group, value: value * factorOf(device) };
  throw new Error(`record ${sequenceNumber} holds what is no event`);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Counts and sums by minute and group: what 1,600 events come to is a dozen rows. */
export function cellsOf(records) {
  const cells = new Map();
  for (const record of records)
    for (const { minute, group, value } of eventsOf(record)) {
      const key = `${minute}/${group}`;
      const cell = cells.get(key) ?? { minute, group, events: 0, sum: 0 };
      cell.events += 1;
      cell.sum += value;
      cells.set(key, cell);
    }
  return [...cells.values()];
}
