// CloudFront logs: fields by name, decoded once, starts from ends.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { importText, reconciles, skippedOf } from "./memory-file.ts";

describe("cloudfront", () => {
  const FIELDS =
    "date time cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query x-edge-request-id x-host-header cs-protocol sc-bytes time-taken c-ip";
  const log = (...rows: string[][]): string =>
    `#Version: 1.0\n#Fields: ${FIELDS}\n${rows.map((row) => `${row.join("\t")}\n`).join("")}`;
  const row = (over: { [field: string]: string } = {}): string[] => {
    const values: { [field: string]: string } = {
      date: "2026-09-07",
      time: "09:30:05",
      "cs-method": "GET",
      "cs(Host)": "d111111abcdef8.cloudfront.net",
      "cs-uri-stem": "/a%2520b",
      "sc-status": "200",
      "cs(User-Agent)": "Mozilla/5.0%20(X11)",
      "cs-uri-query": "q=%2522x%2522",
      "x-edge-request-id": "id=",
      "x-host-header": "shop.example",
      "cs-protocol": "https",
      "sc-bytes": "900",
      "time-taken": "2.500",
      "c-ip": "203.0.113.9",
      ...over,
    };
    return FIELDS.split(" ").map((name) => values[name] ?? "-");
  };

  test("fields are found by name, decoded once, and the start is end − time-taken", async () => {
    const { records, fidelity } = await importText(gzipSync(log(row())));
    const second = Date.UTC(2026, 8, 7, 9, 30, 5) * 1000;
    const [record] = records;
    expect(record).toMatchObject({
      t_precision_us: 1_000_000,
      t_meaning: "end",
      host: "shop.example",
      path: "/a%20b?q=%22x%22",
      headers: [["user-agent", "Mozilla/5.0 (X11)"]],
      recorded: { status: 200, latency_us: 2_500_000, bytes: 900 },
    });
    const end = (record?.t_start_us ?? 0) + 2_500_000;
    expect(end).toBeGreaterThanOrEqual(second);
    expect(end).toBeLessThan(second + 1_000_000);
    expect(fidelity.format).toBe("cloudfront");
  });

  test("header lines are counted, so that the table reconciles; status 000 is none", async () => {
    const imported = await importText(
      log(row({ "sc-status": "000" }), row({ "cs-protocol": "wss" }), row().slice(0, 5)),
    );
    expect(imported.records.map((one) => one.recorded?.status)).toEqual([null]);
    expect(skippedOf(imported)).toEqual({
      "header line": 2,
      "WebSocket connections are not replayed": 1,
      "line cut short": 1,
    });
    expect(reconciles(imported)).toBe(true);
  });
});
