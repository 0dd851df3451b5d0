// As whom an http load sends: the headers that say so, at the moment of sending.

/** What is about to be sent, as it will stand on the wire. */
export interface Authorized {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly path: string;
  readonly host: string;
  readonly body: Uint8Array | null;
}

type Headers = readonly (readonly [name: string, value: string])[];

export interface Authorizer {
  /** Headers whose value may change; each replaces the call's own of that name. */
  readonly names: readonly string[];
  /** At once where nothing has to be waited for; null = our own credentials have run out. */
  headersFor(request: Authorized): Headers | null | Promise<Headers | null>;
}
