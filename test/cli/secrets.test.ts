// Planted secrets: none of them is in any fact, output or word of a command that used them all.
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

/** Where each is planted; all are used while the command runs. */
const PLANTED = {
  HEADER: "planted-in-a-header-4711",
  QUERY: "planted-in-the-query-4712",
  SINK_HEADER: "planted-for-a-sink-4713",
  SINK_QUERY: "planted-in-its-url-4714",
  ARGUMENT: "planted-as-argument-4715",
  SEEN: "planted-in-the-environment-4716",
  BODY: "planted-in-the-body-4717",
  CAPTURE: "planted-in-the-capture-4718",
  ANSWER: "planted-in-an-answer-4719",
  QUOTED: 'planted "and" quoted-4720',
};

const place = new Workplace();
/** A whole run on a busy machine. */
const TIMEOUT_MS = 120_000;
let asked: string[] = [];
/** Empty at the first look, so that the run begins; afterwards no JSON, so that it complains. */
const server: Server = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    const isFirst = !asked.some((one) => one.includes("/sink"));
    asked.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
    response.setHeader("content-type", "application/json");
    response.end(isFirst ? "[]" : `${PLANTED.ANSWER} is no JSON`);
  });
});
let origin = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(async () => {
  server.close();
  await place[Symbol.asyncDispose]();
});

/** Lists nothing at the first look; then says what it knows on the error stream, and fails. */
const TELLTALE = `
import { existsSync, writeFileSync } from "node:fs";
if (existsSync("looked")) {
  console.error(JSON.stringify([process.argv.at(-1), process.env.SEEN, process.env.QUOTED]));
  process.exitCode = 1;
}
writeFileSync("looked", "");
`;

const LOADS = `
  replayed:
    replay: { file: traffic.log }
    http: { url: "{{outputs.ApiUrl}}/open", timeout: 5s }
    ok: { status: [200-599] }
  writer:
    rate: { at: 20/s }
    http:
      url: "{{outputs.ApiUrl}}/open/1?key={{env.QUERY}}"
      method: POST
      headers: { authorization: "Bearer {{env.HEADER}}" }
      timeout: 5s
    body: { template: body.json, why: "a test of secrets" }
    ok: { status: [200-599] }
    ledger: { id: id, cell: shop }
sinks:
  page:
    http:
      url: "ORIGIN/sink?token={{env.SINK_QUERY}}"
      headers: { x-api-key: "{{env.SINK_HEADER}}" }
      id: id
    of: [writer]
    settle: { quiet: 200ms, at-most: 1s }
  told:
    command: { argv: [NODE, telltale.mjs, "{{env.ARGUMENT}}"], env: [SEEN, QUOTED], id: id }
    of: [writer]
    settle: { quiet: 200ms, at-most: 1s }

faults:`;

function planted(): string {
  const folder = place.scenario({
    "\nfaults:": LOADS.replace("ORIGIN", origin).replace("NODE", process.execPath),
    'hosts: ["{{outputs.ApiHost}}"]': `hosts: ["{{outputs.ApiHost}}", "${new URL(origin).host}"]`,
    "  - visitor.dropped == 0 primary\n": "  - visitor.dropped == 0\n  - page.lost == 0\n",
  });
  writeFileSync(join(folder, "telltale.mjs"), TELLTALE);
  const body = { id: "{{uuid}}", shop: "one", password: PLANTED.BODY };
  writeFileSync(join(folder, "body.json"), JSON.stringify(body));
  const line = (second: number) =>
    `10.0.0.1 - - [17/May/2015:10:05:0${second} +0000] "GET /2?token=${PLANTED.CAPTURE} HTTP/1.1"` +
    ` 200 20 "http://a/?sid=${PLANTED.CAPTURE}" "-"\n`;
  writeFileSync(join(folder, "traffic.log"), [1, 2, 3].map(line).join(""));
  return folder;
}

/** Every file of a folder as text; columnar ones row by row. */
async function textsOf(folder: string): Promise<(readonly [string, string])[]> {
  const texts: (readonly [string, string])[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (!statSync(file).isFile()) continue;
    const bytes = readFileSync(file);
    texts.push([name, bytes.toString("latin1")]);
    if (!name.endsWith(".parquet")) continue;
    const { buffer, byteOffset, byteLength } = bytes;
    const rows = await parquetReadObjects({
      file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
    });
    texts.push([name, JSON.stringify(rows, (_, value) => plain(value))]);
  }
  return texts;
}

const plain = (value: unknown): unknown =>
  typeof value === "bigint"
    ? String(value)
    : value instanceof Uint8Array
      ? Buffer.from(value).toString("latin1")
      : value;

function expectNothingIn(texts: readonly (readonly [string, string])[]): void {
  const forms = Object.entries(PLANTED).flatMap(([where, secret]) =>
    [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)].map((form) => {
      return [where, form] as const;
    }),
  );
  const leaks = texts.flatMap(([name, text]) =>
    forms.filter(([, form]) => text.includes(form)).map(([where]) => `${where} in ${name}`),
  );
  expect([...new Set(leaks)]).toEqual([]);
}

describe("a planted secret is nowhere in what is left of", () => {
  test(
    "a run with headers, queries, bodies, a capture, and sinks that repeat what they know",
    async () => {
      const scenario = planted();
      const out = join(place.dir, "run");
      asked = [];
      const args = ["run", scenario, "--out", out, "--allow-exec"];
      const ended = await place.start(args, PLANTED).ended;
      expect(ended.err).not.toMatch(/^error/m);
      // All were in use: the facts are clean because nothing wrote them, not because nothing ran.
      expect(asked.join("\n")).toContain(PLANTED.SINK_HEADER);
      expect(asked.join("\n")).toContain(PLANTED.SINK_QUERY);
      const files = await textsOf(out);
      const names = files.map(([name]) => name.replace(/[\d-]+(?=\.)/, "#"));
      for (const name of ["plan.json", "scenario.yaml", "result.json", "report.html", "undo.jsonl"])
        expect(names).toContain(name);
      expect(names).toContain("ledger/writer#.parquet");
      const settled = files.find(([name]) => name === "events/settle.jsonl")?.[1] ?? "";
      expect(settled).toContain("told: ");
      expect(settled).toMatch(/it said: \[/);
      const formats = ["text", "json", "html", "junit", "markdown", "github", "hlog"];
      const printed = await Promise.all(
        formats.map(async (format) => {
          const { out: text, err } = await place.run("report", out, "--format", format);
          return [format, text + err] as const;
        }),
      );
      expectNothingIn([...files, ...printed, ["stdout", ended.out], ["stderr", ended.err]]);
    },
    TIMEOUT_MS,
  );

  test(
    "a plan, as text and for machines",
    async () => {
      const scenario = planted();
      const [text, json] = await Promise.all(
        [[], ["--json"]].map((more) => place.start(["plan", scenario, ...more], PLANTED).ended),
      );
      expect([text?.code, json?.code]).toEqual([0, 0]);
      expect(JSON.parse(json?.out ?? "").loads).toContainEqual(
        expect.objectContaining({ load: "writer", to: expect.stringMatching(/\?key=…$/) }),
      );
      expectNothingIn([
        ["text", `${text?.out}${text?.err}`],
        ["json", `${json?.out}${json?.err}`],
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    "a quick load that was given them on its command line",
    async () => {
      const out = join(place.dir, "load");
      asked = ["/sink"];
      const { HEADER, QUERY, BODY } = PLANTED;
      const url = `${origin}/a?key=${QUERY}`;
      const secret = ["--header", `authorization: Bearer ${HEADER}`, `--body={"p":"${BODY}"}`];
      const args = ["load", url, "--rate", "20/s", "--for", "1s", ...secret, "--out", out];
      const ended = await place.run(...args);
      expect(ended.err).not.toMatch(/^error/m);
      for (const value of [HEADER, QUERY, BODY]) expect(asked.join("\n")).toContain(value);
      const html = (await place.run("report", out, "--format", "html")).out;
      const shown = [ended.out, ended.err, html].map((text) => ["shown", text] as const);
      expectNothingIn([...(await textsOf(out)), ...shown]);
      expect(html).toContain("--header");
    },
    TIMEOUT_MS,
  );

  test(
    "a header that cannot be sent",
    async () => {
      const folder = place.scenario({
        '/open/1", timeout': '/open/1", headers: { x-key: "{{env.HEADER}}" }, timeout',
      });
      const broken = { ...PLANTED, HEADER: `${PLANTED.HEADER}\nx` };
      const ended = await place.start(["run", folder, "--out", join(place.dir, "no")], broken)
        .ended;
      expect(ended).toMatchObject({
        code: 64,
        out: "",
        err: expect.stringContaining("header x-key"),
      });
      expectNothingIn([["stderr", ended.err]]);
    },
    TIMEOUT_MS,
  );
});
