// Delivery events: read, taken in by the depots' database, and counted once in the table.
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { parsed, work } from "./answer.mjs";

// Made at init, so that every invocation of this environment shares its connections.
const dynamodb = new DynamoDBClient({});
const { TABLE } = process.env;

/**
 * The depots' own database is the bottleneck of this system: a transaction takes 8 to 10 s,
 * whether it carries one event or a batch of them.
 */
const DATABASE_MS = [8_000, 10_000];

const isText = (value) => typeof value === "string" && value.length > 0 && value.length <= 64;

/** The event in a webhook's body or a message, or null. */
export function readScan(text) {
  const scan = parsed(text);
  return isText(scan?.eventId) && isText(scan.depot) && isText(scan.status) ? scan : null;
}

/** One transaction for all of these events. */
export function intoDatabase(scans) {
  return work(scans[0].eventId, ...DATABASE_MS);
}

/**
 * Counts an event if nobody has. One that comes again is not counted again; `repeats` says how
 * often it came, so that a sender or a queue that repeats itself can be seen.
 */
export async function count({ eventId, depot, status }) {
  const Key = { eventId: { S: eventId } };
  const Item = { ...Key, depot: { S: depot }, status: { S: status }, counted: { N: "1" } };
  try {
    const ConditionExpression = "attribute_not_exists(eventId)";
    await dynamodb.send(new PutItemCommand({ TableName: TABLE, Item, ConditionExpression }));
    return "counted";
  } catch (failure) {
    if (failure.name !== "ConditionalCheckFailedException") throw failure;
    const repeat = {
      UpdateExpression: "ADD repeats :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    };
    await dynamodb.send(new UpdateItemCommand({ TableName: TABLE, Key, ...repeat }));
    return "repeated";
  }
}
