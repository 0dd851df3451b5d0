// The cost section against sums made by hand: list price, free tier, a month's mix.
import { expect, it } from "vitest";
import { reportOf, requestId } from "../support/judged-run.ts";
import {
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
} from "../support/run-directory.ts";

const PRICES = {
  ...{ aws_region: "us-east-1", date: "2026-05-04" },
  ...{ lambda_request: 0.2e-6, lambda_gb_second: 0.0000166667 },
};

it("is of the mix of the run, for three volumes, with and without the free tier", async () => {
  const attempts = Array.from({ length: 10 }, (_, index) => {
    return { index, dueUs: index * 1_000, requestId: requestId(index) };
  });
  // 1 GB for 100 ms each: 0.1 GB-s an invocation.
  const platform = attempts.map(({ index }) =>
    platformRow({
      ...{ kind: "report", function: "shop", request_id: requestId(index), at: EPOCH_MS },
      ...{ duration: 98, billed: 100, memory: 1_024, stream: "a" },
    }),
  );
  const load = plannedLoad({ name: "shopper" });
  const plan = planFor({ loads: [load], prices: PRICES, joins: true }, attempts);
  const { cost } = await reportOf({ plan, attempts, platform, events: quietEvents(1, 10) });
  const listed = (millions: number) => millions * (0.2 + 0.1 * 16.6667);
  const beyond = (millions: number) =>
    (millions - 1) * 0.2 + Math.max(0, millions * 0.1 - 0.4) * 16.6667;
  expect(cost!.months).toEqual(
    [1, 10, 100].map((millions) => ({
      invocations: millions * 1e6,
      usd: expect.closeTo(listed(millions), 6),
      usdBeyondFree: expect.closeTo(beyond(millions), 6),
    })),
  );
});
