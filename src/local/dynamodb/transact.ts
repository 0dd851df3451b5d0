// TransactWriteItems and TransactGetItems over dynalite's store: all or nothing, seen whole.
import type { Json } from "../../core/change.ts";
import { AwsError } from "../aws-error.ts";
import { RequestTokens } from "./idempotency.ts";
import { type Entries, type EntryStore, type Item, Overlay } from "./overlay.ts";
import type { TableOperation } from "./table-operations.ts";
import {
  type Members,
  readsOf,
  type TransactAction,
  validation,
  writesOf,
} from "./transact-input.ts";
import type { Partition } from "./write-limits.ts";

/** What of dynalite a transaction is made of. */
export interface TransactStore {
  readonly store: EntryStore;
  /** Checks an operation's input as dynalite's server would; throws AwsError. */
  checked(operation: TableOperation, input: Members): object;
  /** Runs an operation on a store; rejects with AwsError. */
  runOn(store: EntryStore, operation: TableOperation, data: object): Promise<Members>;
  /** Where an item is; throws AwsError for a table or a key that is none. */
  placeOf(table: string, keyed: Members, whole: boolean): Promise<Place>;
  /** Takes what a write in a transaction costs; throws AwsError when its key has taken enough. */
  charge(partition: Partition, input: Members): void;
}

export interface Place {
  /** In dynalite's own form. */
  readonly key: string;
  readonly partition: Partition;
}

/** Why one action did not go through; `None` when it would have. */
interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

const NONE: Reason = { Code: "None" };
const PREFIX = "com.amazonaws.dynamodb.v20120810#";

/** An action, what it will do, and where. */
interface Prepared {
  readonly action: TransactAction;
  readonly data: object;
  /** null: `reason` says why there is none. */
  readonly key: string | null;
  readonly reason: Reason;
}

export class Transactions {
  readonly #open: () => TransactStore;
  readonly #tokens = new RequestTokens();
  /** Items that a transaction works on now: another one is refused, as on DynamoDB. */
  readonly #busy = new Set<string>();

  /** `open` is called with the first transaction. */
  constructor(open: () => TransactStore) {
    this.#open = open;
  }

  async write(input: Members, nowMs: number): Promise<object> {
    const { ClientRequestToken: token, ...request } = input;
    const given = typeof token === "string" ? token : undefined;
    return this.#tokens.once(given, request, nowMs, () => this.#write(writesOf(input)));
  }

  async read(input: Members): Promise<object> {
    const { store, runOn } = this.#open();
    return this.#within(readsOf(input), async (prepared) => {
      const responses: Members[] = [];
      for (const { data } of prepared) {
        const { Item } = await runOn(store, "GetItem", data);
        responses.push(Item === undefined ? {} : { Item });
      }
      return { Responses: responses };
    });
  }

  #write(actions: readonly TransactAction[]): Promise<object> {
    return this.#within(actions, async (prepared) => {
      const { store } = this.#open();
      const overlay = new Overlay(store);
      const reasons: Reason[] = [];
      for (const one of prepared) {
        // A condition is checked on a store of its own, which is then forgotten.
        const into = one.action.kind === "ConditionCheck" ? new Overlay(store) : overlay;
        reasons.push(await this.#try(one, into.store));
      }
      cancelUnlessNone(reasons);
      await overlay.apply();
      return {};
    });
  }

  async #try({ action, data, key }: Prepared, into: EntryStore): Promise<Reason> {
    const { store, runOn } = this.#open();
    try {
      await runOn(into, action.operation, data);
      return NONE;
    } catch (thrown) {
      const reason = reasonOf(thrown);
      if (reason.Code !== "ConditionalCheckFailed" || !action.returnsOld || key === null)
        return reason;
      const old = await itemOf(store.getItemDb(action.table), key);
      return old === undefined ? reason : { ...reason, Item: old };
    }
  }

  /** Does the work while nobody else writes these items; cancels when a transaction does. */
  async #within<T>(
    actions: readonly TransactAction[],
    work: (prepared: readonly Prepared[]) => Promise<T>,
  ): Promise<T> {
    const prepared = await this.#prepare(actions);
    cancelUnlessNone(prepared.map(({ reason }) => reason));
    const names = prepared.map(({ action, key }) => `${action.table}/${key}`);
    if (new Set(names).size < names.length)
      throw validation("Transaction request cannot include multiple operations on one item");
    cancelUnlessNone(names.map((name) => (this.#busy.has(name) ? CONFLICT : NONE)));
    for (const name of names) this.#busy.add(name);
    try {
      return await this.#locked(tablesOf(prepared), () => work(prepared));
    } finally {
      for (const name of names) this.#busy.delete(name);
    }
  }

  async #prepare(actions: readonly TransactAction[]): Promise<Prepared[]> {
    const { checked, placeOf, charge } = this.#open();
    const prepared: Prepared[] = [];
    for (const action of actions) {
      const data = checked(action.operation, action.input);
      try {
        const { key, partition } = await placeOf(action.table, action.keyed, action.kind === "Put");
        if (action.kind !== "Get") charge(partition, action.input);
        prepared.push({ action, data, key, reason: NONE });
      } catch (thrown) {
        prepared.push({ action, data, key: null, reason: reasonOf(thrown) });
      }
    }
    return prepared;
  }

  /** Single writes wait for these locks, too. Tables in one order: nobody waits in a ring. */
  #locked<T>(tables: readonly (readonly [string, string[]])[], work: () => Promise<T>): Promise<T> {
    const [first, ...rest] = tables;
    if (first === undefined) return work();
    const [table, keys] = first;
    return new Promise<T>((resolve, reject) => {
      this.#open()
        .store.getItemDb(table)
        .lock(keys, (release) => {
          const done = release((error, value) => (error ? reject(error) : resolve(value as T)));
          this.#locked(rest, work).then(
            (value) => done(null, value),
            (thrown) => done(thrown),
          );
        });
    });
  }
}

const CONFLICT: Reason = {
  Code: "TransactionConflict",
  Message: "Transaction is ongoing for the item",
};

function tablesOf(prepared: readonly Prepared[]): [string, string[]][] {
  const tables = new Map<string, string[]>();
  for (const { action, key } of prepared)
    tables.set(action.table, [...(tables.get(action.table) ?? []), key ?? ""]);
  return [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A refusal's name in a list of reasons. */
const THROTTLES = {
  ThrottlingException: "ThrottlingError",
  ProvisionedThroughputExceededException: "ProvisionedThroughputExceeded",
} as const;

/** Anything but a failed condition a throttle or a wrong value is thrown as it is. */
function reasonOf(thrown: unknown): Reason {
  if (!(thrown instanceof AwsError)) throw thrown;
  const type = thrown.code.split("#").at(-1);
  if (type === "ConditionalCheckFailedException")
    return { Code: "ConditionalCheckFailed", Message: thrown.message };
  if (type === "ThrottlingException" || type === "ProvisionedThroughputExceededException")
    return { Code: THROTTLES[type], Message: thrown.message };
  if (type === "ValidationException") return { Code: "ValidationError", Message: thrown.message };
  throw thrown;
}

function cancelUnlessNone(reasons: readonly Reason[]): void {
  if (reasons.every(({ Code }) => Code === "None")) return;
  const codes = reasons.map(({ Code }) => Code).join(", ");
  throw new AwsError(
    `${PREFIX}TransactionCanceledException`,
    400,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { messageKey: "Message", extra: { CancellationReasons: reasons as unknown as Json } },
  );
}

const itemOf = (entries: Entries, key: string): Promise<Item | undefined> =>
  new Promise((resolve) => {
    entries.get(key, (_missing, item) => resolve(item));
  });
