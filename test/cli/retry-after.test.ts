// A front that asks its clients to wait: what is recorded, what is waited for, and what is shown.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

/** Refuses each path once, with a second to wait, and then answers it. */
async function refusingServer() {
  const seen = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const times = seen.get(request.url ?? "") ?? [];
    seen.set(request.url ?? "", [...times, Date.now()]);
    const isFirst = times.length === 0;
    response.writeHead(isFirst ? 429 : 200, isFirst ? { "retry-after": "1" } : {}).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ seen, url: `http://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function run(name: string, url: string, resend: string) {
  const folder = join(place.dir, name);
  mkdirSync(folder);
  const loads = Array.from({ length: 5 }, (_, i) => {
    const http = `http: { url: "${url}/${i}" }`;
    return `  l${i}: { rate: { at: 1/s, count: 1 }, ${http}, resend: { ${resend} } }\n`;
  });
  writeFileSync(
    join(folder, "scenario.yaml"),
    `gatecrash: 1
title: Does the client wait?
phases: [{ all: 3s }]
generator: { cpu: 100%, lag-p99: 5s }
loads:
${loads.join("")}accept:
  - l0.count >= 1
`,
  );
  const out = join(folder, "run");
  const ended = await place.start(["run", folder, "--out", out]).ended;
  const text = readFileSync(join(out, "result.json"), "utf8");
  return { ...ended, result: RESULT_SCHEMA.parse(JSON.parse(text)) };
}

test.each([
  ["waits", "attempts: 2, backoff: 50ms", { waited: 5, sooner: 0 }, 990],
  [
    "goes on",
    "attempts: 2, backoff: 50ms, jitter: none, retry-after: ignore",
    { waited: 0, sooner: 5 },
    40,
  ],
])(
  "a client %s with resend: %s",
  async (name, resend, waits, leastMs) => {
    await using server = await refusingServer();
    const { out, result } = await run(name.replace(" ", "-"), server.url, resend);
    expect([result.counts.ok, result.counts.attempts]).toEqual([5, 10]);
    expect(result.throttles.retry_after).toEqual({
      rows: [
        { by: "application", attempts: 5, said: 5, min_ms: 1_000, p50_ms: 1_000, max_ms: 1_000 },
      ],
      ...waits,
    });
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      "Retry-After in 5 of 5 by application (1,000 ms)",
    );
    for (const [first = 0, second = 0] of server.seen.values())
      expect(second - first).toBeGreaterThanOrEqual(leastMs);
  },
  60_000,
);
