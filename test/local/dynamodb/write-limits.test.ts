// A hot key: what one partition key takes in a second, in virtual time.
import { beforeEach, expect, it } from "vitest";
import { TableStore } from "../../../src/local/dynamodb/table-store.ts";
import { WriteLimits } from "../../../src/local/dynamodb/write-limits.ts";
import { TestClock } from "../../support/test-clock.ts";

let clock: TestClock;
let tables: TableStore;

const table = (name: string, more: object) => ({
  name,
  request: {
    TableName: name,
    AttributeDefinitions: [
      { AttributeName: "id", AttributeType: "S" },
      { AttributeName: "at", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "id", KeyType: "HASH" },
      { AttributeName: "at", KeyType: "RANGE" },
    ],
    ...more,
  },
});

beforeEach(async () => {
  clock = new TestClock();
  tables = new TableStore("000000000000", "eu-west-1", new WriteLimits(clock, 10));
  await tables.deployed(table("cells", { BillingMode: "PAY_PER_REQUEST" }));
  const ProvisionedThroughput = { ReadCapacityUnits: 5, WriteCapacityUnits: 5 };
  await tables.deployed(table("fixed", { ProvisionedThroughput }));
});

const put = (id: string, at: number, TableName = "cells", more: object = {}) =>
  tables.run("PutItem", { TableName, Item: { id: { S: id }, at: { N: `${at}` }, ...more } });

/** How many of `count` single writes are taken at once. */
async function taken(count: number, id: string): Promise<number> {
  const each = Array.from({ length: count }, (_, at) =>
    put(id, at).then(
      () => 1,
      () => 0,
    ),
  );
  return (await Promise.all(each)).reduce<number>((sum, one) => sum + one, 0);
}

it("takes a second's worth at once, whatever the sort key, and refills", async () => {
  expect([await taken(15, "hot"), await taken(3, "cool")]).toEqual([10, 3]);
  await clock.advance(500);
  expect(await taken(15, "hot")).toBe(5);
});

it("says as AWS does who is refused, by the table's billing mode", async () => {
  await taken(10, "hot");
  await expect(put("hot", 99)).rejects.toMatchObject({
    code: "com.amazonaws.dynamodb.v20120810#ThrottlingException",
    extra: {
      throttlingReasons: [
        {
          reason: "TableWriteKeyRangeThroughputExceeded",
          resource: "arn:aws:dynamodb:eu-west-1:000000000000:table/cells",
        },
      ],
    },
  });
  for (let at = 0; at < 10; at++) await put("hot", at, "fixed");
  await expect(put("hot", 99, "fixed")).rejects.toMatchObject({
    code: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
  });
});

it("counts a kilobyte as a unit, and a transaction twice", async () => {
  await put("large", 0, "cells", { text: { S: "x".repeat(8_000) } });
  expect(await taken(15, "large")).toBe(2);
  const Item = { id: { S: "both" }, at: { N: "1" } };
  const TransactItems = [{ Put: { TableName: "cells", Item } }];
  for (let i = 0; i < 5; i++) await tables.transactions.write({ TransactItems }, 0);
  await expect(tables.transactions.write({ TransactItems }, 0)).rejects.toMatchObject({
    extra: { CancellationReasons: [{ Code: "ThrottlingError" }] },
  });
});
