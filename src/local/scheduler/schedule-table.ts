// The schedules of the account and their groups; a due one calls its target.
import { type Clock, runUs, US_PER_MS } from "../../core/time.ts";
import { conflict, notFound } from "./errors.ts";
import { parseExpression } from "./expression.ts";
import { retriesOf, type Schedule, universalOf } from "./schedule.ts";

export interface KeptSchedule {
  readonly schedule: Schedule;
  readonly createdMs: number;
  readonly modifiedMs: number;
}

export interface ScheduleGroup {
  readonly name: string;
  readonly createdMs: number;
}

interface Running extends KeptSchedule {
  readonly stop: AbortController;
}

/** `role` is the ARN of the role to call as. */
export type CallTarget = (
  role: string,
  service: string,
  action: string,
  input: object,
) => Promise<unknown>;

/** Between two tries of a target: doubling, as far as AWS says at all. */
const BACKOFF_MS = { first: 1_000, most: 60_000 };
/** A timer holds no more than 24 days, so long waits are made of days. */
const DAY_MS = 24 * 3_600_000;

export class ScheduleTable {
  readonly #clock: Clock;
  readonly #call: CallTarget;
  readonly #groups = new Map<string, ScheduleGroup>();
  readonly #schedules = new Map<string, Running>();

  constructor(clock: Clock, call: CallTarget) {
    this.#clock = clock;
    this.#call = call;
    this.#groups.set("default", { name: "default", createdMs: clock.wallMs() });
  }

  groups(): ScheduleGroup[] {
    return [...this.#groups.values()];
  }

  group(name: string): ScheduleGroup {
    const found = this.#groups.get(name);
    if (found === undefined) throw notFound(`Schedule group ${name}`);
    return found;
  }

  createGroup(name: string): void {
    if (this.#groups.has(name)) throw conflict(`Schedule group ${name}`);
    this.#groups.set(name, { name, createdMs: this.#clock.wallMs() });
  }

  /** With all of its schedules. */
  deleteGroup(name: string): void {
    this.group(name);
    for (const { schedule } of this.all())
      if (schedule.GroupName === name) this.delete(name, schedule.Name);
    this.#groups.delete(name);
  }

  /** By group and name. */
  all(): KeptSchedule[] {
    return [...this.#schedules.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => of);
  }

  get(group: string, name: string): KeptSchedule {
    const found = this.#schedules.get(`${group}/${name}`);
    if (found === undefined) throw notFound(`Schedule ${group}/${name}`);
    return found;
  }

  create(schedule: Schedule): void {
    this.group(schedule.GroupName);
    const key = `${schedule.GroupName}/${schedule.Name}`;
    if (this.#schedules.has(key)) throw conflict(`Schedule ${key}`);
    this.#put(key, schedule, this.#clock.wallMs());
  }

  /** Replaces all of it: a call of the target that was begun is not called back. */
  update(schedule: Schedule): void {
    const { createdMs } = this.get(schedule.GroupName, schedule.Name);
    const key = `${schedule.GroupName}/${schedule.Name}`;
    this.#schedules.get(key)?.stop.abort();
    this.#put(key, schedule, createdMs);
  }

  delete(group: string, name: string): void {
    this.get(group, name);
    this.#schedules.get(`${group}/${name}`)?.stop.abort();
    this.#schedules.delete(`${group}/${name}`);
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#schedules.values()) stop.abort();
    this.#schedules.clear();
  }

  #put(key: string, schedule: Schedule, createdMs: number): void {
    const modifiedMs = this.#clock.wallMs();
    const running = { schedule, createdMs, modifiedMs, stop: new AbortController() };
    this.#schedules.set(key, running);
    if (schedule.State === "ENABLED") void this.#play(key, running).catch(() => {});
  }

  async #play(key: string, { schedule, createdMs, stop }: Running): Promise<void> {
    const expression = parseExpression(schedule.ScheduleExpression);
    for (let afterMs: number = this.#clock.wallMs(); ; ) {
      const dueMs = expression.next(afterMs, createdMs);
      if (dueMs === null) return;
      await this.#wait(dueMs, stop.signal);
      const called = this.#callTarget(schedule, stop.signal);
      if (expression.kind === "at") {
        await called;
        break;
      }
      called.catch(() => {}); // each time is an event of its own: none waits for another's retries
      afterMs = Math.max(dueMs, this.#clock.wallMs());
    }
    // While its target was called, another may have been put in its place: that one stays.
    if (schedule.ActionAfterCompletion === "DELETE" && !stop.signal.aborted)
      this.#schedules.delete(key);
  }

  async #wait(dueMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const leftMs = dueMs - this.#clock.wallMs();
      if (leftMs <= 0) return;
      const forUs = Math.min(leftMs, DAY_MS) * US_PER_MS;
      await this.#clock.sleepUntil(runUs(this.#clock.nowUs() + forUs), signal);
    }
  }

  /** Tried again until it is too old or was tried too often; then given up without a word. */
  async #callTarget({ Target: target }: Schedule, signal: AbortSignal): Promise<void> {
    const { ageMs, tries } = retriesOf(target);
    const untilMs = this.#clock.wallMs() + ageMs;
    const universal = universalOf(target.Arn);
    let backoffMs = BACKOFF_MS.first;
    for (let tried = 1; ; tried++) {
      try {
        if (universal === null) await this.#invoke(target);
        else {
          const input = JSON.parse(target.Input ?? "{}") as object;
          await this.#call(target.RoleArn, universal.service, universal.action, input);
        }
        return;
      } catch {
        const againMs = this.#clock.wallMs() + backoffMs;
        if (tried >= tries || againMs > untilMs) return;
        await this.#wait(againMs, signal);
        backoffMs = Math.min(2 * backoffMs, BACKOFF_MS.most);
      }
    }
  }

  #invoke({ Arn, RoleArn, Input = "{}" }: Schedule["Target"]): Promise<unknown> {
    const input = { FunctionName: Arn, InvocationType: "Event", Payload: Input };
    return this.#call(RoleArn, "lambda", "invoke", input);
  }
}
