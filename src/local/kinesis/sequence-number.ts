// Sequence numbers: 56 decimal digits that grow within a shard and say where they came from.

/**
 * In hexadecimal: `2`, seconds of the shard's creation (9), last digit of the shard's index (1),
 * position in the shard (16), `00`, seconds of the record (9), shard index (8), `2`. The layout is
 * the one that clients have observed on AWS.
 */
export interface SequenceParts {
  readonly createdS: number;
  readonly shardIndex: number;
  /** 0 is the shard's start; its first record has 1. */
  readonly position: number;
  readonly secondS: number;
}

const POSITION_SHIFT = 80n;
const SECOND_SHIFT = 36n;
const HEX = /^2([0-9a-f]{9})[0-9a-f]([0-9a-f]{16})00([0-9a-f]{9})([0-9a-f]{8})2$/;

/** What is the same for all records of one shard. */
const headOf = (createdS: number, shardIndex: number): bigint => {
  const created = createdS.toString(16).padStart(9, "0");
  const index = shardIndex.toString(16);
  const tail = index.padStart(8, "0");
  return BigInt(`0x2${created}${index.slice(-1)}${"0".repeat(27)}${tail}2`);
};

/** Makes one shard's numbers; a record costs two additions. */
export class SequenceWriter {
  readonly #head: bigint;
  #secondS = -1;
  #withSecond = 0n;

  constructor(createdS: number, shardIndex: number) {
    this.#head = headOf(createdS, shardIndex);
  }

  at(position: number, secondS: number): string {
    if (secondS !== this.#secondS) {
      this.#secondS = secondS;
      this.#withSecond = this.#head + (BigInt(secondS) << SECOND_SHIFT);
    }
    return (this.#withSecond + (BigInt(position) << POSITION_SHIFT)).toString();
  }
}

/** null = not one that this service makes. */
export function parseSequence(text: string): SequenceParts | null {
  const [, created, position, second, index] = HEX.exec(BigInt(text).toString(16)) ?? [];
  if (index === undefined) return null;
  const number = (hex: string | undefined): number => Number.parseInt(hex ?? "", 16);
  return {
    createdS: number(created),
    shardIndex: number(index),
    position: number(position),
    secondS: number(second),
  };
}
