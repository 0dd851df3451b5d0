// dynalite's store with a transaction's own writes on top: nothing is written until all of it is.

export type Done<T> = (error: unknown, value?: T) => void;
export type Item = { readonly [attribute: string]: object };

/** One table's or index's part of dynalite's store. */
export interface Entries {
  get(key: string, done: Done<Item>): void;
  put(key: string, item: Item, done: Done<void>): void;
  del(key: string, done: Done<void>): void;
  /** dynalite's own lock: `release` wraps the callback that ends the work under it. */
  lock(
    keys: string | readonly string[],
    work: (release: (done: Done<unknown>) => Done<unknown>) => void,
  ): void;
}

export interface EntryStore {
  getItemDb(table: string): Entries;
  getIndexDb(type: string, table: string, index: string): Entries;
}

interface Layer {
  readonly below: Entries;
  /** Key → the item as it will be; null = deleted. */
  readonly writes: Map<string, Item | null>;
}

/** dynalite asks for this name only. */
const notFound = (): Error => Object.assign(new Error("not found"), { name: "NotFoundError" });

export class Overlay<S extends EntryStore> {
  /** What dynalite's operations take for the store. */
  readonly store: S;
  readonly #layers = new Map<Entries, Layer>();

  constructor(below: S) {
    const own: EntryStore = {
      getItemDb: (table) => this.#over(below.getItemDb(table)),
      getIndexDb: (type, table, index) => this.#over(below.getIndexDb(type, table, index)),
    };
    this.store = Object.assign(Object.create(below), own) as S;
  }

  /** Writes all of it to the store below, one after the other. */
  async apply(): Promise<void> {
    for (const { below, writes } of this.#layers.values())
      for (const [key, item] of writes)
        await new Promise<void>((resolve, reject) => {
          const done: Done<void> = (error) => (error ? reject(error) : resolve());
          if (item === null) below.del(key, done);
          else below.put(key, item, done);
        });
  }

  #over(below: Entries): Entries {
    const known = this.#layers.get(below);
    const layer = known ?? { below, writes: new Map() };
    if (known === undefined) this.#layers.set(below, layer);
    const { writes } = layer;
    const write = (key: string, item: Item | null, done: Done<void>): void => {
      writes.set(key, item);
      setImmediate(() => done(null));
    };
    return {
      get(key, done) {
        const own = writes.get(key);
        if (own === undefined) below.get(key, done);
        else setImmediate(() => (own === null ? done(notFound()) : done(null, own)));
      },
      put: write,
      del: (key, done) => write(key, null, done),
      lock: (_keys, work) => work((done) => done), // the transaction holds all of its locks
    };
  }
}
