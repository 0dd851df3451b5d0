// Every minute: sums the shards' rows of each closed minute into one object with a key of its own.
import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import { KinesisClient, ListShardsCommand } from "@aws-sdk/client-kinesis";
import { putObject } from "./objects.mjs";

const dynamodb = new DynamoDBClient({});
const kinesis = new KinesisClient({});
const { TABLE, STREAM, BUCKET } = process.env;

const MINUTE_MS = 60_000;
/** The same minutes are written again and again, so that what came late is in them, too. */
const MINUTES_BACK = 5;

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const shards = await shardIds();
  const thisMinute = Math.floor(Date.now() / MINUTE_MS);
  const written = [];
  for (let back = MINUTES_BACK; back >= 1; back--) {
    const minute = new Date((thisMinute - back) * MINUTE_MS).toISOString().slice(0, 16);
    const rows = await Promise.all(shards.map((shard) => rowsOf(shard, minute)));
    const groups = summed(rows.flat());
    if (groups.length === 0) continue;
    const lines = groups.map((group) => `${JSON.stringify({ minute, ...group })}\n`);
    await putObject(BUCKET, keyOf(minute), lines.join(""));
    written.push(minute);
  }
  return { written };
};

/** `aggregates/dt=2026-09-27/hh=14/mm=05.ndjson`: to write it again changes nothing. */
const keyOf = (minute) =>
  `aggregates/dt=${minute.slice(0, 10)}/hh=${minute.slice(11, 13)}/mm=${minute.slice(14)}.ndjson`;

async function shardIds() {
  const ids = [];
  let page = { StreamName: STREAM };
  for (;;) {
    const { Shards = [], NextToken } = await kinesis.send(new ListShardsCommand(page));
    ids.push(...Shards.map(({ ShardId }) => ShardId));
    if (NextToken == null) return ids;
    page = { NextToken };
  }
}

async function rowsOf(shard, minute) {
  const query = {
    TableName: TABLE,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": { S: `${shard}#${minute}` } },
  };
  const { Items = [] } = await dynamodb.send(new QueryCommand(query)); // a few hundred groups a page
  return Items;
}

function summed(rows) {
  const groups = new Map();
  for (const { cell, events, sum } of rows) {
    const group = groups.get(cell.S) ?? { group: cell.S, events: 0, thousandths: 0 };
    group.events += Number(events.N);
    group.thousandths += Number(sum.N);
    groups.set(cell.S, group);
  }
  return [...groups.values()].sort((a, b) => (a.group < b.group ? -1 : 1));
}
