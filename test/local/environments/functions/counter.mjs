// Module state of one execution environment, and what it may not share with others.
import { label } from "./lib/label.mjs";

console.log("evaluated");
let calls = 0;
const ballast = new Array(12_000).fill(0);

export const handler = async (event, context) => {
  calls += 1;
  if (event.waitMs) await new Promise((resolve) => setTimeout(resolve, event.waitMs));
  if (event.say) console.log(event.say);
  return { calls, label: label(), ballast: ballast.length, stream: context.logStreamName };
};
