// How fast one partition key may be written: a hot key is refused, whatever the table could take.
import type { Clock } from "../../core/time.ts";
import { SecondBucket } from "../../model/shard-limits.ts";
import { AwsError } from "../aws-error.ts";

/** Write units per second and partition key (DynamoDB developer guide: a partition's limit). */
export const WRITES_PER_SECOND = 1_000;
const UNIT_BYTES = 1_024;
/** Buckets kept; full ones beyond it are forgotten, which changes nothing. */
const BUCKETS_MAX = 50_000;

/** Where an item is, as far as its throughput is concerned. */
export interface Partition {
  readonly tableArn: string;
  /** The value of the partition key. */
  readonly value: string;
  readonly onDemand: boolean;
}

export class WriteLimits {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets = new Map<string, SecondBucket>();

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Takes the units, or throws DynamoDB's refusal. A transaction costs twice. */
  take(partition: Partition, sizeBytes: number, times = 1): void {
    const nowUs = this.#clock.nowUs();
    const name = `${partition.tableArn} ${partition.value}`;
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= BUCKETS_MAX) this.#forgetFull(nowUs);
      bucket = new SecondBucket(this.#perSecond);
      this.#buckets.set(name, bucket);
    }
    const units = Math.max(1, Math.ceil(sizeBytes / UNIT_BYTES)) * times;
    if (!bucket.holds(units, nowUs)) throw refusal(partition);
    bucket.take(units, nowUs);
  }

  #forgetFull(nowUs: number): void {
    for (const [name, bucket] of this.#buckets)
      if (bucket.level(nowUs) >= this.#perSecond) this.#buckets.delete(name);
  }
}

const PREFIX = "com.amazonaws.dynamodb.v20120810#";
const REASON = "TableWriteKeyRangeThroughputExceeded";

function refusal({ tableArn: resource, onDemand }: Partition): AwsError {
  const reasons = [{ reason: REASON, resource }];
  if (onDemand)
    return new AwsError(
      `${PREFIX}ThrottlingException`,
      400,
      "Throughput exceeds the current capacity of your table or index. DynamoDB is " +
        "automatically scaling your table or index so please try again shortly. If " +
        "exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/" +
        "amazondynamodb/latest/developerguide/bp-partition-key-design.html",
      { extra: { throttlingReasons: reasons } },
    );
  return new AwsError(
    `${PREFIX}ProvisionedThroughputExceededException`,
    400,
    "The level of configured provisioned throughput for the table was exceeded. Consider " +
      "increasing your provisioning level with the UpdateTable API.",
    { extra: { ThrottlingReasons: reasons } },
  );
}
