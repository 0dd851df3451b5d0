// ALB access logs: request_creation_time, odd requests, repeated delivery, fields added at the end.
import { describe, expect, test } from "vitest";
import { importText, reconciles, skippedOf } from "./memory-file.ts";

interface Line {
  readonly type?: string;
  readonly request?: string;
  readonly created?: string;
  readonly agent?: string;
  readonly times?: string;
  readonly more?: string;
}

function line(over: Line = {}): string {
  const created = over.created ?? "2026-09-07T09:30:00.123456Z";
  return [
    `${over.type ?? "https"} 2026-09-07T09:31:00.000000Z app/shop/1 198.51.100.7:50432 -`,
    `${over.times ?? "0.001 0.020 0.000"} 200 200 130 907`,
    `"${over.request ?? "GET https://shop.example:443/p HTTP/1.1"}" "${over.agent ?? "ua/1"}"`,
    'ECDHE TLSv1.3 arn:aws:x "Root=1-a-b" "shop.example" "arn:cert" 0',
    `${created} "forward" "-" "-" "-" "200" "-" "-"${over.more ?? ""}`,
  ].join(" ");
}

describe("alb", () => {
  test("a line becomes a record, whole", async () => {
    const { records, fidelity } = await importText(`${line()}\n`);
    expect(records).toEqual([
      {
        t_start_us: Date.UTC(2026, 8, 7, 9, 30) * 1000 + 123_456,
        t_precision_us: 1,
        t_meaning: "start",
        id: "Root=1-a-b",
        session: expect.stringMatching(/^c-[0-9a-f]{12}$/),
        method: "GET",
        scheme: "https",
        host: "shop.example",
        path: "/p",
        headers: [["user-agent", "ua/1"]],
        body_b64: null,
        body_state: "absent",
        recorded: { status: 200, latency_us: 21_000, bytes: 907 },
        source: { file: "capture.log", line: 1 },
        redactions: [],
      },
    ]);
    expect(fidelity.format).toBe("alb");
  });

  test.each([
    ["a space in the URL", "GET https://shop.example:443/a b c HTTP/1.1", "/a b c"],
    ["a quote in the URL", "GET https://shop.example:443/?q=\\x22a\\x22 HTTP/1.1", '/?q="a"'],
    ["no path", "GET https://shop.example:443 HTTP/1.1", "/"],
    [
      "an encoded slash stays",
      "GET https://shop.example:443/a%2Fb?c=%20+ HTTP/2.0",
      "/a%2Fb?c=%20+",
    ],
  ])("%s", async (_name, request, path) => {
    const { records } = await importText(line({ request }));
    expect(records.map((one) => one.path)).toEqual([path]);
  });

  test("a port that is not the scheme's default stays in the host", async () => {
    const request = "GET http://shop.example:8080/ HTTP/1.1";
    const { records } = await importText(line({ request, type: "http" }));
    expect(records[0]?.host).toBe("shop.example:8080");
  });

  test("what cannot be replayed is skipped by reason, and the table reconciles", async () => {
    const imported = await importText(
      [
        line(),
        line(),
        line({ request: "- - - ", agent: "-" }),
        line({ request: "- http://shop.example:80-/ " }),
        line({ type: "wss", request: "GET wss://shop.example:443/live HTTP/1.1" }),
        line({ type: "grpcs", request: "POST https://shop.example:443/x HTTP/2.0" }),
        line({ created: "-" }),
        line({ request: "GET https://shop.example:443/\\x00 HTTP/1.1" }),
        line({ request: "GET https://shop.example:443/a#b HTTP/1.1" }),
        line().slice(0, 200),
        "",
        "not a log line",
        line({ request: "PUT https://shop.example:443/p HTTP/1.1" }),
      ].join("\n"),
    );
    expect(skippedOf(imported)).toEqual({
      "line delivered twice": 1,
      "malformed request (no method logged)": 2,
      "WebSocket connections are not replayed": 1,
      "gRPC is not replayed": 1,
      "no request_creation_time": 1,
      "bytes in the URL that cannot be sent": 1,
      "fragment (#) in the URL, which cannot be sent": 1,
      "line cut short": 1,
      "blank line": 1,
      "not a line of this format": 1,
    });
    expect(imported.fidelity.bodies).toEqual({ expected: 1, missing: 1 });
    expect(reconciles(imported)).toBe(true);
  });

  test("fields that were added later, and exchanges that never ended, are no obstacle", async () => {
    const { records } = await importText(line({ more: ' TID_1 "new" -', times: "-1 -1 -1" }));
    expect(records[0]?.recorded).toEqual({ status: 200, latency_us: null, bytes: 907 });
  });

  test("lines are ordered by when the request was made, not by the order of the file", async () => {
    const { records, fidelity } = await importText(
      [2, 0, 1].map((s) => line({ created: `2026-09-07T09:30:0${s}.000000Z` })).join("\n"),
    );
    expect(records.map((one) => one.source.line)).toEqual([2, 3, 1]);
    expect(fidelity.timing.outOfOrder).toBe(2);
  });

  test("a user agent with a control byte stays escaped: it can never break a header", async () => {
    const { records } = await importText(line({ agent: "a\\x0d\\x0ax: y" }));
    expect(records[0]?.headers).toEqual([["user-agent", "a\\x0d\\x0ax: y"]]);
  });
});
