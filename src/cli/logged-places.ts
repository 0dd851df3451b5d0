// Looks into every place where leases may be: one that is out of reach does not hide the others.
import { AwsFailure } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { Clock } from "../core/time.ts";
import type { AccountPlace } from "../run/heal-account.ts";
import { paceOf } from "../run/pace.ts";
import { undoFile, undoLogPath } from "../run/undo-file.ts";
import { foldLines, isUnfinished, type UndoRecord } from "../run/undo-record.ts";
import {
  connectTo,
  isListening,
  namedPlace,
  namesPlace,
  type Place,
  type PlaceFlags,
  type PlacePurpose,
} from "./account-place.ts";

/** A place of which nothing could be learned. */
export interface Unreached extends AccountPlace {
  /** What it said, and what to do about it where that is known. */
  readonly why: string;
}

export interface Looked<T> {
  /** One for each place that could be looked into. */
  readonly found: readonly T[];
  readonly unreached: readonly Unreached[];
}

/**
 * Looks into the place that the flags name, and rejects when that fails; without a name into each
 * where the undo log has a change that is still in place, and tells those that failed.
 */
export async function lookIntoPlaces<T>(
  flags: PlaceFlags,
  purpose: PlacePurpose,
  clock: Clock,
  look: (place: Place) => Promise<T>,
): Promise<Looked<T>> {
  if (namesPlace(flags)) {
    const found = await look(await namedPlace(flags, purpose, clock));
    return { found: [found], unreached: [] };
  }
  const looks = (await loggedEnds()).map(async (record): Promise<Looked<T>> => {
    try {
      const place = await placeOf(record, flags.profile, purpose, clock);
      return { found: place === null ? [] : [await look(place)], unreached: [] };
    } catch (error) {
      return { found: [], unreached: [{ ...whereOf(record), why: whyOf(error) }] };
    }
  });
  const all = await Promise.all(looks);
  return {
    found: all.flatMap(({ found }) => found),
    unreached: all.flatMap(({ unreached }) => unreached),
  };
}

/** One record of each place and actor with a change that is still in place. */
async function loggedEnds(): Promise<UndoRecord[]> {
  const { entries } = foldLines(await undoFile(undoLogPath(process.env)).read());
  const open = entries.filter(isUnfinished).map(({ record }) => record);
  const ends = new Map(
    open.map((record) => {
      const { endpoint, account, region, actor } = record;
      return [JSON.stringify([endpoint, account, region, actor]), record];
    }),
  );
  return [...ends.values()];
}

const whereOf = ({ endpoint, account, region }: UndoRecord): AccountPlace => ({
  ...{ endpoint, account, region },
});

/** Null where that local AWS is gone: nobody changes anything there. */
async function placeOf(
  record: UndoRecord,
  profile: string | undefined,
  purpose: PlacePurpose,
  clock: Clock,
): Promise<Place | null> {
  const { endpoint } = record;
  if (!(await isListening(endpoint))) return null;
  const control = await connectTo(record, { purpose, profile, runId: record.run }, clock);
  return { place: whereOf(record), control, clock, pace: paceOf(endpoint) };
}

/** Throws whatever says nothing about the place: a signal, or a bug of ours. */
function whyOf(error: unknown): string {
  const isKnown = error instanceof GatecrashError || error instanceof AwsFailure;
  if (!isKnown) throw error;
  const text = error instanceof AwsFailure ? `${error.name}: ${error.message}` : error.message;
  return error.hint === undefined ? text : `${text}; ${error.hint}`;
}

/** One line for each, with what to do where that is known. */
export const unreachedText = (unreached: readonly Unreached[]): string =>
  unreached
    .map(({ endpoint, account, region, why }) => {
      const at = endpoint === "aws" ? "" : ` at ${endpoint}`;
      return `warning: account ${account} in ${region}${at} is out of reach: ${why}\n`;
    })
    .join("");
