// The table of aggregates: one transaction adds a batch's cells and moves its shard's checkpoint.
import {
  DynamoDBClient,
  GetItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";

// A client that tries again by itself sends the same request token, and DynamoDB would see that it
// is the same transaction. A process that has crashed does not: each attempt here is the stream's.
const dynamodb = new DynamoDBClient({ maxAttempts: 1 });
const { TABLE } = process.env;

const checkpointKey = (shard) => ({ pk: { S: `checkpoint#${shard}` }, cell: { S: "-" } });

/** `orderOf` the last sequence number that is counted; "" when there is none. */
export async function readCheckpoint(shard) {
  const read = { TableName: TABLE, Key: checkpointKey(shard), ConsistentRead: true };
  const { Item } = await dynamodb.send(new GetItemCommand(read));
  return Item?.upTo.S ?? "";
}

/** Adds the cells; with a checkpoint, only if it still is what was read. */
export async function commit(shard, cells, checkpoint) {
  const TransactItems = cells.map((cell) => ({ Update: increment(shard, cell) }));
  if (checkpoint !== null) TransactItems.push({ Put: moved(shard, checkpoint) });
  await dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
}

/** True when somebody else has moved the checkpoint since it was read. */
export const isOvertaken = (failure) =>
  failure.CancellationReasons?.some(({ Code }) => Code === "ConditionalCheckFailed") ?? false;

function increment(shard, { minute, group, events, sum }) {
  return {
    TableName: TABLE,
    Key: { pk: { S: `${shard}#${minute}` }, cell: { S: group } },
    UpdateExpression:
      "SET #shard = :shard, #minute = :minute, #group = :group ADD events :n, #sum :s",
    ExpressionAttributeNames: {
      "#shard": "shard",
      "#minute": "minute",
      "#group": "group",
      "#sum": "sum",
    },
    ExpressionAttributeValues: {
      ":shard": { S: shard },
      ":minute": { S: minute },
      ":group": { S: group },
      ":n": { N: String(events) },
      ":s": { N: String(Math.round(sum * 1_000)) }, // thousandths: whole numbers add up exactly
    },
  };
}

function moved(shard, { from, to }) {
  const Item = { ...checkpointKey(shard), upTo: { S: to } };
  if (from === "")
    return { TableName: TABLE, Item, ConditionExpression: "attribute_not_exists(pk)" };
  return {
    TableName: TABLE,
    Item,
    ConditionExpression: "upTo = :from",
    ExpressionAttributeValues: { ":from": { S: from } },
  };
}
