// DynamoDB's tables: dynalite's store and operations, called without its HTTP server.
import { createRequire } from "node:module";
import { AwsError } from "../aws-error.ts";
import type { TableSpec } from "../template/types.ts";

/** All operations that dynalite has. */
export const TABLE_OPERATIONS = [
  "BatchGetItem",
  "BatchWriteItem",
  "CreateTable",
  "DeleteItem",
  "DeleteTable",
  "DescribeTable",
  "DescribeTimeToLive",
  "GetItem",
  "ListTables",
  "ListTagsOfResource",
  "PutItem",
  "Query",
  "Scan",
  "TagResource",
  "UntagResource",
  "UpdateItem",
  "UpdateTable",
] as const;
export type TableOperation = (typeof TABLE_OPERATIONS)[number];

type Members = { readonly [member: string]: unknown };
type Store = object & { readonly tableDb: { awsAccountId: string; awsRegion: string } };
type Action = (store: Store, data: object, done: (error: unknown, data?: object) => void) => void;

interface Validation {
  readonly types: object;
  readonly custom?: unknown;
}

/** dynalite's modules; it has no types and no exports map, so they are taken by path. */
interface Dynalite {
  readonly store: Store;
  check(data: object, shape: Validation): object;
  readonly actions: { readonly [name: string]: { run: Action; shape: Validation } };
}

export class TableStore {
  readonly #account: string;
  readonly #region: string;
  #dynalite: Dynalite | undefined;

  constructor(account: string, region: string) {
    this.#account = account;
    this.#region = region;
  }

  /** Throws AwsError with DynamoDB's own type and text. */
  async run(operation: TableOperation, input: Members): Promise<object> {
    const { store, check, actions } = this.#loaded();
    const { run, shape } = actions[operation]!;
    try {
      const data = check({ ...input }, shape);
      return await new Promise<object>((resolve, reject) => {
        run(store, data, (error, output = {}) => (error ? reject(error) : resolve(output)));
      });
    } catch (thrown) {
      throw refusalOf(thrown) ?? malformed(thrown);
    }
  }

  /** A table that is active when the template has been deployed. */
  async deployed({ name, request }: TableSpec): Promise<void> {
    await this.run("CreateTable", request as Members);
    for (;;) {
      const { Table } = (await this.run("DescribeTable", { TableName: name })) as {
        Table: { TableStatus: string };
      };
      if (Table.TableStatus === "ACTIVE") return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Loaded with the first table or call: most systems have none. */
  #loaded(): Dynalite {
    this.#dynalite ??= load(this.#account, this.#region);
    return this.#dynalite;
  }
}

function load(account: string, region: string): Dynalite {
  const require = createRequire(import.meta.url);
  const { create } = require("dynalite/db") as { create(options: object): Store };
  const validations = require("dynalite/validations") as {
    checkTypes(data: object, types: object): object;
    checkValidations(data: object, types: object, custom: unknown, store: Store): void;
  };
  const store = create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  store.tableDb.awsAccountId = account;
  store.tableDb.awsRegion = region;
  const actions = TABLE_OPERATIONS.map((name) => {
    const file = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    const run = require(`dynalite/actions/${file}`) as Action;
    const shape = require(`dynalite/validations/${file}`) as Validation;
    return [name, { run, shape }] as const;
  });
  return {
    store,
    check(data, { types, custom }) {
      const known = validations.checkTypes(data, types);
      validations.checkValidations(known, types, custom, store);
      return known;
    },
    actions: Object.fromEntries(actions),
  };
}

/** dynalite trips over null where a structure belongs, which DynamoDB cannot even read. */
const malformed = (thrown: unknown): unknown =>
  thrown instanceof TypeError
    ? new AwsError(
        "com.amazon.coral.service#SerializationException",
        400,
        "Unexpected value type in payload",
      )
    : thrown;

/** What dynalite answers a refusal with; null for anything else. */
function refusalOf(thrown: unknown): AwsError | null {
  const { statusCode, body } = thrown as { statusCode?: unknown; body?: Members };
  if (typeof statusCode !== "number" || body === undefined) return null;
  const { __type: type, message, Message, ...extra } = body;
  const messageKey = message === undefined && Message !== undefined ? "Message" : "message";
  return new AwsError(String(type), statusCode, String(message ?? Message ?? ""), {
    messageKey,
    extra: extra as { readonly [member: string]: string },
  });
}
