// Where differences lie close together in time: an outage shows as one stretch, chance as many.
import { DIFFERENCES, type DifferenceKind, type LedgerBook } from "./ledger-book.ts";
import type { Stretch } from "./reconcile-result.ts";

const US_PER_S = 1e6;
/** More than this of a kind and load are joined over longer and longer pauses. */
const STRETCHES_MAX = 8;

/** By kind, load and time. Differences less than a second apart belong together, if not further. */
export function stretchesOf(book: LedgerBook, nameOf: (load: number) => string): Stretch[] {
  const byLoad = new Map<number, number[]>();
  for (let event = 0; event < book.events; event++) {
    const load = book.load[event]!;
    const events = byLoad.get(load);
    if (events === undefined) byLoad.set(load, [event]);
    else events.push(event);
  }
  const order = (a: number, b: number): number =>
    book.dueUs[a]! - book.dueUs[b]! || book.index[a]! - book.index[b]!;
  const loads = [...byLoad].sort(([a], [b]) => a - b);
  for (const [, events] of loads) events.sort(order);
  return DIFFERENCES.flatMap((kind) =>
    loads.flatMap(([load, events]) => stretchesOfKind(book, events, kind, nameOf(load))),
  );
}

/** `events` in order of time; a stretch is where its first and last difference stand in it. */
function stretchesOfKind(
  book: LedgerBook,
  events: readonly number[],
  kind: DifferenceKind,
  load: string,
): Stretch[] {
  const places = [...events.keys()].filter((place) => book.kind(events[place]!) === kind);
  const dueUs = (place: number): number => book.dueUs[events[place]!]!;
  let spans = places.map((place) => ({ first: place, last: place, count: 1 }));
  for (let pauseUs = US_PER_S; spans.length > 0; pauseUs *= 2) {
    const joined = [spans[0]!];
    for (const span of spans.slice(1)) {
      const before = joined.at(-1)!;
      if (dueUs(span.first) - dueUs(before.last) > pauseUs) joined.push(span);
      else {
        const count = before.count + span.count;
        joined[joined.length - 1] = { first: before.first, last: span.last, count };
      }
    }
    spans = joined;
    if (spans.length <= STRETCHES_MAX) break;
  }
  return spans.map(({ first, last, count }) => ({
    ...{ kind, load, count, of: last - first + 1 },
    ...{ fromUs: dueUs(first), toUs: dueUs(last) },
    ...{ firstIndex: book.index[events[first]!]!, lastIndex: book.index[events[last]!]! },
  }));
}
