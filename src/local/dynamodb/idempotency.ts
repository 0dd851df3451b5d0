// Client request tokens of transactions: the same token within ten minutes does nothing twice.
import { createHash } from "node:crypto";
import { AwsError } from "../aws-error.ts";

const TOKEN_LIFE_MS = 600_000;

interface Known {
  readonly hash: string;
  readonly atMs: number;
  /** undefined while the first one is under way. */
  output: object | undefined;
}

export class RequestTokens {
  readonly #known = new Map<string, Known>();

  /**
   * Runs `work` for a new token, and answers a repeated one with the first one's output. A failed
   * one is forgotten. Throws AWS's errors for another request with the token, and while one runs.
   */
  async once(
    token: string | undefined,
    request: unknown,
    nowMs: number,
    work: () => Promise<object>,
  ): Promise<object> {
    if (token === undefined) return work();
    this.#forget(nowMs);
    const hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
    const earlier = this.#known.get(token);
    if (earlier !== undefined) return repeated(earlier, hash);
    const known: Known = { hash, atMs: nowMs, output: undefined };
    this.#known.set(token, known);
    try {
      known.output = await work();
      return known.output;
    } catch (thrown) {
      this.#known.delete(token);
      throw thrown;
    }
  }

  /** Oldest first, so the first young one ends it. */
  #forget(nowMs: number): void {
    for (const [token, { atMs }] of this.#known) {
      if (nowMs - atMs <= TOKEN_LIFE_MS) return;
      this.#known.delete(token);
    }
  }
}

const PREFIX = "com.amazonaws.dynamodb.v20120810#";

function repeated({ hash, output }: Known, now: string): object {
  if (hash !== now)
    throw new AwsError(
      `${PREFIX}IdempotentParameterMismatchException`,
      400,
      "Specified idempotent token was used with different request parameters in the preceding " +
        "requests.",
      { messageKey: "Message" },
    );
  if (output !== undefined) return output;
  throw new AwsError(
    `${PREFIX}TransactionInProgressException`,
    400,
    "The transaction with the given request token is already in progress.",
    { messageKey: "Message" },
  );
}
