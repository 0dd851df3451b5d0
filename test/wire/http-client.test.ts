// The HTTP client against real sockets: what is reused, counted, kept and ended.
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/wire/exchange.ts";
import { serializeRequest } from "../../src/wire/request.ts";
import { clientOf, exchange, until } from "./client.ts";
import { OK_RESPONSE, rawServer } from "./raw-server.ts";

describe("connections", () => {
  it("grow with what is open and are used again, the last one first", async () => {
    const held: (() => void)[] = [];
    await using server = await rawServer((_, socket) => held.push(() => socket.write(OK_RESPONSE)));
    await using client = clientOf(server.url);
    const first = [exchange(client), exchange(client), exchange(client)];
    await until(() => held.length === 3);
    for (const answer of held.splice(0)) answer();
    expect((await Promise.all(first)).map((e) => e.newConnection)).toEqual([true, true, true]);
    const second = [exchange(client), exchange(client)];
    await until(() => held.length === 2);
    for (const answer of held.splice(0)) answer();
    expect((await Promise.all(second)).map((e) => e.newConnection)).toEqual([false, false]);
    expect([client.connections, server.accepted, client.inFlight]).toEqual([3, 3, 0]);
  });

  it("are not limited by the wire", async () => {
    let seen = 0;
    const sockets: (() => void)[] = [];
    await using server = await rawServer((_, socket) => {
      seen++;
      sockets.push(() => socket.write(OK_RESPONSE));
    });
    await using client = clientOf(server.url);
    const all = Array.from({ length: 300 }, () => exchange(client));
    await until(() => seen === 300);
    expect(client.inFlight).toBe(300);
    for (const answer of sockets) answer();
    expect((await Promise.all(all)).every((e) => e.status === 200)).toBe(true);
  });

  it.each<[string, string]>([
    ["the server says close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"],
    ["more bytes follow the response", `${OK_RESPONSE}HTTP/1.1 200`],
    [
      "an idle server said it would not wait",
      `${OK_RESPONSE.replace("\r\n", "\r\nKeep-Alive: timeout=1\r\n")}`,
    ],
  ])("are given up when %s", async (_, response) => {
    let clock = 0;
    await using server = await rawServer((_, socket) => socket.write(response));
    await using client = clientOf(server.url, { now: () => clock });
    const first = await exchange(client);
    clock += 600_000;
    const second = await exchange(client);
    expect([first.status, second.status, second.newConnection]).toEqual([200, 200, true]);
  });

  it("are given up when the server answers before it has read the request", async () => {
    await using server = await rawServer((_, socket, nth) => {
      if (nth === 1) socket.pause().write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    });
    await using client = clientOf(server.url);
    const answer = await exchange(client, "POST", new Uint8Array(20_000_000));
    expect([answer.status, answer.failure]).toEqual([413, ""]);
    await until(() => client.connections === 0);
  });

  it("that the server closed while idle are not used", async () => {
    await using server = await rawServer((_, socket) => {
      socket.write(OK_RESPONSE);
      setImmediate(() => socket.end());
    });
    await using client = clientOf(server.url);
    await exchange(client);
    await until(() => client.connections === 0);
    const second = await exchange(client);
    expect([second.failure, second.newConnection]).toEqual(["", true]);
  });
});

describe("an exchange", () => {
  it("counts bytes and orders its times", async () => {
    await using server = await rawServer((_, socket) =>
      socket.write(`HTTP/1.1 103 Hint\r\n\r\n${OK_RESPONSE}`),
    );
    await using client = clientOf(server.url);
    const request = serializeRequest("h", { method: "GET", path: "/", headers: [], body: null });
    const done = await new Promise<Exchange>((resolve) => client.send(request, resolve));
    expect([done.bytesOut, done.bytesIn]).toEqual([request.bytes.length, OK_RESPONSE.length + 21]);
    expect(done.connectUs).toBeGreaterThan(0);
    expect(done.firstByteUs).toBeGreaterThanOrEqual(done.sentUs + done.connectUs);
    expect(done.doneUs).toBeGreaterThanOrEqual(done.firstByteUs);
  });

  it("keeps the headers asked for, and the body when its status asks for it", async () => {
    const response =
      "HTTP/1.1 429 No\r\nx-id: a1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n";
    await using server = await rawServer((request, socket) =>
      socket.write(request.startsWith("GET") ? response : response.replace("429", "200")),
    );
    await using client = clientOf(server.url, {
      captureHeaders: ["x-id", "x-none"],
      captureBody: (status) => (status === 429 ? 5 : 0),
    });
    const kept = await exchange(client);
    expect([kept.headers, kept.body?.toString()]).toEqual([["a1", ""], "abcde"]);
    expect((await exchange(client, "PUT")).body).toBeNull();
  });

  it("ends with the response of a HEAD, a 204, a 304, and with a body that only the end delimits", async () => {
    const responses = [
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
    ];
    await using server = await rawServer((_, socket, nth) => {
      if (nth <= 3) socket.write(responses[nth - 1]!);
      else socket.end("HTTP/1.1 200 OK\r\n\r\nto the end");
    });
    await using client = clientOf(server.url);
    const seen: [string, number, boolean][] = [];
    for (const method of ["HEAD", "GET", "GET", "GET"]) {
      const one = await exchange(client, method);
      seen.push([one.failure, one.status, one.newConnection]);
    }
    expect(seen).toEqual([
      ["", 200, true],
      ["", 204, false],
      ["", 304, false],
      ["", 200, false],
    ]);
  });

  it("reads a response that arrives byte by byte", async () => {
    await using server = await rawServer(async (_, socket) => {
      socket.setNoDelay(true);
      for (const byte of OK_RESPONSE) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await using client = clientOf(server.url);
    const one = await exchange(client);
    expect([one.status, one.bytesIn, one.failure]).toEqual([200, OK_RESPONSE.length, ""]);
  });
});

describe("disposal", () => {
  it("ends what is open as unfinished, whatever step it is in, and closes all connections", async () => {
    let seen = 0;
    await using server = await rawServer(() => seen++);
    const client = clientOf(server.url);
    const waiting = exchange(client);
    await until(() => seen === 1);
    const connecting = exchange(client);
    await client[Symbol.asyncDispose]();
    expect((await waiting).failure).toBe("unfinished");
    expect((await connecting).failure).toBe("unfinished");
    expect([client.inFlight, client.connections]).toEqual([0, 0]);
  });

  it("refuses what is sent afterwards, and not synchronously", async () => {
    const client = clientOf("http://127.0.0.1:1");
    await client[Symbol.asyncDispose]();
    expect((await exchange(client)).failure).toBe("unfinished");
  });
});
