// What of a plan ends in a function, queue or stream: directly, or through an HTTP API's own queue.
import type { ControlPlane } from "../core/change.ts";
import type { HttpSpec } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";
import { type Front, frontOf, routeKeyOf, whyUnread } from "../observe/front-queues.ts";
import { rewritten } from "../targets/rewritten.ts";
import type { CountedLoad } from "./count-loads.ts";

/** Of one resource: arrivals that are planned, and loads of which nobody can say how many come. */
export interface PlannedTo {
  /** By second of the run. */
  readonly perSecond: readonly number[];
  /** Closed loops that end there: they send as fast as they are answered. */
  readonly closed: readonly string[];
}

interface FrontedLoad {
  readonly counted: CountedLoad;
  readonly front: Front;
}

export class Destinations {
  /** What could not be read, and why. */
  readonly unread: readonly string[];
  readonly #counted: readonly CountedLoad[];
  readonly #fronted: readonly FrontedLoad[];

  private constructor(
    counted: readonly CountedLoad[],
    fronted: readonly FrontedLoad[],
    unread: readonly string[],
  ) {
    this.#counted = counted;
    this.#fronted = fronted;
    this.unread = unread;
  }

  /** Reads the HTTP APIs that loads are sent to. Never rejects because of AWS. */
  static async read(counted: readonly CountedLoad[], control: ControlPlane): Promise<Destinations> {
    const fronted: FrontedLoad[] = [];
    const unread = new Set<string>();
    for (const one of counted) {
      const { target } = one.load;
      if (target.kind !== "http") continue;
      try {
        const front = await frontOf(target.url, control);
        if (front !== null) fronted.push({ counted: one, front });
      } catch (error) {
        unread.add(whyUnread(error));
      }
    }
    return new Destinations(counted, fronted, [...unread]);
  }

  to(resource: string): PlannedTo {
    const sums: number[] = [];
    const add = (second: number, count: number): void => {
      sums[second] = (sums[second] ?? 0) + count;
    };
    const closed: string[] = [];
    for (const { load, counts, facts } of this.#counted) {
      if (!endsIn(load.target, resource)) continue;
      if (facts.closed !== undefined) closed.push(load.name);
      for (const [second, count] of counts.perSecond.entries()) add(second, count);
    }
    if (resource.split(":")[2] === "sqs")
      for (const { counted, front } of this.#fronted) {
        const keys = keysTo(front, resource);
        if (keys.length === 0) continue;
        if (counted.facts.closed !== undefined) closed.push(counted.load.name);
        for (const { call, dueUs } of counted.arrivals()) {
          const { target } = counted.load;
          if (call.kind !== "http" || target.kind !== "http") continue;
          const key = routeKeyOf(front, call.method, pathOf(target, call.path));
          if (key !== null && keys.includes(key)) add(Math.floor(dueUs / US_PER_S), 1);
        }
      }
    return { perSecond: Array.from(sums, (count) => count ?? 0), closed };
  }
}

/** As the target puts it together: an empty path means that the URL is the whole address. */
function pathOf({ url, rewrites }: HttpSpec, path: string): string {
  const { pathname } = new URL(url);
  if (path === "") return pathname;
  return pathname.replace(/\/$/, "") + rewritten(path, rewrites);
}

/** A queue whose URL is taken from the request may be any: it counts. */
const keysTo = ({ queues }: Front, resource: string): string[] =>
  queues
    .filter(({ queueUrl }) => queueUrl === null || nameOf(queueUrl) === nameOf(resource))
    .map(({ routeKey }) => routeKey);

function endsIn(target: CountedLoad["load"]["target"], resource: string): boolean {
  if (target.kind !== resource.split(":")[2]) return false; // also AWS's name of the service
  if (target.kind === "lambda" && target.invocation !== "async") return false;
  return nameOf(destinationOf(target)) === nameOf(resource);
}

function destinationOf(target: CountedLoad["load"]["target"]): string {
  if (target.kind === "lambda") return `function:${target.function.replace(/^.*:function:/, "")}`;
  if (target.kind === "kinesis") return target.stream;
  return target.kind === "sqs" ? target.queue : "";
}

/** `checkout` of an ARN with or without alias, of a URL, or of the name alone. */
const nameOf = (text: string): string =>
  /:?function:([^:]+)/.exec(text)?.[1] ?? text.split(/[:/]/).at(-1) ?? text;
