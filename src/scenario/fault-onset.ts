// How long a fault is assumed to take until it acts; a run observes how long it really took.

interface Onset {
  readonly localUs: number;
  readonly awsUs: number;
}

/**
 * AWS publishes a time for few of these. A new reservation is probed for, and seen in seconds; an
 * event source mapping "may take several minutes"; queue attributes "up to 60 seconds". Local AWS
 * takes a second for a configuration and three for a mapping, and acts at once in all else: the
 * next probe sees it, 10 to 120 ms later.
 */
const ONSETS: { readonly [kind: string]: Onset } = {
  "reserved-concurrency": { localUs: 100_000, awsUs: 5_000_000 },
  "event-source": { localUs: 3_200_000, awsUs: 120_000_000 },
  "recycle-environments": { localUs: 1_200_000, awsUs: 10_000_000 },
  "slow-dependency": { localUs: 100_000, awsUs: 5_000_000 },
};

const UNKNOWN: Onset = { localUs: 100_000, awsUs: 60_000_000 };

/** Assumed time from asking for a fault (or for its end) to the effect, in µs. */
export function assumedOnsetUs(kind: string, environment: string): number {
  const onset = ONSETS[kind] ?? UNKNOWN;
  return environment === "local" ? onset.localUs : onset.awsUs;
}
