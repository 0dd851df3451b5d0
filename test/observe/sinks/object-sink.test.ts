// A sink in a bucket of local AWS: objects under a prefix, page by page, and what cannot be read.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { call } from "../../local/objects/signed.ts";
import { rowsOf, sinkPorts, sinkSpec } from "../../support/sinks.ts";

const template = fileURLToPath(new URL("../../local/objects/template.yaml", import.meta.url));
let local: LocalAws;
beforeAll(async () => {
  local = await startLocalAws({ template });
});
afterAll(() => local.stop());

const put = (key: string, body: string) => call(local.endpoint, `PUT /rollups/${key}`, body);
const read = (input: { [key: string]: string }, more = {}) => {
  const { endpoint } = local;
  const place = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const ports = sinkPorts("/", { control: createControlPlane(place) });
  return rowsOf(sinkSpec("objects", { bucket: "rollups", ...input }, more), ports);
};

it("is every NDJSON and CSV object under the prefix, also beyond one page of keys", async () => {
  await put("a/0.csv", "eventId,depot\ne-0,north\n");
  await put("a/1.ndjson", '{"eventId":"e-1","depot":"south"}\n');
  await put("b/2.ndjson", '{"eventId":"e-2","depot":"south"}\n');
  const rows = await read({ prefix: "a/" });
  expect(rows).toEqual([
    { id: "e-0", cell: "north", count: 1 },
    { id: "e-1", cell: "south", count: 1 },
  ]);
  for (let i = 0; i < 1_005; i++) await put(`many/${i}.ndjson`, `{"eventId":"m-${i}"}`);
  expect(new Set((await read({ prefix: "many/" })).map(({ id }) => id)).size).toBe(1_005);
});

it("may hold the sums of cells instead of events", async () => {
  await put("sums/mm=05.ndjson", '{"group":"a","minute":"05","n":7}\n{"checkpoint":"1"}\n');
  const sums = { id: null, cell: ["minute", "group"] };
  expect(await read({ prefix: "sums/", count: "n" }, sums)).toEqual([
    { id: "05/a", cell: "05/a", count: 7 },
  ]);
  expect(await read({ prefix: "nothing/", count: "n" }, sums)).toEqual([]);
});

it.each([
  ["a bucket that is not there", { bucket: "nobodys" }, "NoSuchBucket"],
  ["an object of no known format", { prefix: "bad/x.bin" }, "no known format"],
  ["an object that is not JSON", { prefix: "bad/x.ndjson" }, "line 1 is not JSON"],
  ["an object that is not gzip", { prefix: "bad/x.ndjson.gz" }, "bad/x.ndjson.gz"],
])("says what is wrong with %s", async (_, input, problem) => {
  await put("bad/x.bin", "x");
  await put("bad/x.ndjson", "x\n");
  await put("bad/x.ndjson.gz", gzipSync("x").toString("hex"));
  await expect(read(input)).rejects.toThrow(problem);
});
