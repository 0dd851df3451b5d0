// A sink of a scenario: where the effects of loads are counted.

/** A key of a sink beside `id` and `cell`: text, a command line, or headers by name. */
export type SinkInputValue = string | readonly string[] | { readonly [name: string]: string };

export interface SinkSpec {
  readonly name: string;
  readonly kind: string;
  readonly of: readonly string[];
  /** null = a row is a cell with its sum, and no single event is told. */
  readonly id: string | null;
  readonly cell: readonly string[] | null;
  readonly input: { readonly [key: string]: SinkInputValue };
  readonly quietUs: number;
  readonly atMostUs: number;
  readonly line?: number;
}
