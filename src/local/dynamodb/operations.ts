// DynamoDB's operations: all of dynalite's, each passed through.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { TABLE_OPERATIONS } from "./table-store.ts";

type DynamoOperation = (world: World, input: JsonInput) => Promise<object>;

export const DYNAMODB_OPERATIONS: { readonly [name: string]: DynamoOperation } = Object.fromEntries(
  TABLE_OPERATIONS.map((name): [string, DynamoOperation] => [
    name,
    (world, input) => world.tables.run(name, input),
  ]),
);
