// Errors of the control plane that a test has asked for: each is given out once per `times`.
import { AwsError } from "./aws-error.ts";

/**
 *   429, 409, 500   refused with the service's own error; nothing is done
 *   timeout         nothing is done and no answer comes
 *   lost            it is done, and no answer comes
 *   stale           a read answers as before the last change
 */
export const PLANNED_ERRORS = [429, 409, 500, "timeout", "lost", "stale"] as const;
export type PlannedKind = (typeof PLANNED_ERRORS)[number];

export interface PlannedError {
  /** API operation, e.g. `PutFunctionConcurrency`. */
  readonly action: string;
  readonly times: number;
  readonly error: PlannedKind;
}

/** Their reads are remembered; those of queues, streams and tables are too many. */
const CONTROL_PLANES = ["lambda", "scheduler"];

interface Named {
  readonly service: string;
  readonly action: string;
  /** Tells two reads apart. */
  what(): string;
}

/** An operation that never answers. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

interface Seen {
  readonly previous: object | null;
  readonly current: object;
}

export class PlannedErrors {
  #planned: { action: string; left: number; error: PlannedKind }[] = [];
  readonly #seen = new Map<string, Seen>();

  plan({ action, times, error }: PlannedError): void {
    this.#planned.push({ action, left: times, error });
  }

  /** Runs one operation, unless an error was planned for it. */
  async run<T extends object>(
    { service, action, what }: Named,
    act: () => T | Promise<T>,
  ): Promise<T> {
    const planned = this.#take(action);
    if (planned === "timeout") throw new NoAnswer();
    if (typeof planned === "number") throw errorOf(service, planned);
    const answer = await act();
    if (planned === "lost") throw new NoAnswer();
    return CONTROL_PLANES.includes(service) && /^(Get|List|Describe)/.test(action)
      ? (this.#read(`${action} ${what()}`, answer, planned === "stale") as T)
      : answer;
  }

  #take(action: string): PlannedKind | null {
    const found = this.#planned.find((each) => each.action === action);
    if (found === undefined) return null;
    found.left--;
    if (found.left <= 0) this.#planned = this.#planned.filter((each) => each !== found);
    return found.error;
  }

  #read(key: string, answer: object, isStale: boolean): object {
    const seen = this.#seen.get(key);
    const isNew = JSON.stringify(seen?.current) !== JSON.stringify(answer);
    if (isStale) return isNew ? (seen?.current ?? answer) : (seen?.previous ?? answer);
    if (isNew) this.#seen.set(key, { previous: seen?.current ?? null, current: answer });
    return answer;
  }
}

function errorOf(service: string, status: 429 | 409 | 500): AwsError {
  const isLambda = service === "lambda";
  if (status === 429)
    return isLambda
      ? new AwsError("TooManyRequestsException", 429, "Rate exceeded", {
          extra: { Reason: "CallerRateLimitExceeded", Type: "User" },
        })
      : new AwsError("ThrottlingException", 429, "Rate exceeded");
  if (status === 409)
    return new AwsError(
      isLambda ? "ResourceConflictException" : "ConflictException",
      409,
      "The operation cannot be performed at this time. An update is in progress.",
    );
  return new AwsError(
    isLambda ? "ServiceException" : "InternalServerException",
    500,
    "An error occurred and the request cannot be processed.",
  );
}
