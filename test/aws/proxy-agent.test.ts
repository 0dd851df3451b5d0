// HTTPS_PROXY for calls to AWS: a tunnel by CONNECT, TLS all the way; NO_PROXY goes direct.
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer, request } from "node:https";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { objectCalls } from "../../src/aws/object-calls.ts";
import { isDirect, proxyAgent, proxyOf } from "../../src/aws/proxy-agent.ts";
import { selfSigned } from "../wire/self-signed.ts";

const { key, cert } = selfSigned("aws.test");
const service = createSecureServer({ key, cert }, (_, response) => response.end("through"));
const asked: string[] = [];
let refuse = false;
const proxy = createServer();
proxy.on("connect", ({ url, headers }, socket: Socket) => {
  asked.push(`${url} ${headers["proxy-authorization"] ?? "-"}`);
  if (refuse) return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  const { port } = service.address() as { port: number };
  const onward = connect(port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    onward.pipe(socket).pipe(onward);
  });
});
let HTTPS_PROXY = "";

beforeAll(async () => {
  for (const server of [service, proxy]) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  HTTPS_PROXY = `http://mia:p%40ss@127.0.0.1:${(proxy.address() as { port: number }).port}`;
});
afterAll(() => {
  service.close();
  proxy.close();
});

async function get(host: string, env: { [name: string]: string }): Promise<string> {
  const agent = proxyAgent(env, { keepAlive: false });
  if (agent === null) throw new Error("no proxy");
  const { port } = service.address() as { port: number };
  const sent = request({ host, port, agent, ca: cert, servername: "aws.test" });
  sent.end();
  const [answer] = await once(sent, "response");
  answer.setEncoding("utf8");
  let text = "";
  for await (const part of answer) text += part;
  return text;
}

test("a call is tunnelled to its own host, and the certificate is the service's", async () => {
  expect(await get("lambda.aws.test", { HTTPS_PROXY })).toBe("through");
  const who = Buffer.from("mia:p@ss").toString("base64");
  expect(asked.at(-1)).toMatch(new RegExp(`^lambda\\.aws\\.test:\\d+ Basic ${who}$`));
});

test("a proxy that refuses is an error that says so", async () => {
  refuse = true;
  await expect(get("lambda.aws.test", { HTTPS_PROXY })).rejects.toThrow(/refused a tunnel .* 407/);
  refuse = false;
});

test("objects are read through it as well", async () => {
  vi.stubEnv("HTTPS_PROXY", HTTPS_PROXY);
  refuse = true;
  const credentials = async () => ({ accessKeyId: "A", secretAccessKey: "b" });
  const call = objectCalls(
    { endpoint: "aws", region: "eu-west-1", credentials, runId: "r" },
    5_000,
  );
  await expect(call("ListObjectsV2", { Bucket: "facts" })).rejects.toThrow(/refused a tunnel/);
  expect(asked.at(-1)).toMatch(/^s3\.eu-west-1\.amazonaws\.com:443 Basic/);
  refuse = false;
  vi.unstubAllEnvs();
});

test("NO_PROXY goes direct", async () => {
  const before = asked.length;
  expect(await get("127.0.0.1", { HTTPS_PROXY, NO_PROXY: "example.com, 127.0.0.1" })).toBe(
    "through",
  );
  expect(asked.length).toBe(before);
});

test.each([
  ["lambda.eu-west-1.amazonaws.com", ".amazonaws.com", true],
  ["lambda.eu-west-1.amazonaws.com", "amazonaws.com", true],
  ["notamazonaws.com", "amazonaws.com", false],
  ["a.b", "*", true],
  ["a.b", "", false],
])("%s with NO_PROXY=%s is direct: %s", (host, NO_PROXY, direct) => {
  expect(isDirect(host, { NO_PROXY })).toBe(direct);
});

test("what is no http proxy is an error before anything is sent", () => {
  expect(proxyOf({})).toBe(null);
  expect(() => proxyOf({ HTTPS_PROXY: "socks5://x:1" })).toThrow("HTTPS_PROXY is no http:// URL");
});
