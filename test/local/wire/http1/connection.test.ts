// One connection over real sockets: order, ends, half-closed clients, and clients that break off.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { HttpAnswer } from "../../../../src/local/wire/http1/answer-bytes.ts";
import { serveHttp1 } from "../../../../src/local/wire/http1/connection.ts";
import type { ParsedRequest } from "../../../../src/local/wire/http1/request-parser.ts";
import { type Listener, listenTcp } from "../../../../src/local/wire/listener.ts";

const open: (Listener | Socket)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) {
    if ("destroy" in each) each.destroy();
    else await each.close();
  }
});

const text = (body: string, more: Partial<HttpAnswer> = {}): HttpAnswer => ({
  status: 200,
  headers: [],
  body: Buffer.from(body),
  ...more,
});

const echo = async ({ head, content }: ParsedRequest): Promise<HttpAnswer> =>
  text(`${head.method} ${head.target} ${content}`);

async function serve(
  answer: (request: ParsedRequest, served: Socket) => Promise<HttpAnswer>,
  keepAliveMs = 60_000,
): Promise<Socket> {
  const server = await listenTcp(0, (socket) => {
    const answered = (request: ParsedRequest): Promise<HttpAnswer> => answer(request, socket);
    serveHttp1(socket, { bodyBytesMax: 1_000_000, keepAliveMs, answer: answered });
  });
  const client = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  open.push(client, server);
  client.on("error", () => {});
  await once(client, "connect");
  return client;
}

/** All that comes until the server ends the connection, without the date. */
async function rest(client: Socket): Promise<string> {
  let all = "";
  for await (const chunk of client) all += String(chunk);
  return all.replaceAll(/Date: [^\r]+\r\n/g, "");
}

/** What comes until `end` has come. */
async function until(client: Socket, end: string): Promise<string> {
  let all = "";
  client.on("data", (chunk: Buffer) => {
    all += String(chunk);
  });
  while (!all.includes(end)) await once(client, "data");
  client.removeAllListeners("data");
  return all;
}

const get = (path: string, ...lines: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, "Host: x", ...lines].join("\r\n")}\r\n\r\n`;
const bodiesOf = (all: string): string[] =>
  all.split(/HTTP\/1\.1 \d+ [^\r]+\r\n/).flatMap((one) => one.split("\r\n\r\n")[1] ?? []);

it("answers in order what was sent without waiting, however long each takes", async () => {
  const waiting: (() => void)[] = [];
  const client = await serve(async (request) => {
    if (request.head.target === "/1") await new Promise<void>((resolve) => waiting.push(resolve));
    return echo(request);
  });
  client.write(get("/1") + get("/2") + get("/3", "Connection: close"));
  while (waiting.length === 0) await new Promise(setImmediate);
  waiting[0]?.();
  expect(bodiesOf(await rest(client))).toEqual(["GET /1 ", "GET /2 ", "GET /3 "]);
});

it("says what is asked of an answer, and nothing of a body where there is none", async () => {
  const client = await serve(async ({ head }) =>
    head.target === "/204"
      ? text("", { status: 204 })
      : text("hi", { headers: [["Set-Cookie", ["a", "b"]]] }),
  );
  client.write(get("/").replace("GET", "HEAD") + get("/204") + get("/", "Connection: close"));
  expect(await rest(client)).toBe(
    "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nConnection: keep-alive\r\n" +
      "Content-Length: 2\r\n\r\n" +
      "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n" +
      "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nConnection: close\r\n" +
      "Content-Length: 2\r\n\r\nhi",
  );
});

it("answers a client that has said its last word", async () => {
  const client = await serve(echo);
  client.end(get("/1"));
  expect(bodiesOf(await rest(client))).toEqual(["GET /1 "]);
});

it("tells a waiting client to go on, once, and only before its body", async () => {
  const client = await serve(echo);
  client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  expect(await until(client, "\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  client.write("h");
  client.end("i");
  expect(bodiesOf(await rest(client))).toEqual(["POST / hi"]);
});

it("ends with a status what is no request, after the answers before it", async () => {
  const client = await serve(echo);
  client.write(`${get("/1")}nonsense\r\n\r\n`);
  const all = await rest(client);
  expect(all).toContain("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n");
  expect(bodiesOf(all)).toEqual(["GET /1 ", ""]);
});

it("ends the connection of a client that sends more than may be, when it has been told", async () => {
  const client = await serve(async ({ content }) => text(String(content)));
  client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n");
  client.write(Buffer.alloc(3_000_000));
  const all = await rest(client);
  expect(all).toContain("Connection: close");
  expect(bodiesOf(all)).toEqual(["null"]);
});

it.each([
  ["rejects", () => Promise.reject(new Error("broken"))],
  [
    "throws before it promises anything",
    () => {
      throw new Error("broken");
    },
  ],
  ["cannot be sent", async () => text("", { headers: [["a", "b\r\nc: d"]] })],
])("answers 500 when the answer %s, and serves the next one", async (_, answer) => {
  let isFirst = true;
  const client = await serve((request) => {
    const wrong = isFirst;
    isFirst = false;
    return wrong ? answer() : echo(request);
  });
  client.write(get("/1") + get("/2", "Connection: close"));
  const all = await rest(client);
  expect(all).toContain("HTTP/1.1 500 Internal Server Error");
  expect(bodiesOf(all)[1]).toBe("GET /2 ");
});

it("lets go of a client that breaks off, in the middle of a request or of its answer", async () => {
  const seen: string[] = [];
  const first = await serve(async ({ head }) => {
    seen.push(head.target);
    await once(first, "close");
    return text("for nobody");
  });
  first.write(`${get("/1")}POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe`);
  while (seen.length === 0) await new Promise(setImmediate);
  first.resetAndDestroy();
  await once(first, "close");
  const second = await serve(echo);
  second.write(get("/3", "Connection: close"));
  expect(bodiesOf(await rest(second))).toEqual(["GET /3 "]);
  expect(seen).toEqual(["/1"]);
});

it.each([
  ["an idle connection", "", ""],
  ["half a request, with a 408", "GET / HT", "HTTP/1.1 408 Request Timeout"],
])("ends %s", async (_, sent, status) => {
  const client = await serve(echo, 20);
  if (sent !== "") client.write(sent);
  expect((await rest(client)).split("\r\n")[0]).toBe(status);
});

it("waits for an answer longer than for a request", async () => {
  const client = await serve(async (request, served) => {
    await once(served, "timeout");
    return echo(request);
  }, 20);
  client.write(get("/1", "Connection: close"));
  expect(bodiesOf(await rest(client))).toEqual(["GET /1 "]);
});

it("reads no further ahead of its answers than it has to", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  let paused: Promise<unknown> | undefined;
  const client = await serve(async (request, served) => {
    paused ??= once(served, "pause");
    count++;
    await held;
    return echo(request);
  });
  const long = get("/x", `A: ${"a".repeat(16_000)}`);
  for (let i = 0; i < 2_000; i++) client.write(long); // more than the kernel keeps for both ends
  client.write(get("/last", "Connection: close"));
  while (paused === undefined) await new Promise(setImmediate);
  await paused;
  expect(count).toBe(1);
  expect(client.writableLength).toBeGreaterThan(8_000_000);
  release();
  expect(bodiesOf(await rest(client))).toHaveLength(2_001);
});

it("makes no further answer for a client that does not read the last one", async () => {
  let asked = 0;
  const client = await serve(async () => {
    asked++;
    return text("x".repeat(8_000_000));
  });
  client.pause();
  client.write(get("/1") + get("/2") + get("/3", "Connection: close"));
  while (asked === 0) await new Promise(setImmediate);
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  expect(asked).toBe(1);
  expect((await rest(client)).length).toBeGreaterThan(24_000_000);
  expect(asked).toBe(3);
});

it("lets go of a client that does not read its answer at all", async () => {
  let leave = (): void => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const client = await serve(async (_, served) => {
    served.once("close", leave);
    return text("x".repeat(8_000_000));
  }, 50);
  client.pause();
  client.write(get("/1") + get("/2"));
  await gone;
});
