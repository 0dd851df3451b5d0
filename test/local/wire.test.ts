// The listener: HTTP/1.1 and h2c on one port, compressed bodies, unknown operations.
import { once } from "node:events";
import * as http2 from "node:http2";
import { connect, type Socket } from "node:net";
import { Duplex, Transform } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LocalAws } from "../../src/local/start.ts";
import { startSystem } from "./clients.ts";

let local: LocalAws;
beforeAll(async () => {
  local = await startSystem();
});
afterAll(() => local.stop());

const signedFor = (service: string): { authorization: string } => ({
  authorization:
    `AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/${service}/aws4_request, ` +
    "SignedHeaders=host, Signature=0",
});

it("answers HTTP/2 with prior knowledge on the port of HTTP/1.1", async () => {
  const session = http2.connect(local.endpoint);
  const stream = session.request({
    ":path": "/2016-08-19/account-settings",
    ...signedFor("lambda"),
  });
  const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  let body = "";
  for await (const chunk of stream.setEncoding("utf8")) body += chunk;
  session.close();
  expect(headers[":status"]).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ AccountLimit: { ConcurrentExecutions: 1_000 } });
});

it("opens compressed bodies", async () => {
  const answer = await fetch(local.endpoint, {
    method: "POST",
    body: gzipSync('{"logGroupNamePrefix":"/shop"}'),
    headers: {
      "content-encoding": "gzip",
      "x-amz-target": "Logs_20140328.DescribeLogGroups",
      ...signedFor("logs"),
    },
  });
  expect(await answer.json()).toMatchObject({ logGroups: [{ logGroupName: "/shop/access" }] });
});

it("finds a function by a percent-encoded ARN, with or without a trailing slash", async () => {
  const arn = encodeURIComponent("arn:aws:lambda:eu-west-1:000000000000:function:echo:$LATEST");
  for (const end of ["", "/"]) {
    const url = `${local.endpoint}/2015-03-31/functions/${arn}/configuration${end}`;
    const answer = await fetch(url, { headers: signedFor("lambda") });
    expect(await answer.json()).toMatchObject({
      FunctionArn: "arn:aws:lambda:eu-west-1:000000000000:function:echo:$LATEST",
      Timeout: 5,
      Environment: { Variables: { GREETING: "hello" } },
    });
  }
});

it.each([
  ["lambda", "/2015-03-31/nothing", {}, "x-amzn-errortype"],
  ["logs", "/", { "x-amz-target": "Logs_20140328.Nothing" }, "content-type"],
])("refuses an operation of %s that it does not know", async (service, path, headers, has) => {
  const answer = await fetch(`${local.endpoint}${path}`, {
    method: "POST",
    headers: { ...signedFor(service), ...headers },
  });
  expect(answer.status).toBe(404);
  expect(answer.headers.get(has)).toMatch(/UnknownOperationException|application\/x-amz-json-1\.1/);
});

it("refuses a signature that is none", async () => {
  const answer = await fetch(`${local.endpoint}/2015-03-31/functions`, {
    headers: { authorization: "Bearer abc" },
  });
  expect([answer.status, answer.headers.get("x-amzn-errortype")]).toEqual([
    403,
    "IncompleteSignatureException",
  ]);
});

it("lets go of a client that leaves without a word", async () => {
  const client = connect(Number(new URL(local.endpoint).port), "127.0.0.1");
  client.end().resume();
  await once(client, "close");
  expect(client.errored).toBeNull();
});

it("tells HTTP/2 by its first bytes, even if they come one by one", async () => {
  const socket = connect(Number(new URL(local.endpoint).port), "127.0.0.1");
  socket.setNoDelay(true);
  const session = http2.connect(local.endpoint, { createConnection: () => oneByOne(socket) });
  const stream = session.request({ ":path": "/_local/health" });
  const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  stream.resume();
  session.close();
  expect(headers[":status"]).toBe(200);
});

/** Its first three bytes go out in turns of their own. */
function oneByOne(socket: Socket): Duplex {
  let sent = 0;
  const slow = new Transform({
    async transform(chunk: Buffer, _, done) {
      for (let at = 0; at < chunk.length; ) {
        const size = sent < 3 ? 1 : chunk.length - at;
        await new Promise((resolve) => socket.write(chunk.subarray(at, at + size), resolve));
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        at += size;
        sent += size;
      }
      done();
    },
  });
  return Duplex.from({ writable: slow, readable: socket });
}

it.each([
  ["is no gzip", Buffer.from("nonsense"), 400, "SerializationException"],
  ["unzips to too much", gzipSync(Buffer.alloc(16_000_000)), 413, "RequestEntityTooLargeException"],
])("refuses a body that %s, over both versions of HTTP", async (_, body, status, code) => {
  const headers = { "content-encoding": "gzip", ...signedFor("logs") };
  const answer = await fetch(local.endpoint, {
    method: "POST",
    body: new Uint8Array(body),
    headers,
  });
  expect([answer.status, answer.headers.get("x-amzn-errortype")]).toEqual([status, code]);
  const session = http2.connect(local.endpoint);
  const stream = session.request({ ":path": "/", ":method": "POST", ...headers });
  stream.end(body);
  const [got] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  stream.resume();
  session.close();
  expect([got[":status"], got["x-amzn-errortype"]]).toEqual([status, code]);
});

it("refuses a body over the limit as too large, not as a fault of its own", async () => {
  const body = new Uint8Array(16_000_000);
  const answer = await fetch(local.endpoint, {
    method: "POST",
    body,
    headers: signedFor("lambda"),
  });
  expect(answer.status).toBe(413);
});
