// What a message in a queue of failures says it is about: the question whether it is a run's own.

export interface Claim {
  /** SQS keeps it when it moves a message to a dead-letter queue. */
  readonly messageId: string;
  /** Records of a stream that were given up; null = the body tells of none. */
  readonly batch: ClaimedBatch | null;
}

export interface ClaimedBatch {
  /** ARN. */
  readonly stream: string;
  readonly shard: number;
  /** Sequence numbers of the first and of the last record: decimal, without leading zeros. */
  readonly start: string;
  readonly end: string;
  /** Records from `start` to `end`, both included. */
  readonly size: number;
}

/** Order of sequence numbers, which have more digits than a number holds. */
export function bySequence(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
