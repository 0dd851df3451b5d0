// What the table of mappings needs of a source, whether it is a queue or a stream.

export type MappingInput = { readonly [member: string]: unknown };

export interface EventSource {
  readonly uuid: string;
  readonly sourceArn: string;
  readonly functionName: string;
  /** `USER_INITIATED` for queues, `User action` for streams: that is what AWS answers. */
  readonly transitionReason: string;
  /** Begins to read, unless it does already; false when there is nothing to read from. */
  start(): boolean;
  /** Invokes no more, and resolves when what is with the function has come back. */
  stop(): Promise<void>;
  /** The kind's own members of an EventSourceMappingConfiguration. */
  describe(): { readonly [member: string]: unknown };
  /** Checks the members of an update, throws AWS's errors, and gives what carries it out. */
  update(input: MappingInput): () => void;
}

/** Makes a source of the members of CreateEventSourceMapping; throws AWS's errors. */
export type EventSourceFactory = (
  uuid: string,
  input: MappingInput,
  functionName: string,
) => EventSource;
