// As whom a load sends in an account: a user pool, stored secrets, and what expires while it runs.
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { playAccount, STAGING } from "../support/rehearsal.ts";
import { selfSigned } from "../wire/self-signed.ts";

const place = new Workplace();
const servers: Server[] = [];
afterAll(async () => {
  for (const server of servers) server.close();
  await place[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** The account, with answers of the test's own for what local AWS does not play. */
async function inFrontOf(
  endpoint: string,
  own: (asked: IncomingMessage, body: string) => Answer | null,
): Promise<string> {
  return listening(
    createServer(async (asked, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of asked) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const told = own(asked, body.toString("utf8"));
      if (told !== null) {
        response.writeHead(told.status, told.headers).end(told.body);
        return;
      }
      const { method = "GET", url = "/", headers } = asked;
      const on = request(`${endpoint}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      on.on("error", () => response.destroy());
      on.end(body);
    }),
  );
}

/** A front of the test's own that lets in whom `admits` admits. */
async function front(admits: (asked: IncomingMessage, nth: number) => Answer) {
  let count = 0;
  const url = await listening(
    createServer((asked, response) => {
      const { status, body, headers } = admits(asked, count++);
      response.writeHead(status, headers).end(body);
    }),
  );
  return { url, seen: () => count };
}

/** As STS gives it, for so long. */
function sessionOf(lastsMs: number): Answer {
  const end = new Date(Date.now() + lastsMs).toISOString();
  const keys = "<AccessKeyId>ASIASHORT</AccessKeyId><SecretAccessKey>s</SecretAccessKey>";
  const session = `${keys}<SessionToken>t</SessionToken><Expiration>${end}</Expiration>`;
  const result = `<AssumeRoleResult><Credentials>${session}</Credentials></AssumeRoleResult>`;
  const body = `<AssumeRoleResponse>${result}</AssumeRoleResponse>`;
  return { status: 200, body, headers: { "content-type": "text/xml" } };
}

const DENIED: Answer = {
  status: 403,
  body: "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
  headers: { "content-type": "text/xml" },
};

const OK: Answer = { status: 200, body: "{}" };
const NO: Answer = { status: 401, body: "{}" };

let endpoint = "";
/** Another that plays the same account, with a stream and a queue. */
let fed = "";
let openArn = "";
beforeAll(async () => {
  const account = await playAccount(place, STAGING, "shop.example");
  endpoint = account.endpoint;
  openArn = account.outputs.OpenArn ?? "";
  const template = fileURLToPath(new URL("../fixtures/every-load/template.yaml", import.meta.url));
  const local = place.start(["local", "--template", template, "--account", STAGING, "--json"]);
  await local.until(() => local.out.includes("\n"));
  fed = JSON.parse(local.out).endpoint;
}, 120_000);

let scenarios = 0;
function scenario(target: string, at: string, seconds = 2): string {
  const folder = join(place.dir, `account-auth-${++scenarios}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "body.json"), "{}");
  const yaml = `gatecrash: 1
title: Who are we there?
seed: 1
generator: { lag-p99: 5s, dropped: 0, cpu: 100% }
phases: [{ all: ${seconds}s }]
brake: { errors: 100% }
environments:
  stg: { account: "${STAGING}", aws-region: eu-west-1, endpoint: "${at}" }
loads:
  caller:
    rate: { at: 20/s }
    ${target}
accept: [caller.errors.rate <= 100%, caller.dropped == 0 primary]
downstreams: { none: "reads only" }
`;
  writeFileSync(join(folder, "scenario.yaml"), yaml);
  return folder;
}

const http = (url: string, auth: string): string =>
  `http: { url: "${url}/", auth: ${auth}, unverified-host: "a server of this test" }`;

/** Everything that a run has written, as text. */
function written(dir: string): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("\n");
}

async function run(folder: string, env: { readonly [name: string]: string } = {}) {
  const out = join(folder, "out");
  const ended = await place.start(["run", folder, "--env", "stg", "--out", out], env).ended;
  return { ...ended, all: () => written(out) + ended.out + ended.err };
}

describe("a token", () => {
  test("of a user pool is taken from the region's own, renewed, and written nowhere", async () => {
    let issued = 0;
    const at = await inFrontOf(endpoint, ({ headers }, body) => {
      if (!String(headers["x-amz-target"]).endsWith(".InitiateAuth")) return null;
      const { AuthParameters: given } = JSON.parse(body);
      if (given.PASSWORD !== "user-password-4715") return { status: 400, body: "{}" };
      const IdToken = `pool-token-4716-${issued++}`;
      return { ...OK, body: JSON.stringify({ AuthenticationResult: { IdToken, ExpiresIn: 2 } }) };
    });
    const shop = await front(({ headers }) =>
      headers.authorization?.startsWith("Bearer pool-token-4716-") ? OK : NO,
    );
    const auth = '{ cognito: { client-id: c, username: anna, password: "{{env.HUSH}}" } }';
    const ended = await run(scenario(http(shop.url, auth), at, 5), { HUSH: "user-password-4715" });
    expect(ended.code, ended.out + ended.err).toBe(0);
    expect(ended.out).toContain("100 ok + 0 throttled + 0 errored");
    expect(issued).toBeGreaterThanOrEqual(3);
    expect(ended.all()).not.toMatch(/pool-token-4716|user-password-4715/);
    const wrong = await run(scenario(http(shop.url, auth), at), { HUSH: "another-4717" });
    expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining("no token for the load")]);
    expect(wrong.err).not.toContain("another-4717");
  }, 90_000);

  test("of Secrets Manager is read through Parameter Store and borne, and written nowhere", async () => {
    const at = await inFrontOf(endpoint, ({ headers }, body) => {
      if (headers["x-amz-target"] !== "AmazonSSM.GetParameter") return null;
      const { Name, WithDecryption } = JSON.parse(body);
      if (Name !== "/aws/reference/secretsmanager/shop/token" || WithDecryption !== true)
        return null;
      return { ...OK, body: JSON.stringify({ Parameter: { Name, Value: "stored-token-4718" } }) };
    });
    const shop = await front(({ headers }) =>
      headers.authorization === "Bearer stored-token-4718" ? OK : NO,
    );
    const bearer = (name: string): string => `{ bearer: "{{secret.secretsmanager:${name}}}" }`;
    const folder = scenario(http(shop.url, bearer("shop/token")), at);
    const ended = await run(folder);
    expect(ended.code, ended.out + ended.err).toBe(0);
    expect(shop.seen()).toBeGreaterThan(30);
    expect(ended.all()).not.toContain("stored-token-4718");
    const { load } = JSON.parse((await place.run("plan", folder, "--env", "stg", "--iam")).out);
    expect(load.Statement).toEqual([
      {
        Effect: "Allow",
        Action: ["ssm:GetParameter"],
        Resource: [
          `arn:aws:ssm:eu-west-1:${STAGING}:parameter/aws/reference/secretsmanager/shop/token`,
        ],
      },
      {
        Effect: "Allow",
        Action: ["secretsmanager:GetSecretValue"],
        Resource: [`arn:aws:secretsmanager:eu-west-1:${STAGING}:secret:shop/token-??????`],
      },
    ]);
    const none = await run(scenario(http(shop.url, bearer("shop/none")), at));
    expect([none.code, none.err]).toEqual([
      64,
      expect.stringContaining("the secret secretsmanager:shop/none cannot be read"),
    ]);
  }, 90_000);
});

describe("through HTTPS_PROXY", () => {
  test("go the requests of tokens and nothing of the load, and NO_PROXY keeps them from it", async () => {
    const { key, cert } = selfSigned("idp.example");
    const authorities = join(place.dir, "idp.pem");
    writeFileSync(authorities, cert);
    const asked: string[] = [];
    const idp = createSecureServer({ key, cert }, (_, response) => {
      response.end('{"access_token":"proxied-token-4723","expires_in":3600}');
    });
    await listening(idp);
    const tunnels: string[] = [];
    const proxy = createServer((plain, response) => {
      asked.push(plain.url ?? "");
      response.writeHead(502).end();
    });
    proxy.on("connect", ({ url }, socket: Socket) => {
      tunnels.push(url ?? "");
      const { port } = idp.address() as { port: number };
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on("error", () => {});
    });
    const env = {
      ...{ HTTPS_PROXY: await listening(proxy), NODE_EXTRA_CA_CERTS: authorities },
      ...{ HTTP_PROXY: "http://127.0.0.1:9", HUSH: "client-secret-4724" },
    };
    const shop = await front(({ headers }) =>
      headers.authorization === "Bearer proxied-token-4723" ? OK : NO,
    );
    const secret = 'client-id: shop, client-secret: "{{env.HUSH}}"';
    const auth = `{ oauth: { token-url: "https://idp.example/token", ${secret} } }`;
    const folder = scenario(http(shop.url, auth), endpoint);
    const ended = await run(folder, env);
    expect(ended.code, ended.out + ended.err).toBe(0);
    expect([asked, [...new Set(tunnels)]]).toEqual([[], ["idp.example:443"]]);
    expect(shop.seen()).toBeGreaterThan(30);
    expect(ended.all()).not.toMatch(/proxied-token-4723|client-secret-4724/);
    const tokenHost = async (more: { [name: string]: string }) => {
      const plan = await place.start(["plan", folder, "--env", "stg", "--json"], more).ended;
      const { egress } = JSON.parse(plan.out) as { egress: { to: string; why: string }[] };
      return egress.find(({ why }) => why.includes("token of load"))?.to;
    };
    expect(`http://${await tokenHost(env)}`).toBe(env.HTTPS_PROXY);
    expect(await tokenHost({ ...env, NO_PROXY: ".example" })).toBe("idp.example:443");
  }, 90_000);
});

describe("credentials that end while a load runs", () => {
  const EXPIRED: Answer = {
    status: 403,
    body: '{"message":"The security token included in the request is expired"}',
    headers: { "x-amzn-errortype": "ExpiredTokenException" },
  };
  const said = /INVALID[\s\S]*our own credentials had ended: \d+ attempts/;

  test("make a run over HTTP INVALID, as the front says it", async () => {
    const shop = await front((_, nth) => (nth < 20 ? OK : EXPIRED));
    const ended = await run(scenario(http(shop.url, "{ iam: execute-api }"), endpoint));
    expect([ended.code, ended.out], ended.err).toEqual([3, expect.stringMatching(said)]);
  }, 60_000);

  test("make a run that invokes a function INVALID, as Lambda says it", async () => {
    let invoked = 0;
    const at = await inFrontOf(endpoint, ({ url = "", method }) =>
      method === "POST" && url.endsWith("/invocations") && ++invoked > 20 ? EXPIRED : null,
    );
    const body = 'body: { template: body.json, why: "reads" }';
    const folder = scenario(`lambda: { function: "${openArn}" }\n    ${body}`, at);
    const ended = await run(folder);
    expect([ended.code, ended.out], ended.err).toEqual([3, expect.stringMatching(said)]);
    expect(invoked).toBeGreaterThan(30);
  }, 60_000);

  /** A JSON service that finds the session expired after the first calls. */
  const expiring = (target: string) => {
    let calls = 0;
    return inFrontOf(fed, ({ headers }) => {
      if (!String(headers["x-amz-target"]).endsWith(target) || ++calls <= 5) return null;
      const body = '{"__type":"ExpiredTokenException","message":"The security token is expired"}';
      return { status: 400, body, headers: { "content-type": "application/x-amz-json-1.1" } };
    });
  };

  test.each([
    ["writes to a stream", ".PutRecords", "kinesis: { stream: CLICKS, linger: 0ms }"],
    ["sends to a queue", ".SendMessageBatch", "sqs: { queue: ORDERS, linger: 0ms }"],
  ])(
    "make a run that %s INVALID, as the service says it",
    async (_, operation, target) => {
      const at = await expiring(operation);
      const named = target
        .replace("CLICKS", `"arn:aws:kinesis:eu-west-1:${STAGING}:stream/clicks"`)
        .replace("ORDERS", `"https://sqs.eu-west-1.amazonaws.com/${STAGING}/orders"`);
      const body = 'body: { template: body.json, why: "reads" }';
      const ended = await run(scenario(`${named}\n    ${body}`, at));
      expect([ended.code, ended.out], ended.err).toEqual([3, expect.stringMatching(said)]);
    },
    60_000,
  );

  test("make a run INVALID when the load's role cannot be taken any more", async () => {
    const shop = await front(() => OK);
    const at = await inFrontOf(endpoint, (_, body) => {
      if (!body.includes("Action=AssumeRole")) return null;
      const role = /RoleArn=([^&]+)/.exec(body)?.[1] ?? "";
      if (!decodeURIComponent(role).endsWith("role/sends")) return null;
      return shop.seen() < 10 ? sessionOf(2_000) : DENIED;
    });
    const folder = scenario(http(shop.url, "{ iam: execute-api }"), at, 6);
    const file = join(folder, "scenario.yaml");
    const identities = `identities: { load: { role: "arn:aws:iam::${STAGING}:role/sends" } }`;
    const yaml = readFileSync(file, "utf8").replace(`"${at}" }`, `"${at}", ${identities} }`);
    writeFileSync(file, yaml);
    const ended = await run(folder);
    expect([ended.code, ended.out], ended.err).toEqual([3, expect.stringMatching(said)]);
    expect(shop.seen()).toBeGreaterThan(5);
  }, 60_000);

  test("make a run INVALID when the user pool gives no token any more", async () => {
    const shop = await front(() => OK);
    const at = await inFrontOf(endpoint, ({ headers }) => {
      if (!String(headers["x-amz-target"]).endsWith(".InitiateAuth")) return null;
      if (shop.seen() >= 10) return { status: 400, body: '{"__type":"NotAuthorizedException"}' };
      const result = { IdToken: "only-token", ExpiresIn: 2 };
      return { ...OK, body: JSON.stringify({ AuthenticationResult: result }) };
    });
    const auth = '{ cognito: { client-id: c, username: anna, password: "{{env.HUSH}}" } }';
    const ended = await run(scenario(http(shop.url, auth), at, 5), { HUSH: "password-4722" });
    expect([ended.code, ended.out], ended.err).toEqual([3, expect.stringMatching(said)]);
  }, 60_000);

  test("and a refusal of the front's own is told apart from them", async () => {
    const refusal = { ...EXPIRED, headers: { "x-amzn-errortype": "AccessDeniedException" } };
    const shop = await front((_, nth) => (nth < 20 ? OK : refusal));
    const ended = await run(scenario(http(shop.url, "{ iam: execute-api }"), endpoint));
    const turned = /INVALID[\s\S]*never reached the system: \d+ refused by authorizer/;
    expect([ended.code, ended.out], ended.err).toEqual([3, expect.stringMatching(turned)]);
    expect(ended.out).not.toMatch(said);
  }, 60_000);

  test("and a 403 of the system itself is no reason to doubt the run", async () => {
    const shop = await front((_, nth) => (nth < 20 ? OK : { status: 403, body: EXPIRED.body }));
    const ended = await run(scenario(http(shop.url, "{ iam: execute-api }"), endpoint));
    expect(ended.code, ended.out + ended.err).toBe(0);
  }, 60_000);
});
