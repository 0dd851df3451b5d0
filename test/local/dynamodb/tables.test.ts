// DynamoDB through the SDK: the template's table, conditions, queries, scans, refusals.
import {
  BatchWriteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { QUEUES_TEMPLATE, refusalOf, startSystem } from "../clients.ts";

let local: LocalAws;
let db: DynamoDBClient;
let TableName: string;

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE });
  TableName = local.outputs.Table ?? "";
  db = new DynamoDBClient({
    endpoint: local.endpoint,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  });
});
afterAll(() => local.stop());

const put = (id: string, more: object = {}) =>
  db.send(
    new PutItemCommand({ TableName, Item: { eventId: { S: id }, depot: { S: "ghent" } }, ...more }),
  );

it("has the template's table, active, in the account and region of local AWS", async () => {
  expect((await db.send(new ListTablesCommand({}))).TableNames).toEqual(["local-Deliveries"]);
  const { Table } = await db.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    TableStatus: "ACTIVE",
    TableArn: "arn:aws:dynamodb:eu-west-1:000000000000:table/local-Deliveries",
    KeySchema: [{ AttributeName: "eventId", KeyType: "HASH" }],
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
  });
});

it("puts once under a condition, also of many at once", async () => {
  const ConditionExpression = "attribute_not_exists(eventId)";
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => put("once", { ConditionExpression })),
  );
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await refusalOf(put("once", { ConditionExpression }))).toMatchObject({
    name: "ConditionalCheckFailedException",
    message: "The conditional request failed",
    status: 400,
  });
});

it("counts atomically, and reads, queries and scans", async () => {
  const Key = { eventId: { S: "counter" } };
  const ExpressionAttributeValues = { ":one": { N: "1" } };
  await Promise.all(
    Array.from({ length: 25 }, () =>
      db.send(
        new UpdateItemCommand({
          TableName,
          Key,
          UpdateExpression: "ADD seen :one",
          ExpressionAttributeValues,
        }),
      ),
    ),
  );
  const { Item } = await db.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  expect(Item).toEqual({ ...Key, seen: { N: "25" } });
  const Requests = ["a", "b", "c"].map((id) => ({ PutRequest: { Item: { eventId: { S: id } } } }));
  await db.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: Requests } }));
  const queried = await db.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "eventId = :id",
      ExpressionAttributeValues: { ":id": { S: "b" } },
    }),
  );
  expect(queried.Items).toEqual([{ eventId: { S: "b" } }]);
  const found: (string | undefined)[] = [];
  let page: Awaited<ReturnType<typeof scan>> | undefined;
  do {
    page = await scan(page?.LastEvaluatedKey);
    found.push(...(page.Items ?? []).map(({ eventId }) => eventId?.S));
  } while (page.LastEvaluatedKey !== undefined);
  expect(found.sort()).toEqual(["a", "b", "c", "counter", "once"]);
});

const scan = (ExclusiveStartKey: QueryCommand["input"]["ExclusiveStartKey"]) =>
  db.send(new ScanCommand({ TableName, Limit: 2, ExclusiveStartKey }));

it("refuses a table that is not there as DynamoDB does", async () => {
  const get = new GetItemCommand({ TableName: "nobody", Key: { eventId: { S: "a" } } });
  expect(await refusalOf(db.send(get))).toMatchObject({
    name: "ResourceNotFoundException",
    message: "Requested resource not found",
    status: 400,
  });
});
