// The combined log: end stamps spread by the seed, odd lines, and a real log of 10,000 lines.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { importCapture } from "../../src/import/capture.ts";
import { renderFidelity } from "../../src/import/fidelity.ts";
import { importText, reconciles, skippedOf } from "./memory-file.ts";

const line = (request: string, stamp = "07/Sep/2026:09:30:05 +0200", agent = "ua/1"): string =>
  `203.0.113.9 - - [${stamp}] "${request}" 200 512 "https://shop.example/?token=abc" "${agent}"`;

describe("combined", () => {
  test("a line becomes a record whose stamp is the end of the request", async () => {
    const { records } = await importText(line("GET /a?b=1 HTTP/1.1"));
    expect(records).toEqual([
      {
        t_start_us: expect.any(Number),
        t_precision_us: 1_000_000,
        t_meaning: "end",
        id: null,
        session: expect.stringMatching(/^c-/),
        method: "GET",
        scheme: null,
        host: null,
        path: "/a?b=1",
        headers: [
          ["user-agent", "ua/1"],
          ["referer", expect.stringMatching(/^https:\/\/shop\.example\/\?token=[a-z]{3}$/)],
        ],
        body_b64: null,
        body_state: "absent",
        recorded: { status: 200, latency_us: null, bytes: 512 },
        source: { file: "capture.log", line: 1 },
        redactions: ["referer:token"],
      },
    ]);
    const second = Date.UTC(2026, 8, 7, 7, 30, 5) * 1000;
    expect(Math.floor((records[0]?.t_start_us ?? 0) / 1e6) * 1e6).toBe(second);
  });

  test("requests of one second are spread over it by the seed, in the order of the file", async () => {
    const text = Array.from({ length: 200 }, (_, i) => line(`GET /${i} HTTP/1.1`)).join("\n");
    const [first, again, other] = await Promise.all([
      importText(text),
      importText(text),
      importText(text, { rng: seededRng(8) }),
    ]);
    const times = first.records.map((one) => one.t_start_us);
    expect(again.records).toEqual(first.records);
    expect(other.records.map((one) => one.t_start_us)).not.toEqual(times);
    expect(first.records.map((one) => one.path)).toEqual(
      Array.from({ length: 200 }, (_, i) => `/${i}`),
    );
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900_000);
    expect(first.fidelity.timing).toMatchObject({ spread: true, outOfOrder: 0 });
    expect(renderFidelity(first.fidelity)).toContain("not recorded burstiness");
  });

  test.each([
    ["-", "no request line"],
    ["\\x16\\x03\\x01", "not an HTTP request line"],
    ["quit", "not an HTTP request line"],
    ["GET /", "not an HTTP request line"],
    ["get / HTTP/1.1", "not an HTTP method"],
    ["CONNECT x:443 HTTP/1.1", "CONNECT is not replayed"],
    ["OPTIONS * HTTP/1.1", "no path in the request line"],
    ["GET /\\xC3\\xA9 HTTP/1.1", "bytes in the URL that cannot be sent"],
    ["GET /é HTTP/1.1", "bytes in the URL that cannot be sent"],
  ])("%s is skipped: %s", async (request, reason) => {
    const imported = await importText(`${line("GET / HTTP/1.1")}\n${line(request)}\n`);
    expect(skippedOf(imported)).toEqual({ [reason]: 1 });
    expect(reconciles(imported)).toBe(true);
  });

  test("quotes and backslashes are read in either server's spelling", async () => {
    const agent = 'a \\"b\\" \\\\c';
    const { records } = await importText(line("GET /\\x22x\\x22 HTTP/1.1", undefined, agent));
    expect([records[0]?.path, records[0]?.headers[0]?.[1]]).toEqual(['/"x"', 'a "b" \\c']);
  });

  test("a real log of 10,000 lines reconciles to its line count", async ({ skip }) => {
    const folder = process.env.GATECRASH_TRAFFIC ?? "";
    const file = join(folder, "apache-combined-2015-10k.log");
    if (folder === "") skip("GATECRASH_TRAFFIC is not set: no folder of real captures");
    if (!existsSync(file)) skip(`no ${file}`);
    const imported = await importCapture({ file, rng: seededRng(7) });
    expect(imported.fidelity.read).toBe(10_000);
    expect(reconciles(imported)).toBe(true);
    expect(imported.fidelity.methods).toEqual({ GET: 9_952, HEAD: 42, POST: 5, OPTIONS: 1 });
    expect(imported.fidelity.timing).toMatchObject({ precisionUs: 1e6, meaning: "end" });
    const times = imported.records.map((one) => one.t_start_us);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});
