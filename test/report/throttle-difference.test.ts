// Why the platform's count of throttles is another than the load's, in words.
import { expect, test } from "vitest";
import { throttleDifference } from "../../src/report/throttle-difference.ts";

const seen = (
  client: number,
  platform: number,
  more: Partial<Parameters<typeof throttleDifference>[0]> = {},
) =>
  throttleDifference({
    client: { "lambda.reserved": client, gateway: 7 },
    platform: { checkout: platform, account: 9_999 },
    errors: {},
    accessLog: true,
    ...more,
  });

test("nothing is compared without a function's metric, and nothing said of nothing", () => {
  expect(seen(5, 0, { platform: { account: 5 } })).toBe("");
  expect(seen(0, 0)).toBe("");
});

test("both may agree; what others than Lambda refused is not Lambda's", () => {
  expect(seen(1_200, 1_200)).toBe("as many as the load met");
});

test("more at the platform are of others, hidden in error statuses, or unknown", () => {
  const others = "the metric counts every caller, in whole minutes";
  expect(seen(0, 1_500)).toBe(`1,500 more than the load met: ${others}`);
  const hidden = { errors: { status: 1_490, timeout: 4, reset: 2, connect: 9 }, accessLog: false };
  expect(seen(0, 1_500, hidden)).toBe(
    `1,500 more than the load met: ${others}; without access log, 1,490 answers of an error ` +
      "status may hide some; 6 attempts of unknown outcome may have been refused",
  );
});

test("fewer at the platform are late points, or another function's", () => {
  expect(seen(743, 491)).toMatch(/^252 fewer than the load met: .*not yet published/);
});
