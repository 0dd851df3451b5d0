// carrier-webhook-ingest behind a queue: one transaction for a batch, and only what failed again.
import { count, intoDatabase, readScan } from "./deliveries.mjs";

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const failed = new Set();
  const scans = [];
  for (const { messageId, body } of event.Records) {
    const scan = readScan(body);
    if (scan === null)
      failed.add(messageId); // after its last receive it is a dead letter
    else scans.push({ messageId, scan });
  }
  if (scans.length > 0) await intoDatabase(scans.map(({ scan }) => scan));
  await Promise.all(
    scans.map(({ messageId, scan }) =>
      count(scan).catch((failure) => {
        console.log(JSON.stringify({ eventId: scan.eventId, failure: failure.name }));
        failed.add(messageId);
      }),
    ),
  );
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
};
