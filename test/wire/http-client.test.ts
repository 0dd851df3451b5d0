// The HTTP client against real sockets: what is reused, what breaks, and what it is then called.
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/wire/exchange.ts";
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from "../../src/wire/http-client.ts";
import { parseOrigin } from "../../src/wire/origin.ts";
import { serializeRequest } from "../../src/wire/request.ts";
import { closedPort, OK_RESPONSE, type OnRequest, rawServer } from "./raw-server.ts";

const now = (): number => Math.floor(performance.now() * 1_000);

function clientOf(url: string, more: Partial<HttpClientOptions> = {}): HttpClient {
  return createHttpClient({ origin: parseOrigin(url), now, timeoutUs: 5_000_000, ...more });
}

function exchange(client: HttpClient, method = "GET", body: Uint8Array | null = null) {
  const request = serializeRequest("localhost", { method, path: "/", headers: [], body });
  return new Promise<Exchange>((resolve) => client.send(request, resolve));
}

/** The failure of one exchange with a server that does this. */
async function failureOf(onRequest: OnRequest, more: Partial<HttpClientOptions> = {}) {
  await using server = await rawServer(onRequest);
  await using client = clientOf(server.url, more);
  return (await exchange(client)).failure;
}

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

describe("a failure", () => {
  it("on a reused connection before any byte is stale, and is not sent again", async () => {
    let requests = 0;
    await using server = await rawServer((_, socket, nth) => {
      requests++;
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.destroy();
    });
    await using client = clientOf(server.url);
    await exchange(client);
    const second = await exchange(client);
    expect(second.failure).toBe("stale");
    expect([second.newConnection, second.firstByteUs, second.status]).toEqual([false, -1, 0]);
    await until(() => client.connections === 0);
    expect(requests).toBe(2);
  });

  it("on a reused connection by a reset before any byte is stale too", async () => {
    await using server = await rawServer((_, socket, nth) => {
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.resetAndDestroy();
    });
    await using client = clientOf(server.url);
    await exchange(client);
    expect((await exchange(client)).failure).toBe("stale");
  });

  it("on a fresh connection before any byte is a reset", async () => {
    expect(await failureOf((_, socket) => socket.destroy())).toBe("reset");
    expect(await failureOf((_, socket) => socket.resetAndDestroy())).toBe("reset");
  });

  it("in mid-answer is a reset, also on a reused connection", async () => {
    await using server = await rawServer((_, socket, nth) => {
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.end(OK_RESPONSE.slice(0, -1));
    });
    await using client = clientOf(server.url);
    await exchange(client);
    const second = await exchange(client);
    expect([second.failure, second.bytesIn]).toEqual(["reset", OK_RESPONSE.length - 1]);
  });

  it("of parsing is told apart", async () => {
    expect(await failureOf((_, socket) => socket.write("HTTP/1.1 200 OK\nA: b\n\n"))).toBe("parse");
  });

  it("to answer in time is a timeout, also in mid-body, and ends the connection", async () => {
    const more = { timeoutUs: 30_000 };
    expect(await failureOf(() => {}, more)).toBe("timeout");
    await using server = await rawServer((_, socket) => socket.write(OK_RESPONSE.slice(0, -1)));
    await using client = clientOf(server.url, more);
    const late = await exchange(client);
    expect([late.failure, late.status]).toEqual(["timeout", 0]);
    await until(() => client.connections === 0);
    expect(late.doneUs - late.sentUs).toBeGreaterThanOrEqual(30_000);
  });

  it("of one request does not touch the timeouts of the others", async () => {
    await using server = await rawServer((request, socket) => {
      if (request.startsWith("GET")) socket.write(OK_RESPONSE);
    });
    await using client = clientOf(server.url, { timeoutUs: 40_000 });
    const slow = [exchange(client, "PUT"), exchange(client, "PUT")];
    const quick = [exchange(client), exchange(client)];
    const all = await Promise.all([...slow, ...quick]);
    expect(all.map((e) => e.failure)).toEqual(["timeout", "timeout", "", ""]);
  });

  it("to connect is data", async () => {
    await using client = clientOf(`http://127.0.0.1:${await closedPort()}`);
    const refused = await exchange(client);
    expect([refused.failure, refused.bytesOut, refused.newConnection]).toEqual([
      "connect",
      0,
      true,
    ]);
  });

  it("to resolve a name is data, and so is a resolver that never answers", async () => {
    await using none = clientOf("http://nowhere.invalid", {
      resolve: (_, done) => setImmediate(done, new Error("ENOTFOUND"), []),
    });
    expect((await exchange(none)).failure).toBe("dns");
    await using never = clientOf("http://nowhere.invalid", {
      resolve: () => {},
      timeoutUs: 20_000,
    });
    const keptAlive = setInterval(() => {}, 1_000);
    expect((await exchange(never)).failure).toBe("dns");
    clearInterval(keptAlive);
  });

  it("of the first family lets the other one be tried, since nothing was sent", async () => {
    await using server = await rawServer((_, socket) => socket.write(OK_RESPONSE));
    await using client = clientOf(`http://both.test:${server.port}`, {
      resolve: (_, done) =>
        setImmediate(done, null, [
          { address: "::1", family: 6 },
          { address: "127.0.0.1", family: 4 },
        ]),
    });
    const all = await Promise.all([exchange(client), exchange(client), exchange(client)]);
    expect(all.map((e) => e.failure)).toEqual(["", "", ""]);
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

/** Lets the loop turn until it holds; the test's own timeout is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
