// What thousands of environments cost, and that recycled ones leave nothing behind.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SharedHost } from "../../../src/local/environments/shared-host.ts";
import { call, startHost } from "./host.ts";

const BYTES_PER_PAGE = 4_096;
const BYTES_PER_MB = 1_048_576;

async function startShared(handler: string): Promise<SharedHost> {
  const host = await startHost(handler);
  if (!(host instanceof SharedHost)) throw new Error("expected shared isolation");
  return host;
}

function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return (pages * BYTES_PER_PAGE) / BYTES_PER_MB;
}

const onLinux = process.platform === "linux";

it.runIf(onLinux)("holds 2,000 environments of a tiny handler in less than 300 MB", async () => {
  await using host = await startShared("tiny.handler");
  const environments = [];
  for (let i = 0; i < 2_000; i++) environments.push(await host.create("1"));
  const answers = await Promise.all(environments.map((each, i) => call(each, { i })));
  expect(answers.map(({ payload }) => payload)).toEqual(
    environments.map((_, i) => JSON.stringify({ echo: { i } })),
  );
  const memory = residentMb(host.pid);
  expect(memory).toBeLessThan(300);
  expect(Math.max(...answers.map(({ maxMemoryMb }) => maxMemoryMb))).toBeLessThanOrEqual(memory);
});

// Each environment of this handler holds about 96 KB: kept ones would need 1.9 GB in the end.
it.runIf(onLinux)(
  "keeps nothing of 20,000 recycled environments",
  async () => {
    await using host = await startShared("counter.handler");
    const recycle = async (times: number): Promise<number> => {
      for (let i = 0; i < times; i++) {
        const environment = await host.create("1");
        if (i % 100 === 0) await call(environment);
        environment.destroy();
      }
      return residentMb(host.pid);
    };
    const before = await recycle(5_000);
    const after = await recycle(20_000);
    expect(after - before).toBeLessThan(60);
  },
  120_000,
);
