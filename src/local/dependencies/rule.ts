// A dependency's rule as its parameter holds it: what happens to which share of the requests.
import { z } from "zod";

const whole = (low: number, high: number) => z.number().int().min(low).max(high);

const shape = z.strictObject({
  v: z.literal(1),
  /** Over by itself so long after it was put: a dead run leaves nothing on. */
  for_s: whole(1, 86_400),
  share: z.number().min(0).max(1),
  seed: whole(0, Number.MAX_SAFE_INTEGER),
  /** `reset`: before anything is forwarded; `drop`: forwarded, and the answer is thrown away. */
  act: z.enum(["delay", "error", "reset", "drop", "hang"]),
  delay_ms: z.number().min(0).max(900_000).optional(),
  /** With `delay_ms` as its median: the delay is distributed. */
  p99_ms: z.number().min(0).max(900_000).optional(),
  status: whole(400, 599).optional(),
  /** Operations (`PutItem`) or beginnings of `METHOD /path`; absent = every request. */
  only: z.array(z.string().min(1)).min(1).optional(),
  /** A client's own retries of one call share its fate. */
  per_call: z.boolean().optional(),
});

export type Rule = z.infer<typeof shape>;

/** Throws an Error whose message says what is wrong with the text. */
export function parseRule(text: string): Rule {
  const parsed = shape.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join(".") || "rule"}: ${issue?.message}`);
  }
  const rule = parsed.data;
  const { act, delay_ms: delayMs, p99_ms: p99Ms, status } = rule;
  if ((act === "delay") !== (delayMs !== undefined)) throw new Error("delay_ms goes with delay");
  if ((act === "error") !== (status !== undefined)) throw new Error("status goes with error");
  if (p99Ms !== undefined && p99Ms < (delayMs ?? Infinity)) throw new Error("p99_ms < delay_ms");
  return rule;
}
