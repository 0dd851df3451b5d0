// Transactions through the SDK: all or nothing, reasons by position, tokens, races.
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { QUEUES_TEMPLATE, refusalOf, startSystem } from "../clients.ts";

let local: LocalAws;
let db: DynamoDBClient;
const [CELLS, MARKS] = ["cells", "marks"];

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE });
  db = new DynamoDBClient({
    endpoint: local.endpoint,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  });
  for (const TableName of [CELLS, MARKS])
    await db.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [
          { AttributeName: "id", AttributeType: "S" },
          { AttributeName: "group", AttributeType: "S" },
        ],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
        GlobalSecondaryIndexes: [
          {
            IndexName: "byGroup",
            KeySchema: [{ AttributeName: "group", KeyType: "HASH" }],
            Projection: { ProjectionType: "ALL" },
          },
        ],
      }),
    );
});
afterAll(() => local.stop());

let n = 0;
let id: string;
beforeEach(() => {
  id = `item-${n++}`;
});

const write = (items: TransactWriteItem[], ClientRequestToken?: string) =>
  db.send(
    new TransactWriteItemsCommand({
      TransactItems: items,
      ...(ClientRequestToken === undefined ? {} : { ClientRequestToken }),
    }),
  );

async function read(TableName: string, key = id) {
  const { Item } = await db.send(
    new GetItemCommand({ TableName, Key: { id: { S: key } }, ConsistentRead: true }),
  );
  return Item;
}
const countOf = async (key = id) => Number((await read(CELLS, key))?.count?.N ?? 0);

/** Adds to a cell and moves its mark on, if the mark is where it was read. */
const step = (by: number, from: number, key = id): TransactWriteItem[] => [
  {
    Update: {
      TableName: CELLS,
      Key: { id: { S: key } },
      UpdateExpression: "ADD #c :by",
      ExpressionAttributeNames: { "#c": "count" },
      ExpressionAttributeValues: { ":by": { N: `${by}` } },
    },
  },
  {
    Update: {
      TableName: MARKS,
      Key: { id: { S: key } },
      UpdateExpression: "SET mark = :to",
      ConditionExpression: from === 0 ? "attribute_not_exists(mark)" : "mark = :from",
      ExpressionAttributeValues: {
        ":to": { N: `${from + by}` },
        ...(from === 0 ? {} : { ":from": { N: `${from}` } }),
      },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  },
];

describe("a transaction", () => {
  it("writes all of its items, in two tables", async () => {
    await write(step(3, 0));
    await write(step(4, 3));
    expect([await read(CELLS), await read(MARKS)]).toEqual([
      { id: { S: id }, count: { N: "7" } },
      { id: { S: id }, mark: { N: "7" } },
    ]);
  });

  it("writes nothing when one condition fails, and says which and what was there", async () => {
    await write(step(3, 0));
    const refused = await refusalOf(write(step(3, 1)));
    expect(refused).toMatchObject({
      name: "TransactionCanceledException",
      message:
        "Transaction cancelled, please refer cancellation reasons for specific reasons " +
        "[None, ConditionalCheckFailed]",
      status: 400,
      CancellationReasons: [
        { Code: "None" },
        {
          Code: "ConditionalCheckFailed",
          Message: "The conditional request failed",
          Item: { id: { S: id }, mark: { N: "3" } },
        },
      ],
    });
    expect(await countOf()).toBe(3);
  });

  it("puts, deletes, checks, and keeps its indexes in step", async () => {
    const [gone, checked] = [`${id}-gone`, `${id}-checked`];
    const item = (key: string) => ({ id: { S: key }, group: { S: id } });
    for (const key of [gone, checked])
      await db.send(new PutItemCommand({ TableName: CELLS, Item: item(key) }));
    const exists = "attribute_exists(id)";
    await write([
      {
        Put: { TableName: CELLS, Item: item(id), ConditionExpression: "attribute_not_exists(id)" },
      },
      { Delete: { TableName: CELLS, Key: { id: { S: gone } }, ConditionExpression: exists } },
      {
        ConditionCheck: {
          TableName: CELLS,
          Key: { id: { S: checked } },
          ConditionExpression: exists,
        },
      },
    ]);
    const { Items = [] } = await db.send(
      new QueryCommand({
        TableName: CELLS,
        IndexName: "byGroup",
        KeyConditionExpression: "#g = :g",
        ExpressionAttributeNames: { "#g": "group" },
        ExpressionAttributeValues: { ":g": { S: id } },
      }),
    );
    expect(Items.map((one) => one.id?.S).sort()).toEqual([id, checked].sort());
  });

  it("of a wrong value is cancelled with that reason", async () => {
    await db.send(
      new PutItemCommand({ TableName: CELLS, Item: { id: { S: id }, count: { S: "text" } } }),
    );
    expect(await refusalOf(write(step(1, 0)))).toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "ValidationError" }, { Code: "None" }],
    });
  });

  it.each<[string, () => TransactWriteItem[], string]>([
    ["without items", () => [], "have length greater than or equal to 1"],
    [
      "with 101 items",
      () => Array.from({ length: 101 }, (_, i) => step(1, 0, `x${i}`)[0]!),
      "have length less than or equal to 100",
    ],
    [
      "with an item twice",
      () => [...step(1, 0), step(2, 0)[0]!],
      "multiple operations on one item",
    ],
    [
      "with two actions in one",
      () => [{ ...step(1, 0)[0]!, Put: { TableName: CELLS, Item: {} } }],
      "one of Check, Put, Update or Delete",
    ],
  ])("%s is refused before anything is looked at", async (_, items, text) => {
    expect(await refusalOf(write(items()))).toMatchObject({
      name: "ValidationException",
      message: expect.stringContaining(text),
    });
  });

  it("on a table that is none is refused as a whole", async () => {
    const [first] = step(1, 0);
    const elsewhere = { Update: { ...first!.Update!, TableName: "nowhere" } };
    expect(await refusalOf(write([elsewhere]))).toMatchObject({
      name: "ResourceNotFoundException",
    });
  });
});

describe("a client request token", () => {
  it("makes a repeated request do nothing and succeed", async () => {
    await write(step(3, 0), `token-${id}`);
    await write(step(3, 0), `token-${id}`);
    expect(await countOf()).toBe(3);
  });

  it("is refused with another request", async () => {
    await write(step(3, 0), `token-${id}`);
    expect(await refusalOf(write(step(4, 3), `token-${id}`))).toMatchObject({
      name: "IdempotentParameterMismatchException",
    });
  });

  it("is free again after a failure", async () => {
    await refusalOf(write(step(4, 3), `token-${id}`));
    await write(step(3, 0), `token-${id}`);
    await write(step(4, 3), `token2-${id}`);
    expect(await countOf()).toBe(7);
  });
});

describe("reading in a transaction", () => {
  it("gives items by position, projected, and nothing for those that are not there", async () => {
    await write(step(3, 0));
    const Key = { id: { S: id } };
    const { Responses } = await db.send(
      new TransactGetItemsCommand({
        TransactItems: [
          { Get: { TableName: CELLS, Key: { id: { S: "nobody" } } } },
          { Get: { TableName: MARKS, Key, ProjectionExpression: "mark" } },
        ],
      }),
    );
    expect(Responses).toEqual([{}, { Item: { mark: { N: "3" } } }]);
  });

  it("never sees half of a write", async () => {
    await write(step(1, 0));
    let mark = 1;
    let whole = 0;
    const looks: Promise<void>[] = [];
    const look = async (): Promise<void> => {
      const Key = { id: { S: id } };
      const items = [CELLS, MARKS].map((TableName) => ({ Get: { TableName, Key } }));
      const seen = await db
        .send(new TransactGetItemsCommand({ TransactItems: items }))
        .catch(() => undefined); // a conflict with the write
      const [cell, at] = seen?.Responses ?? [];
      expect(cell?.Item?.count).toEqual(at?.Item?.mark);
      if (cell?.Item !== undefined) whole++;
    };
    for (let round = 0; round < 15; round++) {
      looks.push(look(), look());
      await write(step(1, mark)).then(
        () => mark++,
        () => {}, // a conflict with a look
      );
    }
    await Promise.all(looks);
    expect(whole).toBeGreaterThan(0);
    expect(await countOf()).toBe(mark);
  });
});

describe("racing", () => {
  it("transactions over the same mark: one wins each time, and nothing is counted twice", async () => {
    let mark = 0;
    for (let round = 0; round < 10; round++) {
      const tries = Array.from({ length: 8 }, () =>
        write(step(1, mark)).then(
          () => true,
          ({ name }) => {
            expect(name).toBe("TransactionCanceledException");
            return false;
          },
        ),
      );
      const won = (await Promise.all(tries)).filter(Boolean).length;
      expect(won).toBe(1);
      mark++;
    }
    expect(await countOf()).toBe(10);
  });

  it("single writes and transactions on one item lose no increment", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 5, maxLength: 25 }), async (kinds) => {
        const key = `race-${n++}`;
        const [{ Update }] = step(1, 0, key) as [TransactWriteItem];
        const wins = await Promise.all(
          kinds.map((single) =>
            (single ? db.send(new UpdateItemCommand(Update!)) : write([{ Update: Update! }])).then(
              () => 1,
              () => 0, // a conflict of two transactions
            ),
          ),
        );
        expect(await countOf(key)).toBe(wins.reduce<number>((sum, one) => sum + one, 0));
      }),
      { numRuns: 15 },
    );
  });
});
