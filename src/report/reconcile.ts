// Reconciliation of one sink: the ledgers of its loads against what it held, counted and named.
import type { PlannedSink, SinkFile } from "../core/ledger-facts.ts";
import { ACTED, GIVEN_UP, MAYBE } from "./arrival-table.ts";
import type { Facts } from "./facts-reader.ts";
import { DIFFERENCES, type DifferenceKind, type Kind, LedgerBook } from "./ledger-book.ts";
import { cellsOf } from "./reconcile-cells.ts";
import { NO_SHARD, sumsOf } from "./reconcile-counts.ts";
import type { Difference, SinkResult } from "./reconcile-result.ts";
import { stretchesOf } from "./reconcile-stretches.ts";
import { placesOf, type WindowNames } from "./reconcile-windows.ts";
import type { Tables } from "./tables.ts";
import type { Windows } from "./windows.ts";

/** Named in the report, of each kind; `differences` gives all. */
const NAMED_MAX = 100;
const FOREIGN_EXAMPLES = 3;

/** A sink's two books, and what they come to. */
export interface Reconciled {
  readonly result: SinkResult;
  readonly book: LedgerBook;
}

/** Every sink of the plan, and any other whose effects were recorded. */
export async function reconcileAll(
  facts: Facts,
  tables: Tables,
  windows: Windows,
): Promise<Reconciled[]> {
  const names = placesOf(tables.plan, windows);
  const planned = facts.plan.sinks ?? [];
  const others = facts.sinks.filter((sink) => !planned.some(({ name }) => name === sink.name));
  const all: Reconciled[] = [];
  for (const sink of [...planned, ...others]) {
    const file = facts.sinks.find(({ name }) => name === sink.name) ?? null;
    all.push(await reconcile(facts, tables, names, sink, file));
  }
  return all;
}

async function reconcile(
  facts: Facts,
  tables: Tables,
  names: WindowNames,
  sink: PlannedSink,
  file: SinkFile | null,
): Promise<Reconciled> {
  const book = await ledgerOf(facts, tables, sink);
  if (sink.counted === true) return { book, result: await countedResult(facts, sink, file, book) };
  const foreign = { rows: 0, examples: [] as string[] };
  if (file !== null && file.look > 0)
    for await (const rows of facts.effects(file)) {
      const count = rows.ints("count");
      const firstLook = rows.ints("first_look");
      for (let row = 0; row < rows.rows; row++) {
        const id = rows.text("id", row) ?? "";
        const cell = sink.cells ? rows.text("cell", row) : null;
        if (book.found({ id, cell, count: count[row]!, late: firstLook[row]! > 1 })) continue;
        foreign.rows++;
        if (foreign.examples.length < FOREIGN_EXAMPLES) foreign.examples.push(id);
      }
    }
  const differences = (): AsyncIterable<Difference> =>
    differencesOf(facts, tables, { sink, book, names });
  return { book, result: await resultOf(sink, file, { book, foreign, names, differences }) };
}

/** What was sent: the plan's ids, with what the attempts say about each. */
async function ledgerOf(facts: Facts, tables: Tables, sink: PlannedSink): Promise<LedgerBook> {
  const book = new LedgerBook();
  const shards = sink.by_shard === true ? await shardsOf(facts) : null;
  for (const name of sink.of) {
    const load = facts.plan.loads.findIndex((one) => one.name === name);
    // A shadow's second arm goes to another system: the sink is the candidate's.
    const table = tables.arrivals.find((one) => one.load === load && one.arm === 0);
    if (table === undefined) continue;
    const shardOf = (index: number): string =>
      shards === null ? "" : shardPrefix(shards.get(load)?.get(index));
    for await (const rows of facts.ledger(name)) {
      const index = rows.ints("index");
      for (let row = 0; row < rows.rows; row++) {
        const i = index[row]!;
        book.enter({
          id: rows.text("id", row) ?? "",
          cell: shardOf(i) + (rows.text("cell", row) ?? ""),
          load,
          index: i,
          // Nothing was recorded of it: a run that was killed may have sent it.
          acted: i < table.length ? table.actedOf(i) : MAYBE,
          dueUs: i < table.length ? table.dueUs[i]! : 0,
        });
      }
    }
  }
  return book;
}

/** Load → index → shard that stored the arrival, as the stream said. */
async function shardsOf(facts: Facts): Promise<Map<number, Map<number, number>>> {
  const loads = new Map<number, Map<number, number>>();
  for await (const rows of facts.items(["load", "index", "shard"])) {
    const [load, index, shard] = [rows.ints("load"), rows.ints("index"), rows.ints("shard")];
    for (let row = 0; row < rows.rows; row++) {
      if (shard[row]! < 0) continue;
      const of = loads.get(load[row]!) ?? new Map<number, number>();
      loads.set(load[row]!, of.set(index[row]!, shard[row]!));
    }
  }
  return loads;
}

const SHARD_DIGITS = 12;

const shardPrefix = (shard: number | undefined): string =>
  shard === undefined ? NO_SHARD : `shardId-${String(shard).padStart(SHARD_DIGITS, "0")}/`;

/** Of a sink that holds sums: no event of it can be named, or placed in time. */
async function countedResult(
  facts: Facts,
  sink: PlannedSink,
  file: SinkFile | null,
  book: LedgerBook,
): Promise<SinkResult> {
  const observed = new Map<string, number>();
  const foreign = { rows: 0, examples: [] as string[] };
  const known = new Set(book.cells.texts);
  if (file !== null && file.look > 0)
    for await (const rows of facts.effects(file)) {
      const count = rows.ints("count");
      for (let row = 0; row < rows.rows; row++) {
        const cell = rows.text("id", row) ?? "";
        if (known.has(cell)) observed.set(cell, (observed.get(cell) ?? 0) + count[row]!);
        else if (foreign.rows++ < FOREIGN_EXAMPLES) foreign.examples.push(cell);
      }
    }
  return {
    ...headOf(sink, file, book),
    ...sumsOf(book, observed),
    ...{ unexpected: 0, misplaced: 0, late: 0, foreign, windows: [], stretches: [], named: [] },
    differences: async function* () {},
  };
}

/** What is known of the sink and its ledger before anything is compared. */
function headOf({ name, kind, of, counted }: PlannedSink, file: SinkFile | null, book: LedgerBook) {
  const first = file?.looks[0];
  const last = file?.looks.at(-1);
  return {
    ...{ name, kind, of, counted: counted === true },
    ...{ arrivals: book.arrivals, events: book.events },
    state: file?.state ?? ("never" as const),
    detail: file?.detail ?? "",
    read: (file?.look ?? 0) > 0,
    settledUs: first === undefined || last === undefined ? null : last.at_us - first.from_us,
  };
}

interface Parts {
  readonly book: LedgerBook;
  readonly foreign: SinkResult["foreign"];
  readonly names: WindowNames;
  readonly differences: () => AsyncIterable<Difference>;
}

async function resultOf(
  sink: PlannedSink,
  file: SinkFile | null,
  { book, foreign, names, differences }: Parts,
): Promise<SinkResult> {
  const by = new Map<Kind, number>();
  const places = new Map<string, { [kind in DifferenceKind]?: number }>();
  const sums = { acknowledged: 0, unsure: 0, givenUp: 0, extra: 0, late: 0 };
  for (let event = 0; event < book.events; event++) {
    const kind = book.kind(event);
    by.set(kind, (by.get(kind) ?? 0) + 1);
    if (book.acted[event] === ACTED) sums.acknowledged++;
    else if (book.acted[event] === MAYBE) sums.unsure++;
    else if (book.acted[event] === GIVEN_UP && kind === "lost") sums.givenUp++;
    if (book.late[event] === 1) sums.late++;
    if (kind === "duplicated") sums.extra += book.seen[event]! - 1;
    if (kind === "matched" || kind === "not-sent") continue;
    const place = names.at(book.dueUs[event]!);
    const counts = places.get(place) ?? {};
    counts[kind] = (counts[kind] ?? 0) + 1;
    places.set(place, counts);
  }
  const of = (kind: Kind): number => by.get(kind) ?? 0;
  const different = DIFFERENCES.some((one) => of(one) > 0);
  return {
    ...headOf(sink, file, book),
    ...sums,
    ...{ matched: of("matched"), notSent: of("not-sent") },
    ...{ lost: of("lost"), duplicated: of("duplicated"), undecided: of("undecided") },
    ...{ unexpected: of("unexpected"), misplaced: of("misplaced") },
    foreign,
    cells: cellsOf(book, null),
    windows: names.order.flatMap((window) => {
      const counts = places.get(window);
      return counts === undefined ? [] : [{ window, counts }];
    }),
    stretches: different ? stretchesOf(book, (load) => names.loads[load] ?? "") : [],
    named: different ? await firstOf(differences()) : [],
    differences,
  };
}

/** The first of each kind, kinds in their order. */
async function firstOf(all: AsyncIterable<Difference>): Promise<Difference[]> {
  const first = new Map<DifferenceKind, Difference[]>(DIFFERENCES.map((kind) => [kind, []]));
  for await (const difference of all) {
    const list = first.get(difference.kind)!;
    if (list.length < NAMED_MAX) list.push(difference);
  }
  return [...first.values()].flat();
}

/** In order of load and index. The texts of ids are read again: in memory are only their keys. */
async function* differencesOf(
  facts: Facts,
  tables: Tables,
  { sink, book, names }: { sink: PlannedSink; book: LedgerBook; names: WindowNames },
): AsyncIterable<Difference> {
  for (const name of sink.of) {
    const load = tables.plan.loads.findIndex((one) => one.name === name);
    for await (const rows of facts.ledger(name)) {
      const index = rows.ints("index");
      for (let row = 0; row < rows.rows; row++) {
        const id = rows.text("id", row) ?? "";
        const event = book.eventOf(id, load, index[row]!);
        if (event < 0) continue;
        const kind = book.kind(event);
        if (kind === "matched" || kind === "not-sent") continue;
        const found: { [cell: string]: number } = {};
        book.eachCell(event, (cell, count) => {
          found[book.cells.texts[cell] ?? ""] = count;
        });
        const dueUs = book.dueUs[event]!;
        const cell = book.cells.texts[book.cell[event]!] ?? "";
        const count = book.seen[event]!;
        const at = { load: name, index: index[row]!, dueUs, window: names.at(dueUs) };
        yield { kind, id, cell, count, found, ...at };
      }
    }
  }
}
