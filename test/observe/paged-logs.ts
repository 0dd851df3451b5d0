// Answers FilterLogEvents in pages as AWS may: empty ones, repeated events, refusals.
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";

export interface StoredEvent {
  readonly eventId: string;
  readonly timestamp: number;
  readonly message: string;
  readonly logStreamName: string;
  /** Asked for before this many calls it is not there yet. */
  readonly afterCalls?: number;
}

type Input = { readonly [key: string]: Json };

export class PagedLogs implements ControlPlane {
  readonly calls: Input[] = [];
  readonly #groups: { readonly [group: string]: readonly StoredEvent[] };
  readonly #refuse: ReadonlySet<number>;

  constructor(
    groups: { readonly [group: string]: readonly StoredEvent[] },
    refuse: readonly number[] = [],
  ) {
    this.#groups = groups;
    this.#refuse = new Set(refuse);
  }

  /** One event a page, and an empty page before each. */
  async call(service: string, action: string, input: Input): Promise<Input> {
    if (service !== "logs" || action !== "FilterLogEvents")
      throw new AwsFailure("AccessDeniedException", "not allowed", "", 400);
    this.calls.push(input);
    if (this.#refuse.has(this.calls.length))
      throw new AwsFailure("ThrottlingException", "Rate exceeded", "", 400);
    const group = this.#groups[String(input.logGroupName)];
    if (group === undefined)
      throw new AwsFailure("ResourceNotFoundException", "no such group", "", 400);
    const [from, to] = [Number(input.startTime), Number(input.endTime)];
    const events = group.filter(
      ({ timestamp, afterCalls = 0 }) =>
        timestamp >= from && timestamp <= to && this.calls.length > afterCalls,
    );
    const page = Number(input.nextToken ?? 0);
    const event = page % 2 === 1 ? events[(page - 1) / 2] : undefined;
    const page1 = event === undefined ? [] : [{ ...event }];
    const more = page < events.length * 2 - 1;
    return { events: page1, ...(more ? { nextToken: String(page + 1) } : {}) };
  }
}
