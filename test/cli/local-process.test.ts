// Local AWS that cannot be started: one clear error at once, and nothing that keeps us running.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const built = join(import.meta.dirname, "../../dist/src/cli/local-process.js");
const LIMITS = "{ scale: 1, concurrency: 1000, unreservedMinimum: 100, scalingBucket: 1000 }";
/** In a process of its own; says what went wrong and how long it then still ran. */
const start = (before: string): string => `
  const { openSync } = await import("node:fs");
  const { startLocalProcess } = await import(${JSON.stringify(built)});
  ${before}
  const options = { template: "/none.yaml", port: 0, ...${LIMITS} };
  const said = await startLocalProcess(options).catch(({ code, message }) => [code, message]);
  const fromMs = Date.now();
  process.on("exit", () => process._rawDebug(JSON.stringify([...said, Date.now() - fromMs])));
`;

function started(before: string): [string, string, number] {
  const command = `ulimit -n 256; exec "$0" --input-type=module -e "$1" 2>&1`;
  const args = ["-c", command, process.execPath, start(before)];
  return JSON.parse(execFileSync("sh", args, { encoding: "utf8", timeout: 120_000 }));
}

test.each([
  ["without its program", 'process.execPath = "/none/node";', /^local AWS: spawn .*ENOENT/],
  [
    "without a file handle left",
    'try { for (;;) openSync("/dev/null"); } catch {}',
    /^local AWS: spawn .*EMFILE/,
  ],
])("%s it is told at once, and no timer stays", (_, before, says) => {
  const [code, message, afterMs] = started(before);
  expect([code, message]).toEqual(["local", expect.stringMatching(says)]);
  expect(afterMs).toBeLessThan(30_000);
});
