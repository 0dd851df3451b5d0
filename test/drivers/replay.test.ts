// The replay driver: recorded order and gaps, routes, writes, amplification, windows.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaptureRecord } from "../../src/core/capture.ts";
import { seededRng } from "../../src/core/rng.ts";
import type { Load } from "../../src/core/scenario.ts";
import { replay } from "../../src/drivers/replay.ts";
import { driverConformance } from "../conformance/driver.ts";
import { testLoad } from "./load.ts";

const T0 = 1_788_000_000_000_000;

function record(atUs: number, method: string, path: string): CaptureRecord {
  return {
    t_start_us: T0 + atUs,
    t_precision_us: 1,
    t_meaning: "start",
    id: null,
    session: null,
    method,
    scheme: "https",
    host: "shop.example",
    path,
    headers: [
      ["user-agent", "ua/1"],
      ["host", "shop.example"],
      ["content-length", "99"],
      ["cookie", "a=b"],
    ],
    body_b64: null,
    body_state: "absent",
    recorded: null,
    source: { file: "x", line: 1 },
    redactions: [],
  };
}

const CAPTURE: CaptureRecord[] = [
  record(0, "GET", "/product/7?ref=a b"),
  record(1_000_000, "POST", "/checkout"),
  record(1_000_000, "POST", "/login"),
  record(3_000_000, "HEAD", "/product/7"),
  record(3_200_000, "POST", "/checkout?x=1"),
  record(3_300_000, "GET", "/product/7/reviews"),
  record(90_000_000, "GET", "/product/8"),
];

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "gatecrash-replay-"));
  await writeFile(
    join(dir, "orders.ndjson"),
    '{"order":"{{uuid}}","n":1}\n\n{"order":"b","n":2}\n',
  );
});
afterAll(async () => rm(dir, { recursive: true }));

interface More {
  readonly speed?: number;
  readonly amplify?: number;
  readonly windowUs?: number;
}

function shop(more: More = {}): Load {
  return testLoad({
    driver: {
      kind: "replay",
      file: "unused",
      speed: more.speed ?? 1,
      amplify: more.amplify ?? 1,
      windowUs: more.windowUs ?? null,
    },
    startUs: 500_000,
    routes: [
      { name: "checkout", method: "POST", path: "/checkout" },
      { name: "browse", method: "GET", path: "/product/{id}" },
    ],
    writes: [{ route: "checkout", body: join(dir, "orders.ndjson"), why: "test" }],
  });
}

async function plan(more: More = {}, seed = 1): Promise<[number, number, string][]> {
  const driver = await replay(shop(more), CAPTURE, seededRng(seed));
  return [...driver.arrivals()].map(({ dueUs, route, call }) => [
    dueUs,
    route,
    call.kind === "http" ? `${call.method} ${call.path}` : "",
  ]);
}

describe("replay", () => {
  test("keeps order and gaps, names routes, and sends no write that is not listed", async () => {
    expect(await plan()).toEqual([
      [500_000, 2, "GET /product/7?ref=a%20b"],
      [1_500_000, 1, "POST /checkout"],
      [3_500_000, 0, "HEAD /product/7"],
      [3_700_000, 1, "POST /checkout?x=1"],
      [3_800_000, 0, "GET /product/7/reviews"],
    ]);
  });

  test("says what it leaves out, so that records = planned + skipped", async () => {
    const driver = await replay(shop(), CAPTURE, seededRng(1));
    expect([driver.planned, driver.skipped]).toEqual([
      5,
      [
        { reason: "POST that no writes: entry allows", count: 1 },
        { reason: "after the end of the load", count: 1 },
      ],
    ]);
  });

  test("speed divides the recorded time", async () => {
    expect((await plan({ speed: 12 })).at(-1)).toEqual([8_000_000, 2, "GET /product/8"]);
  });

  test("keeps the user agent, drops what belongs to the recorder, and types its own bodies", async () => {
    const driver = await replay(shop(), CAPTURE, seededRng(1));
    const calls = [...driver.arrivals()].map(({ call }) => call);
    expect(calls.map((call) => (call.kind === "http" ? call.headers : null)).slice(0, 2)).toEqual([
      [["user-agent", "ua/1"]],
      [
        ["user-agent", "ua/1"],
        ["content-type", "application/json"],
      ],
    ]);
  });

  test("takes the bodies of writes from the file, in rotation", async () => {
    const driver = await replay(shop(), CAPTURE, seededRng(1));
    const bodies = [...driver.arrivals()].flatMap(({ call }) =>
      call.kind === "http" && call.body !== null
        ? [(JSON.parse(Buffer.from(call.body).toString()) as { n: number }).n]
        : [],
    );
    expect(bodies.sort()).toEqual([1, 2]);
  });

  test("amplify multiplies arrivals and leaves the gaps empty", async () => {
    const due = (await plan({ amplify: 3 })).map(([us]) => us);
    expect(due.length).toBe(15);
    expect(due.filter((us) => us > 2_500_000 && us < 3_500_000)).toEqual([]);
  });

  test("amplify below 1 thins by the seed and counts the rest", async () => {
    const driver = await replay(shop({ amplify: 0.5 }), CAPTURE, seededRng(4));
    const left = driver.skipped.find(({ reason }) => reason.startsWith("left out"))?.count ?? 0;
    expect(driver.planned + left).toBe(5);
    expect(left).toBeGreaterThan(0);
  });

  test("a window is the busiest stretch, moved to the start of the load", async () => {
    expect(await plan({ windowUs: 500_000 })).toEqual([
      [500_000, 0, "HEAD /product/7"],
      [700_000, 1, "POST /checkout?x=1"],
      [800_000, 0, "GET /product/7/reviews"],
    ]);
  });

  test("a write route that does not exist is an error", async () => {
    const load = { ...shop(), writes: [{ route: "chekout", body: "/x", why: "" }] };
    await expect(replay(load, CAPTURE, seededRng(1))).rejects.toThrow(/no route "chekout"/);
  });

  test("a body file that is missing is an error with its name", async () => {
    const load = { ...shop(), writes: [{ route: "checkout", body: join(dir, "no"), why: "" }] };
    await expect(replay(load, CAPTURE, seededRng(1))).rejects.toThrow(/cannot read the bodies/);
  });
});

describe("replay keeps the promises of a driver", () => {
  const make = (load: Load, rng: Parameters<typeof replay>[2]) =>
    replay(
      { ...load, writes: [{ route: "checkout", body: join(dir, "orders.ndjson"), why: "" }] },
      CAPTURE,
      rng,
    );
  driverConformance({ name: "as recorded", load: shop(), make, seeded: true });
  driverConformance({ name: "amplified", load: shop({ amplify: 2.5 }), make, seeded: true });
});
