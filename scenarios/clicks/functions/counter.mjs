// count-clicks with nothing in memory: each click is one atomic increment, and counts once.

import { setTimeout as wait } from "node:timers/promises";
import {
  DynamoDBClient,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { answer, readClick, score } from "./click.mjs";

const dynamodb = new DynamoDBClient({ maxAttempts: 1 }); // the retries below choose another sub-key
const { TABLE, IDS_TABLE, SUB_KEYS, EVENT_IDS } = process.env;

const ATTEMPTS = 4;
/** An id is remembered for a day; clients give up long before. */
const REMEMBERED_S = 86_400;

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const click = readClick(event);
  if (click === null) return answer(400, { error: "no click" });
  await score();
  for (let attempt = 1; ; attempt++) {
    const outcome = await count(click).catch((failure) => failure);
    if (typeof outcome === "string") return answer(202, { outcome });
    console.log(JSON.stringify({ clickId: click.clickId, attempt, failure: outcome.name }));
    if (attempt === ATTEMPTS) return answer(503, { error: outcome.name });
    await wait(2 ** attempt * 10 * Math.random());
  }
};

/** Resolves to what became of the click; rejects where nothing was written. */
async function count(click) {
  const update = increment(click);
  if (EVENT_IDS === "off") {
    await dynamodb.send(new UpdateItemCommand(update));
    return "counted";
  }
  const seen = {
    TableName: IDS_TABLE,
    Item: {
      clickId: { S: click.clickId },
      expires: { N: String(Math.floor(Date.now() / 1_000) + REMEMBERED_S) },
    },
    ConditionExpression: "attribute_not_exists(clickId)",
  };
  try {
    const TransactItems = [{ Put: seen }, { Update: update }];
    await dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
    return "counted";
  } catch (failure) {
    if (failure.CancellationReasons?.[0]?.Code !== "ConditionalCheckFailed") throw failure;
    return "repeated"; // it came before, and has been counted then
  }
}

/** One of the article's sub-keys, by chance: a key takes 1,000 write units a second. */
function increment({ article, minute }) {
  const subKey = Math.floor(Math.random() * Number(SUB_KEYS));
  return {
    TableName: TABLE,
    Key: { pk: { S: `${article}#${minute}#${subKey}` } },
    UpdateExpression: "SET article = :article, #minute = :minute ADD clicks :one",
    ExpressionAttributeNames: { "#minute": "minute" },
    ExpressionAttributeValues: {
      ":article": { S: article },
      ":minute": { S: minute },
      ":one": { N: "1" },
    },
  };
}
