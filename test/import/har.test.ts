// HAR: order, bodies in their many shapes, no headers at all, entries never on the wire.
import { expect, test } from "vitest";
import { importText, reconciles, skippedOf } from "./memory-file.ts";

interface Shape {
  readonly [key: string]: unknown;
}

function entry(request: Shape, more: Shape = {}): Shape {
  return {
    startedDateTime: "2026-09-07T11:30:00.250+02:00",
    time: 12.5,
    request: {
      method: "GET",
      url: "https://shop.example/a",
      httpVersion: "HTTP/1.1",
      headers: [],
      headersSize: -1,
      bodySize: 0,
      ...request,
    },
    response: {
      status: 200,
      headers: [],
      content: { size: 3, mimeType: "text/html" },
      bodySize: 3,
    },
    ...more,
  };
}

const har = (...entries: Shape[]): string =>
  `\ufeff${JSON.stringify({ log: { version: "1.2", entries } }, null, 2)}`;

test("an entry becomes a record, whole", async () => {
  const { records, fidelity } = await importText(
    har(
      entry(
        {
          method: "POST",
          url: "https://shop.example:443/order?x=%2F#top",
          headers: [
            { name: ":authority", value: "shop.example" },
            { name: "Content-Type", value: "application/json" },
            ["X-Twice", "1"],
            { name: "x-twice", value: "2" },
          ],
          postData: { mimeType: "application/json", text: '{"a":1}' },
        },
        { connection: "443-7" },
      ),
    ),
  );
  expect(records).toEqual([
    {
      t_start_us: Date.UTC(2026, 8, 7, 9, 30, 0, 250) * 1000,
      t_precision_us: 1000,
      t_meaning: "start",
      id: null,
      session: expect.stringMatching(/^c-/),
      method: "POST",
      scheme: "https",
      host: "shop.example",
      path: "/order?x=%2F",
      headers: [
        ["content-type", "application/json"],
        ["x-twice", "1"],
        ["x-twice", "2"],
      ],
      body_b64: Buffer.from('{"a":1}').toString("base64"),
      body_state: "present",
      recorded: { status: 200, latency_us: 12_500, bytes: 3 },
      source: { file: "capture.log", line: 1 },
      redactions: [],
    },
  ]);
  expect([fidelity.format, fidelity.unit]).toEqual(["har", "entries"]);
});

test.each([
  ["no body", { method: "GET" }, "none", null],
  ["a body that the recorder left out", { method: "POST", bodySize: 512 }, "absent", null],
  [
    "a body that only content-length tells of",
    { method: "POST", bodySize: -1, headers: [{ name: "Content-Length", value: "512" }] },
    "absent",
    null,
  ],
  ["an empty post", { method: "POST", bodySize: 0 }, "none", null],
  [
    "binary in text",
    { method: "PUT", postData: { mimeType: "image/png", text: "\ufffdPNG" } },
    "lossy",
    "\ufffdPNG",
  ],
  [
    "base64, outside the specification",
    { method: "PUT", postData: { mimeType: "image/png", text: "AAEC", encoding: "base64" } },
    "present",
    "\x00\x01\x02",
  ],
  [
    "form fields",
    {
      method: "POST",
      postData: {
        mimeType: "application/x-www-form-urlencoded",
        params: [
          { name: "a b", value: "1&2" },
          { name: "c", value: "é" },
        ],
      },
    },
    "lossy",
    "a+b=1%262&c=%C3%A9",
  ],
  [
    "a multipart form, of which the files are gone",
    {
      method: "POST",
      postData: { mimeType: "multipart/form-data", params: [{ name: "f", fileName: "x.png" }] },
    },
    "absent",
    null,
  ],
])("body: %s", async (_name, request, state, body) => {
  const { records } = await importText(har(entry(request)));
  const text = records[0]?.body_b64;
  expect([
    records[0]?.body_state,
    text == null ? null : Buffer.from(text, "base64").toString(),
  ]).toEqual([state, body]);
});

test("entries are sorted by start, and what was not on the wire is skipped by reason", async () => {
  const imported = await importText(
    har(
      entry({ url: "https://shop.example/late" }, { startedDateTime: "2026-09-07T09:31:00Z" }),
      entry({ url: "https://shop.example/early" }),
      entry({ url: "data:text/plain,hi" }),
      entry({ url: "wss://shop.example/live" }),
      entry({}, { _fromCache: "memory" }),
      entry({}, { startedDateTime: "yesterday" }),
      {},
    ),
  );
  expect(imported.records.map((one) => one.path)).toEqual(["/early", "/late"]);
  expect(skippedOf(imported)).toEqual({
    "not an HTTP URL (data:, blob:, ws:, …)": 2,
    "answered from the browser's cache": 1,
    "no startedDateTime": 1,
    "no request": 1,
  });
  expect(reconciles(imported)).toBe(true);
});

test("secrets in headers, query and body are pseudonyms in the record", async () => {
  const { records, fidelity } = await importText(
    har(
      entry({
        method: "POST",
        url: "https://shop.example/login?access_token=tok123",
        headers: [
          { name: "Authorization", value: "Bearer abc" },
          { name: "Content-Type", value: "application/json" },
        ],
        postData: { mimeType: "application/json", text: '{"user":"u","password":"hunter22"}' },
      }),
    ),
  );
  const [record] = records;
  expect(record?.redactions).toEqual([
    "query:access_token",
    "header:authorization",
    "body:password",
  ]);
  expect(record?.body_state).toBe("redacted");
  const text = JSON.stringify([record, Buffer.from(record?.body_b64 ?? "", "base64").toString()]);
  expect(text).not.toMatch(/tok123|Bearer abc|hunter22/);
  expect(fidelity.redactions["body:password"]).toBe(1);
});

test("a recording that was cut off is an error", async () => {
  await expect(importText('{"log":{"entries":[{"startedDateTime":')).rejects.toMatchObject({
    code: "input",
  });
});
