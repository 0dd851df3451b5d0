// The listener: HTTP/1.1 and h2c on one port, compressed bodies, unknown operations.
import { once } from "node:events";
import * as http2 from "node:http2";
import { connect } from "node:net";
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
