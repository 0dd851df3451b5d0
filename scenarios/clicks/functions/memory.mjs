// count-clicks as it first was: counts in this environment's memory, written every few seconds.
import { DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { answer, readClick, score } from "./click.mjs";

const dynamodb = new DynamoDBClient({});
const { TABLE, WRITE_EVERY_S } = process.env;

/** `article#minute` → clicks not yet written. Nobody else can see them. */
let counts = new Map();
let writtenMs = Date.now();

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const click = readClick(event);
  if (click === null) return answer(400, { error: "no click" });
  await score();
  const cell = `${click.article}#${click.minute}`;
  counts.set(cell, (counts.get(cell) ?? 0) + 1);
  if (Date.now() - writtenMs >= Number(WRITE_EVERY_S) * 1_000) await write();
  return answer(202, { counted: true });
};

async function write() {
  const written = counts;
  counts = new Map();
  writtenMs = Date.now();
  for (const [pk, clicks] of written) {
    const [article, minute] = pk.split("#");
    const update = {
      TableName: TABLE,
      Key: { pk: { S: pk } },
      UpdateExpression: "SET article = :article, #minute = :minute ADD clicks :clicks",
      ExpressionAttributeNames: { "#minute": "minute" },
      ExpressionAttributeValues: {
        ":article": { S: article },
        ":minute": { S: minute },
        ":clicks": { N: String(clicks) },
      },
    };
    await dynamodb.send(new UpdateItemCommand(update));
  }
}
