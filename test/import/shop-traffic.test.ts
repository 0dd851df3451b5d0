// The shop's committed traffic: what its scenario needs of it, and where it comes from.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { packed, shopTraffic } from "../../bench/shop-traffic.ts";
import { seededRng } from "../../src/core/rng.ts";
import { importCapture } from "../../src/import/capture.ts";
import { reconciles, skippedOf } from "./memory-file.ts";

const folder = new URL("../../scenarios/zero-concurrency/traffic/", import.meta.url);
const log = fileURLToPath(new URL("shop.alb.log.gz", folder));
const SPEED = 12;

test("the committed files are what the generator writes", async () => {
  const { lines, bodies } = shopTraffic();
  const raw = await readFile(log);
  expect(gunzipSync(raw).equals(gunzipSync(packed(lines)))).toBe(true);
  const written = await readFile(new URL("checkout.ndjson", folder), "utf8");
  expect(written).toBe(`${bodies.join("\n")}\n`);
});

test("every run second from before to after has checkouts enough to decide on, and all fits the limits", async () => {
  const imported = await importCapture({ file: log, rng: seededRng(7) });
  expect(reconciles(imported)).toBe(true);
  const first = imported.records[0]?.t_start_us ?? 0;
  const perSecond = Array<number>(50).fill(0);
  for (const { t_start_us, method, path } of imported.records) {
    const second = Math.floor((t_start_us - first) / (SPEED * 1e6));
    if (method === "POST" && path === "/checkout") perSecond[second] = (perSecond[second] ?? 0) + 1;
  }
  expect(perSecond.length).toBe(50);
  expect(Math.min(...perSecond.slice(4))).toBeGreaterThanOrEqual(146);
  expect(Math.max(...perSecond)).toBeLessThanOrEqual(166);
  expect(imported.records.length).toBeLessThan(12_000);
});

test("it holds what real logs hold: repeats, malformed lines, websockets, disorder, spaces, quotes", async () => {
  const imported = await importCapture({ file: log, rng: seededRng(7) });
  expect(skippedOf(imported)).toEqual({
    "malformed request (no method logged)": 12,
    "line delivered twice": 9,
    "WebSocket connections are not replayed": 4,
  });
  expect(imported.fidelity.timing.outOfOrder).toBeGreaterThan(50);
  const paths = imported.records.map((one) => one.path);
  expect(paths.filter((path) => path.includes(" ")).length).toBeGreaterThan(5);
  expect(paths.filter((path) => path.includes('"')).length).toBeGreaterThan(5);
});
