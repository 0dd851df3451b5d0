// DynamoDB's tables: dynalite's store and operations, called without its HTTP server.

import { createRequire } from "node:module";
import { AwsError } from "../aws-error.ts";
import type { TableSpec } from "../template/types.ts";
import { said } from "../wire/said.ts";
import type { Done, EntryStore } from "./overlay.ts";
import { TABLE_OPERATIONS, type TableOperation } from "./table-operations.ts";
import { Transactions, type TransactStore } from "./transact.ts";
import type { Partition, WriteLimits } from "./write-limits.ts";

type Members = { readonly [member: string]: unknown };
interface Store extends EntryStore {
  readonly tableDb: { awsAccountId: string; awsRegion: string };
  getTable(name: string, done: Done<Table>): void;
}

/** A table as dynalite keeps it. */
interface Table {
  readonly TableArn: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly BillingModeSummary?: { readonly BillingMode: string };
}
type Action = (store: EntryStore, data: object, done: Done<object>) => void;

interface Validation {
  readonly types: object;
  readonly custom?: unknown;
}

/** dynalite's modules; it has no types and no exports map, so they are taken by path. */
interface Dynalite {
  readonly store: Store;
  check(data: object, shape: Validation): object;
  readonly actions: { readonly [name: string]: { run: Action; shape: Validation } };
  readonly keys: DynaliteKeys;
}

/** dynalite's own checks of keys give an error, or nothing. */
interface DynaliteKeys {
  validateKey(key: Members, table: object): unknown;
  validateItem(item: Members, table: object): unknown;
  createKey(item: Members, table: object): string;
}

export class TableStore {
  readonly #account: string;
  readonly #region: string;
  readonly transactions = new Transactions(() => this.#transactStore());
  readonly #limits: WriteLimits | null;
  #dynalite: Dynalite | undefined;

  /** Without limits every key takes whatever comes. */
  constructor(account: string, region: string, limits: WriteLimits | null = null) {
    this.#account = account;
    this.#region = region;
    this.#limits = limits;
  }

  /** Throws AwsError with DynamoDB's own type and text. */
  async run(operation: TableOperation, input: Members): Promise<object> {
    const { store, checked, runOn, placeOf } = this.#transactStore();
    const data = checked(operation, input);
    const keyed = this.#limits === null ? undefined : WRITTEN[operation]?.(input);
    if (keyed !== undefined) {
      const { partition } = await placeOf(said(input.TableName), keyed, operation === "PutItem");
      this.#limits?.take(partition, sizeBytesOf(input));
    }
    return runOn(store, operation, data);
  }

  #transactStore(): TransactStore {
    const { store, check, actions, keys } = this.#loaded();
    return {
      store,
      checked: (operation, input) =>
        inOurWords(() => check({ ...input }, actions[operation]!.shape)),
      runOn: (on, operation, data) =>
        called<object>((done) => inOurWords(() => actions[operation]!.run(on, data, done))).then(
          (output) => ({ ...output }),
        ),
      async placeOf(name, keyed, whole) {
        const table = await called<Table>((done) => store.getTable(name, done));
        const wrong = whole ? keys.validateItem(keyed, table) : keys.validateKey(keyed, table);
        if (wrong != null) throw refusalOf(wrong) ?? wrong;
        return { key: keys.createKey(keyed, table), partition: partitionOf(table, keyed) };
      },
      charge: (partition, input) => this.#limits?.take(partition, sizeBytesOf(input), 2),
    };
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

/** What says which item a single write is about. */
const WRITTEN: { readonly [operation: string]: (input: Members) => Members } = {
  DeleteItem: ({ Key: key }) => key as Members,
  PutItem: ({ Item: item }) => item as Members,
  UpdateItem: ({ Key: key }) => key as Members,
};

/** About the size of what is written: attributes that an update leaves alone are not in it. */
const sizeBytesOf = ({ Item, ExpressionAttributeValues }: Members): number =>
  JSON.stringify(Item ?? ExpressionAttributeValues ?? "").length;

function partitionOf(
  { TableArn, KeySchema, BillingModeSummary }: Table,
  keyed: Members,
): Partition {
  const hash = KeySchema.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "";
  return {
    tableArn: TableArn,
    value: JSON.stringify(keyed[hash]),
    onDemand: BillingModeSummary?.BillingMode === "PAY_PER_REQUEST",
  };
}

/** A function of dynalite's that calls back, as a promise. */
function called<T extends object>(work: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    work((error, value) => {
      if (error) reject(refusalOf(error) ?? error);
      else resolve(value ?? ({} as T));
    });
  });
}

function inOurWords<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw refusalOf(thrown) ?? malformed(thrown);
  }
}

function load(account: string, region: string): Dynalite {
  const require = createRequire(import.meta.url);
  const { create, ...keys } = require("dynalite/db") as DynaliteKeys & {
    create(options: object): Store;
  };
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
    keys,
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
