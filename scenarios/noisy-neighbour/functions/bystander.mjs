// order-search and notify-worker: the account's other tenants, who have nothing to do with any of it.
import { answer, work } from "./answer.mjs";

const WORK_MS = [200, 300];

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  await work(event.requestContext?.requestId, ...WORK_MS);
  return answer(200, { done: true });
};
