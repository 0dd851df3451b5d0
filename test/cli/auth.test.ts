// As whom a load sends: keys, tokens that are renewed, signatures; TLS that is always verified.
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { Workplace } from "../support/command-line.ts";
import { playAccount, STAGING } from "../support/rehearsal.ts";
import { selfSigned } from "../wire/self-signed.ts";

const place = new Workplace();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => place[Symbol.asyncDispose]());

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

/** A front that keeps the headers of every request and lets in whom `admits` admits. */
async function front(admits: (request: IncomingMessage) => boolean) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    response.statusCode = admits(request) ? 200 : 401;
    response.end("{}");
  });
  const port = await listening(server);
  return { seen, url: `http://127.0.0.1:${port}` };
}

let scenarios = 0;
function scenario(http: string, more = "", seconds = 2): string {
  const folder = join(place.dir, `auth-${++scenarios}`);
  mkdirSync(folder);
  const yaml = `gatecrash: 1
title: Who are we?
seed: 1
generator: { lag-p99: 5s, dropped: 0, cpu: 100% }
phases: [{ all: ${seconds}s }]
loads:
  caller:
    rate: { at: 20/s }
    http: ${http}
accept: [caller.errors.rate <= 20%, caller.dropped == 0 primary]
${more}`;
  writeFileSync(join(folder, "scenario.yaml"), yaml);
  return folder;
}

/** Everything that a run has written, as text. */
function written(dir: string): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("\n");
}

describe("a token of client credentials", () => {
  /** Tokens that last `seconds`; after `most` of them the issuer is broken. */
  async function issuer(seconds: number, most: number) {
    const issued: string[] = [];
    const asked: string[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => {
        body += part;
      });
      request.on("end", () => {
        asked.push(`${request.headers.authorization} ${body}`);
        response.setHeader("content-type", "application/json");
        if (issued.length >= most) {
          response.statusCode = 503;
          response.end('{"error":"temporarily_unavailable"}');
          return;
        }
        issued.push(`token-4711-${issued.length}`);
        response.end(JSON.stringify({ access_token: issued.at(-1), expires_in: seconds }));
      });
    });
    return { issued, asked, url: `http://127.0.0.1:${await listening(server)}/token` };
  }

  const auth = (tokenUrl: string): string =>
    `{ oauth: { token-url: "${tokenUrl}", client-id: shop, client-secret: "{{env.HUSH}}", scope: read } }`;
  const env = { HUSH: "client-secret-4712" };

  test("is renewed before it ends, and is written nowhere", async () => {
    const { issued, asked, url } = await issuer(2, 99);
    const shop = await front(({ headers }) => headers.authorization === `Bearer ${issued.at(-1)}`);
    const out = join(place.dir, "oauth");
    const folder = scenario(`{ url: "${shop.url}/", auth: ${auth(url)} }`, "", 5);
    const ended = await place.start(["run", folder, "--out", out], env).ended;
    expect(ended.code, ended.out + ended.err).toBe(0);
    expect(issued.length).toBeGreaterThanOrEqual(3);
    const basic = Buffer.from(`shop:${env.HUSH}`).toString("base64");
    expect(asked[0]).toBe(`Basic ${basic} grant_type=client_credentials&scope=read`);
    expect(written(out) + ended.out + ended.err).not.toMatch(/token-4711|client-secret-4712/);
  }, 60_000);

  test("that cannot be renewed makes the run INVALID", async () => {
    const { url } = await issuer(2, 1);
    const shop = await front(() => true);
    const folder = scenario(`{ url: "${shop.url}/", auth: ${auth(url)} }`, "", 4);
    const ended = await place.start(["run", folder], env).ended;
    expect(ended.code).toBe(3);
    expect(ended.out).toMatch(
      /INVALID {3}our own credentials had ended: \d+ attempts were not made/,
    );
  }, 60_000);

  test("of an issuer that is not on this machine is not asked for in local", async () => {
    const shop = await front(() => true);
    const http = `{ url: "${shop.url}/", auth: ${auth("https://idp.example/token")} }`;
    const ended = await place.start(["run", scenario(http)], env).ended;
    expect([ended.code, shop.seen.length, ended.err]).toEqual([
      ...[64, 0],
      expect.stringContaining("load caller would leave this machine, to idp.example"),
    ]);
  }, 60_000);

  test("that is refused from the start is said, and nothing is sent", async () => {
    const { url } = await issuer(2, 0);
    const shop = await front(() => true);
    const folder = scenario(`{ url: "${shop.url}/", auth: ${auth(url)} }`);
    const ended = await place.start(["run", folder], env).ended;
    expect([ended.code, shop.seen.length]).toEqual([64, 0]);
    expect(ended.err).toMatch(/no token for the load: .* answers 503 temporarily_unavailable/);
  }, 60_000);
});

describe("a command", () => {
  test("gives the token only with --allow-exec", async () => {
    const shop = await front(({ headers }) => headers["x-token"] === "from-a-command");
    const argv = `["${process.execPath}", "-e", "console.log('from-a-command')"]`;
    const http = `{ url: "${shop.url}/", auth: { command: { argv: ${argv} }, header: x-token } }`;
    const folder = scenario(http);
    const refused = await place.run("run", folder);
    expect([refused.code, refused.err, shop.seen.length]).toEqual([
      64,
      expect.stringContaining("--allow-exec"),
      0,
    ]);
    const ended = await place.run("run", folder, "--allow-exec");
    expect(ended.code, ended.out + ended.err).toBe(0);
  }, 60_000);
});

describe("in an account", () => {
  test("keys come from Parameter Store, and requests are signed by the load's role", async () => {
    const account = await playAccount(place, STAGING, "shop.example");
    const { endpoint } = account;
    const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
    const control = createControlPlane(where);
    const parameter = { Name: "/shop/key", Value: "api-key-4713", Type: "SecureString" };
    await control.call("ssm", "PutParameter", parameter);
    const keyed = await front(({ headers }) => headers["x-api-key"] === "api-key-4713");
    const signed = await front(({ headers }) =>
      /^AWS4-HMAC-SHA256 Credential=ASIA\w+\/\d{8}\/eu-west-1\/execute-api\/aws4_request, SignedHeaders=.*x-amz-security-token.*, Signature=[0-9a-f]{64}$/.test(
        headers.authorization ?? "",
      ),
    );
    const role = `load: { role: "arn:aws:iam::${STAGING}:role/loader" }`;
    const environment = `environments:
  stg: { account: "${STAGING}", aws-region: eu-west-1, endpoint: "${endpoint}", identities: { ${role} } }
`;
    const ours = 'unverified-host: "a server of this test"';
    const cases = [
      ["keyed", keyed, '{ api-key: "{{secret.ssm:/shop/key}}" }'],
      ["signed", signed, "{ iam: execute-api }"],
    ] as const;
    for (const [name, { url, seen }, auth] of cases) {
      const folder = scenario(`{ url: "${url}/a?b=2&a=1", auth: ${auth}, ${ours} }`, environment);
      const out = join(place.dir, name);
      const ended = await place.run("run", folder, "--env", "stg", "--out", out);
      expect(ended.code, ended.out + ended.err).toBe(0);
      expect(seen.length).toBeGreaterThan(30);
      expect(seen[0]?.headers["user-agent"]).toMatch(/^gatecrash run\/\d{4}-/);
      expect(written(out) + ended.out + ended.err).not.toContain("api-key-4713");
    }
    const missing = scenario(
      `{ url: "${keyed.url}/", auth: { api-key: "{{secret.ssm:/shop/none}}" }, ${ours} }`,
      environment,
    );
    const refused = await place.run("run", missing, "--env", "stg");
    expect([refused.code, refused.err]).toEqual([
      64,
      expect.stringContaining("the secret ssm:/shop/none cannot be read: ParameterNotFound"),
    ]);
  }, 120_000);
});

describe("TLS", () => {
  test("trusts the scenario's own authority by its name, and nobody else", async () => {
    const { key, cert } = selfSigned("shop.test");
    const names: unknown[] = [];
    const server = createSecureServer({ key, cert }, (request, response) => {
      names.push((request.socket as TLSSocket & { servername: unknown }).servername);
      response.end("{}");
    });
    const port = await listening(server);
    const url = `https://127.0.0.1:${port}/`;
    const trusted = scenario(`{ url: "${url}", tls: { ca: ca.pem, server-name: shop.test } }`);
    writeFileSync(join(trusted, "ca.pem"), cert);
    const good = await place.run("run", trusted);
    expect(good.code, good.out + good.err).toBe(0);
    expect(new Set(names)).toEqual(new Set(["shop.test"]));
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const bad = await place.start(["run", scenario(`{ url: "${url}" }`)], env).ended;
    expect([bad.code, bad.out]).toEqual([1, expect.stringMatching(/\d+ tls/)]);
    const none = scenario(`{ url: "${url}", tls: { ca: ca.pem } }`);
    const refused = await place.run("run", none);
    expect([refused.code, refused.err]).toEqual([64, expect.stringContaining("ca.pem")]);
  }, 60_000);
});

describe("a replay", () => {
  test("has the paths of the new system", async () => {
    const paths: (string | undefined)[] = [];
    const shop = await front(({ url }) => paths.push(url) > 0);
    const folder = scenario(
      `{ url: "${shop.url}/live", rewrite: { strip: /prod, paths: { /prod/v1: /v2 } } }`,
    );
    const file = join(folder, "scenario.yaml");
    const yaml = readFileSync(file, "utf8").replace(
      "rate: { at: 20/s }",
      "replay: { file: c.ndjson }",
    );
    writeFileSync(file, yaml);
    const captured = ["/prod/v1/cart?x=1", "/prod/item/2", "/product/3", "/prod"];
    const lines = captured.map((path, at) =>
      JSON.stringify({ t_start_us: 1_000_000 + at * 100_000, method: "GET", path }),
    );
    writeFileSync(join(folder, "c.ndjson"), `${lines.join("\n")}\n`);
    const ended = await place.run("run", folder);
    expect(paths, ended.out + ended.err).toEqual([
      "/live/v2/cart?x=1",
      "/live/item/2",
      "/live/product/3",
      "/live/",
    ]);
  }, 60_000);
});
