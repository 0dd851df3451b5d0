// carrier-webhook-ingest, one event an invocation: the carrier waits until the database has it.
import { answer } from "./answer.mjs";
import { count, intoDatabase, readScan } from "./deliveries.mjs";

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const text = event.isBase64Encoded ? Buffer.from(event.body, "base64").toString() : event.body;
  const scan = readScan(text);
  if (scan === null) return answer(400, { message: "this is not a delivery event" });
  await intoDatabase([scan]);
  return answer(200, { eventId: scan.eventId, outcome: await count(scan) });
};
