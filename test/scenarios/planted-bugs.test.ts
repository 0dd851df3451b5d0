// The hardened noisy neighbour in short, with a bug planted: what is lost or doubled is named.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterAll, expect, it } from "vitest";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace("gatecrash-planted-");
afterAll(() => place[Symbol.asyncDispose]());

const FOLDER = fileURLToPath(new URL("../../scenarios/noisy-neighbour/", import.meta.url));

/** Each text is replaced once by the other. */
function edit(file: string, edits: { readonly [text: string]: string }): void {
  let text = readFileSync(file, "utf8");
  for (const [from, to] of Object.entries(edits)) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replace(from, to);
  }
  writeFileSync(file, text);
}

/** Loses events whose id ends in 00 or 01, and counts those that end in ff twice. */
const BUG = `export async function count(scan) {
  if (/0[01]$/.test(scan.eventId)) return "lost";
  const outcome = await countOnce(scan);
  if (/ff$/.test(scan.eventId)) {
    const Key = { eventId: { S: scan.eventId } };
    const ExpressionAttributeValues = { ":one": { N: "1" } };
    const again = { UpdateExpression: "ADD counted :one", ExpressionAttributeValues };
    await dynamodb.send(new UpdateItemCommand({ TableName: TABLE, Key, ...again }));
  }
  return outcome;
}
async function countOnce(`;

/** Ids of everything that was to be sent. */
async function ledgerIds(run: string): Promise<string[]> {
  const folder = join(run, "ledger");
  const files = readdirSync(folder).map((name) => asyncBufferFromFile(join(folder, name)));
  const rows = await Promise.all(
    files.map(async (file) => parquetReadObjects({ file: await file, columns: ["id"] })),
  );
  return rows.flat().map(({ id }) => String(id));
}

it("names the events that a planted bug loses or counts twice, and no other", async () => {
  const folder = join(place.dir, "scenario");
  cpSync(FOLDER, folder, { recursive: true });
  edit(join(folder, "functions/deliveries.mjs"), {
    "export async function count(": BUG,
    "[8_000, 10_000]": "[200, 300]",
  });
  const yaml = join(folder, "scenario.yaml");
  edit(yaml, {
    "before: 80s": "before: 1s",
    "replay: 235s": "replay: 6s",
    "drain: 5s": "drain: 1s",
    "at: 306/s, count: 52000": "at: 2000/s",
    "at: 40/min": "at: 10/s",
    "quiet: 25s": "quiet: 3s",
    "lag-p99: 20ms": "lag-p99: 5s",
  });
  const text = readFileSync(yaml, "utf8").replace(/^accept:\n(?: {2}- .*\n)+/m, () => {
    const criteria = ["deliveries.lost == 0 primary", "deliveries.duplicated == 0 primary"];
    return `accept:\n${criteria.map((one) => `  - ${one}\n`).join("")}`;
  });
  // The other variants expect what is no longer judged.
  writeFileSync(
    yaml,
    text.replace(/^ {2}naive:\n(?: {4}.*\n)+/m, "").replace(/^ {2}[ab]:.*\n/gm, ""),
  );
  const out = join(place.dir, "run");
  const {
    code,
    out: said,
    err,
  } = await place.run("run", folder, "--variant", "hardened", "--out", out);
  expect(code, said + err).toBe(1);
  const lines = readFileSync(join(out, "effects/deliveries/differences.ndjson"), "utf8");
  const named = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; id: string })
    .filter(({ kind }) => kind !== "cell")
    .map(({ kind, id }) => `${kind} ${id}`);
  const wanted = (await ledgerIds(out)).flatMap((id) => {
    if (/0[01]$/.test(id)) return [`lost ${id}`];
    return /ff$/.test(id) ? [`duplicated ${id}`] : [];
  });
  expect(named.sort()).toEqual(wanted.sort());
  expect(new Set(wanted.map((one) => one.split(" ")[0]))).toEqual(new Set(["lost", "duplicated"]));
}, 90_000);
