// An event source mapping from a stream to a function: starts, stops, and remembers where it was.
import { setMaxListeners } from "node:events";
import type { Shard } from "../kinesis/shard.ts";
import type { EventSource, MappingInput } from "./event-source.ts";
import { describeSettings, settingsOf } from "./kinesis-settings.ts";
import { ShardReader } from "./kinesis-shard-reader.ts";
import type { KinesisMappingDeps, KinesisMappingSpec } from "./kinesis-spec.ts";

interface Run {
  readonly stop: AbortController;
  readonly readers: readonly ShardReader[];
  readonly ended: Promise<unknown>;
}

export class KinesisMapping implements EventSource {
  readonly transitionReason = "User action";
  spec: KinesisMappingSpec;
  lastResult = "No records processed";
  readonly #deps: KinesisMappingDeps;
  /** By shard: the positions of its lanes when it was last stopped. */
  readonly #positions = new Map<string, readonly number[]>();
  #run: Run | null = null;

  constructor(spec: KinesisMappingSpec, deps: KinesisMappingDeps) {
    this.spec = spec;
    this.#deps = deps;
  }

  get uuid(): string {
    return this.spec.uuid;
  }

  get sourceArn(): string {
    return this.spec.streamArn;
  }

  get functionName(): string {
    return this.spec.functionName;
  }

  /** False when there is no such stream. Reads on where it ended, or from the start position. */
  start(): boolean {
    if (this.#run !== null) return true;
    const stream = this.#deps.streams.byArn(this.spec.streamArn);
    if (stream === undefined) return false;
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const delivery = {
      spec: this.spec,
      deps: this.#deps,
      stream,
      signal: stop.signal,
      result: (text: string) => {
        this.lastResult = text;
      },
    };
    const readers = stream.shards.map((shard) => {
      const from = this.#positions.get(shard.id) ?? [this.#startOf(shard)];
      return new ShardReader(shard, from, delivery);
    });
    const ended = Promise.all(readers.map((reader) => reader.run()));
    this.#run = { stop, readers, ended };
    return true;
  }

  /** Invokes no more, and waits for the batches that are with the function. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    run.stop.abort(new Error("the mapping stops"));
    await run.ended;
    for (const reader of run.readers) this.#positions.set(reader.shard.id, reader.positions);
    this.#run = null;
  }

  describe(): { readonly [member: string]: unknown } {
    const { startingPosition } = this.spec;
    const at = startingPosition.type === "AT_TIMESTAMP" ? startingPosition.epochMs / 1_000 : null;
    return {
      ...describeSettings(this.spec),
      StartingPosition: startingPosition.type,
      ...(at === null ? {} : { StartingPositionTimestamp: at }),
      LastProcessingResult: this.lastResult,
    };
  }

  /** The starting position is of no more use, and cannot be changed. */
  update(input: MappingInput): () => void {
    const settings = settingsOf(input, this.spec);
    return () => {
      this.spec = { ...this.spec, ...settings };
    };
  }

  #startOf(shard: Shard): number {
    const { startingPosition } = this.spec;
    if (startingPosition.type === "TRIM_HORIZON") return shard.horizon;
    if (startingPosition.type === "LATEST") return shard.tip;
    return shard.positionAt(startingPosition.epochMs);
  }
}
