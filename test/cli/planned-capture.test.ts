// What a plan keeps of its capture: the fidelity table, and which requests they were.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { plannedCapture } from "../../src/cli/planned-capture.ts";
import { seededRng } from "../../src/core/rng.ts";
import { importCapture } from "../../src/import/capture.ts";

const dir = mkdtempSync(join(tmpdir(), "gatecrash-capture-"));
afterAll(() => rmSync(dir, { recursive: true }));

const line = (second: string, request: string, status = 200) =>
  `192.0.2.1 - - [10/Sep/2026:10:00:${second} +0000] "${request} HTTP/1.1" ${status} 12 "-" "curl"\n`;

async function captured(text: string) {
  const file = join(dir, "access.log");
  writeFileSync(file, text);
  const { records, fidelity } = await importCapture({ file, rng: seededRng(7, "import") });
  return plannedCapture(fidelity, records);
}

test("counts what was read and what is known of it, without the place of its files", async () => {
  const text = `${line("01", "GET /a")}${line("03", "POST /b", 201)}broken\n`;
  const found = await captured(text);
  expect(found).toMatchObject({
    ...{ files: ["access.log"], read: 3, replayable: 2, methods: { GET: 1, POST: 1 } },
    ...{ with_status: 2, with_time: 0, precision_us: 1_000_000, spread: true },
    ...{ bodies_expected: 1, bodies_missing: 1, to_ms: expect.any(Number) },
  });
  expect(found.unreadable.reduce((sum, { count }) => sum + count, 0)).toBe(1);
});

test("has the same digest for the same requests, another for others", async () => {
  const [one, same, other] = [
    await captured(line("01", "GET /a")),
    await captured(line("01", "GET /a", 404)),
    await captured(line("01", "GET /b")),
  ];
  expect(same.sha256).toBe(one.sha256);
  expect(other.sha256).not.toBe(one.sha256);
});
