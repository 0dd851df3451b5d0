// What one Kinesis shard takes and gives per second: buckets of one second, on virtual time.

/** Per shard. Kinesis documentation: 1,000 records and 1 MB in, 5 GetRecords and 2 MB out. */
export interface ShardLimits {
  readonly writeRecordsPerSecond: number;
  readonly writeBytesPerSecond: number;
  readonly readCallsPerSecond: number;
  readonly readBytesPerSecond: number;
}

const MB = 1_048_576;

export const SHARD_LIMITS: ShardLimits = {
  writeRecordsPerSecond: 1_000,
  writeBytesPerSecond: MB,
  readCallsPerSecond: 5,
  readBytesPerSecond: 2 * MB,
};

/** `scale` multiplies throughput in and bytes out; reads per second are AWS's constant. */
export const scaledShardLimits = (scale: number): ShardLimits => ({
  writeRecordsPerSecond: Math.max(1, SHARD_LIMITS.writeRecordsPerSecond * scale),
  writeBytesPerSecond: Math.max(1, SHARD_LIMITS.writeBytesPerSecond * scale),
  readCallsPerSecond: SHARD_LIMITS.readCallsPerSecond,
  readBytesPerSecond: Math.max(1, SHARD_LIMITS.readBytesPerSecond * scale),
});

const US_PER_SECOND = 1_000_000;

/**
 * Holds what one second brings, refills continuously. What is larger than the bucket passes when
 * the bucket is full and leaves a debt, so that the average never exceeds the rate.
 */
export class SecondBucket {
  readonly #ratePerSecond: number;
  /** In millionths, so that a microsecond at an integer rate is exact. */
  #millionths: number;
  #atUs = Number.NEGATIVE_INFINITY;

  constructor(ratePerSecond: number) {
    this.#ratePerSecond = ratePerSecond;
    this.#millionths = ratePerSecond * US_PER_SECOND;
  }

  /** Negative while in debt. */
  level(nowUs: number): number {
    this.#refill(nowUs);
    return this.#millionths / US_PER_SECOND;
  }

  holds(amount: number, nowUs: number): boolean {
    return this.level(nowUs) >= Math.min(amount, this.#ratePerSecond);
  }

  /** Whether or not the bucket holds it. */
  take(amount: number, nowUs: number): void {
    this.#refill(nowUs);
    this.#millionths -= amount * US_PER_SECOND;
  }

  #refill(nowUs: number): void {
    if (nowUs <= this.#atUs) return; // time handed in out of order never takes anything away
    const fullMillionths = this.#ratePerSecond * US_PER_SECOND;
    if (this.#millionths < fullMillionths) {
      const refilled = this.#millionths + this.#ratePerSecond * (nowUs - this.#atUs);
      this.#millionths = Math.min(fullMillionths, refilled);
    }
    this.#atUs = nowUs;
  }
}

/** Writing to one shard: records and bytes, both or nothing. */
export class ShardWrites {
  readonly #records: SecondBucket;
  readonly #bytes: SecondBucket;

  constructor(limits: ShardLimits) {
    this.#records = new SecondBucket(limits.writeRecordsPerSecond);
    this.#bytes = new SecondBucket(limits.writeBytesPerSecond);
  }

  /** Data and partition key count. False = refused, and nothing was taken. */
  take(sizeBytes: number, nowUs: number): boolean {
    if (!this.#records.holds(1, nowUs) || !this.#bytes.holds(sizeBytes, nowUs)) return false;
    this.#records.take(1, nowUs);
    this.#bytes.take(sizeBytes, nowUs);
    return true;
  }
}

/**
 * Reading from one shard. A call says afterwards how much it gave. More than a second's worth at
 * once makes no use of what the bucket held, so that 10 MB block the shard for five seconds, as the
 * API reference has it.
 */
export class ShardReads {
  readonly #calls: SecondBucket;
  readonly #bytes: SecondBucket;
  readonly #bytesPerSecond: number;

  constructor(limits: ShardLimits) {
    this.#bytesPerSecond = limits.readBytesPerSecond;
    this.#calls = new SecondBucket(limits.readCallsPerSecond);
    this.#bytes = new SecondBucket(limits.readBytesPerSecond);
  }

  /** Takes a call; false = refused. */
  begin(nowUs: number): boolean {
    if (!this.#calls.holds(1, nowUs) || this.#bytes.level(nowUs) < 0) return false;
    this.#calls.take(1, nowUs);
    return true;
  }

  gave(sizeBytes: number, nowUs: number): void {
    const heldBytes = sizeBytes > this.#bytesPerSecond ? this.#bytes.level(nowUs) : 0;
    this.#bytes.take(sizeBytes + Math.max(0, heldBytes), nowUs);
  }
}
