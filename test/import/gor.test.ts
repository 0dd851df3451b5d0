// GoReplay files: order, answers, bodies as they were framed, broken messages.
import { describe, expect, test } from "vitest";
import { importText, reconciles, skippedOf } from "./memory-file.ts";

describe("gor", () => {
  const SEPARATOR = "\n🐵🙈🙉\n";
  const ns = (us: number): string => `${1_788_773_400_000_000 + us}123`;
  const post = (body: string, length = body.length): string =>
    `POST /order HTTP/1.1\r\nHost: shop.example\r\nContent-Length: ${length}\r\n\r\n${body}`;

  test("requests are sorted by first packet, joined with their answers, the last one kept", async () => {
    const imported = await importText(
      [
        `1 bbb ${ns(2_000)} 0\n${post("hello")}`,
        `2 bbb ${ns(9_000)} 7000000\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok`,
        `1 aaa ${ns(1_000)}\nGET /p?q=1 HTTP/1.1\r\nHost: shop.example\r\nX-A: 1\r\nx-a: 2\r\n\r\n`,
      ].join(SEPARATOR),
    );
    expect(
      imported.records.map((one) => [one.id, one.t_start_us % 1_000_000, one.recorded]),
    ).toEqual([
      ["aaa", 1_000, null],
      ["bbb", 2_000, { status: 201, latency_us: 7_000, bytes: 2 }],
    ]);
    expect(imported.records[0]).toMatchObject({
      host: "shop.example",
      path: "/p?q=1",
      body_state: "none",
      headers: [
        ["host", "shop.example"],
        ["x-a", "1"],
        ["x-a", "2"],
      ],
    });
    expect(skippedOf(imported)).toEqual({ "answer, joined to its request": 1 });
    expect(reconciles(imported)).toBe(true);
  });

  test("bodies: whole, cut by the recorder's buffer, chunked, binary", async () => {
    const chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    const { records } = await importText(
      [
        `1 a ${ns(1)}\n${post("hello")}`,
        `1 b ${ns(2)}\n${post("hel", 5)}`,
        `1 c ${ns(3)}\n${chunked}3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n`,
        `1 d ${ns(4)}\n${chunked}3\r\nabc\r\n9\r\nde`,
        `1 e ${ns(5)}\n${post("\x00\n\n\r\n\x01")}`,
      ].join(SEPARATOR),
    );
    const bodies = records.map((one) => [
      one.body_state,
      Buffer.from(one.body_b64 ?? "", "base64").toString(),
    ]);
    expect(bodies).toEqual([
      ["present", "hello"],
      ["truncated", "hel"],
      ["present", "abcde"],
      ["truncated", "abc"],
      ["present", "\x00\n\n\r\n\x01"],
    ]);
  });

  test("broken messages are skipped by reason", async () => {
    const imported = await importText(
      [
        `1 a ${ns(1)}\n${post("x")}`,
        "hello",
        `1 b ${ns(2)}\nGET / HTTP/1.1\r\nHost: x`,
        `3 a ${ns(3)}\nHTTP/1.1 200 OK\r\n\r\n`,
        `1 a ${ns(4)}\n${post("y")}`,
      ].join(SEPARATOR),
    );
    expect(skippedOf(imported)).toEqual({
      "not a message of this format": 1,
      "no HTTP head": 1,
      "replayed answer": 1,
      "request id seen before": 1,
    });
  });
});
