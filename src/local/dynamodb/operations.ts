// DynamoDB's operations: all of dynalite's, each passed through, and transactions.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { TABLE_OPERATIONS } from "./table-operations.ts";

type DynamoOperation = (world: World, input: JsonInput) => Promise<object>;

const PASSED_THROUGH = TABLE_OPERATIONS.map((name): [string, DynamoOperation] => [
  name,
  (world, input) => world.tables.run(name, input),
]);

export const DYNAMODB_OPERATIONS: { readonly [name: string]: DynamoOperation } = {
  ...Object.fromEntries(PASSED_THROUGH),
  TransactGetItems: (world, input) => world.tables.transactions.read(input),
  TransactWriteItems: (world, input) =>
    world.tables.transactions.write(input, world.clock.wallMs()),
};
