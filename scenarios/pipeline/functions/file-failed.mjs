// Behind the on-failure queue: fetches what was given up from the stream and files it for a person.
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { GetRecordsCommand, GetShardIteratorCommand, KinesisClient } from "@aws-sdk/client-kinesis";
import { orderOf } from "./events.mjs";

const dynamodb = new DynamoDBClient({});
const kinesis = new KinesisClient({ maxAttempts: 8 }); // a shard is read five times a second at most
const { TABLE } = process.env;

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const failed = [];
  for (const { messageId, body } of event.Records)
    await fileBatch(JSON.parse(body)).catch((failure) => {
      console.log(JSON.stringify({ messageId, failure: failure.name }));
      failed.push({ itemIdentifier: messageId });
    });
  return { batchItemFailures: failed };
};

/** The message says where the records are, not what is in them. */
async function fileBatch({ requestContext, KinesisBatchInfo: batch }) {
  const { shardId, startSequenceNumber, endSequenceNumber, batchSize, streamArn } = batch;
  const start = {
    ShardIteratorType: "AT_SEQUENCE_NUMBER",
    StartingSequenceNumber: startSequenceNumber,
  };
  const place = { StreamARN: streamArn, ShardId: shardId };
  let { ShardIterator } = await kinesis.send(new GetShardIteratorCommand({ ...place, ...start }));
  for (let filed = 0; filed < batchSize && ShardIterator != null; ) {
    const page = await kinesis.send(
      new GetRecordsCommand({ StreamARN: streamArn, ShardIterator, Limit: batchSize - filed }),
    );
    for (const record of page.Records ?? []) {
      if (orderOf(record.SequenceNumber) > orderOf(endSequenceNumber)) return;
      await fileRecord(record, { shardId, condition: requestContext.condition });
      filed += 1;
    }
    ShardIterator = page.NextShardIterator;
  }
}

/** One item a line; the same record filed twice is the same item. */
async function fileRecord({ Data, SequenceNumber }, { shardId, condition }) {
  const lines = Buffer.from(Data).toString("utf8").split("\n");
  for (const [line, text] of lines.entries()) {
    const { eventId, minute, group } = parsed(text);
    const Item = {
      pk: { S: `${shardId}:${SequenceNumber}:${line}` },
      condition: { S: condition },
      text: { S: text },
      ...(typeof eventId === "string" ? { eventId: { S: eventId } } : {}),
      ...(typeof minute === "string" ? { minute: { S: minute } } : {}),
      ...(typeof group === "string" ? { group: { S: group } } : {}),
    };
    await dynamodb.send(new PutItemCommand({ TableName: TABLE, Item }));
  }
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
