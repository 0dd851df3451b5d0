// Writes the traffic of the zero-concurrency scenario: node dist/bench/shop-traffic.js
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Rng, seededRng } from "../src/core/rng.ts";
import { type ShopRequest, shopLine, WITHOUT_METHOD } from "./shop-traffic-line.ts";

const SEED = 9001;
/** The scenario replays at this speed: one second of its run is twelve of the recording. */
const SPEED = 12;
const RUN_SECONDS = 50;
const RUN_SECOND_US = SPEED * 1_000_000;
const WARMUP_SECONDS = 4;
/** A load balancer's log comes in objects of five minutes; here they are joined gzip members. */
const MEMBER_US = 150 * 1_000_000;

/** Run seconds in which nobody browses, and the moment when everybody looks at one product. */
const GAP = { from: 16.2, to: 18 };
const BURST = { at: 9.2, over: 0.25, views: 160, path: "/product/1042?utm_source=newsletter" };

interface Timed extends ShopRequest {
  readonly atUs: number;
}

interface Logged {
  /** When the answer was sent, which is when the line was written: µs from the first request. */
  readonly doneUs: number;
  readonly line: string;
}

/** About ten minutes, the same for every call, in the order of the answers. */
export function shopTraffic(): { lines: Logged[]; bodies: string[] } {
  const rng = seededRng(SEED, "shop");
  const requests: Timed[] = [
    { atUs: 0, method: "GET", path: "/product/1000", status: 200 },
    ...checkouts(rng.fork("checkout")),
    ...browsing(rng.fork("browse")),
    ...oddities(rng.fork("odd")),
  ];
  requests.sort((a, b) => a.atUs - b.atUs);
  const draws = rng.fork("line");
  const lines = requests.map((request) => shopLine(request, request.atUs, draws));
  lines.sort((a, b) => a.doneUs - b.doneUs);
  return { lines: twice(lines, rng.fork("twice")), bodies: orders(rng.fork("orders")) };
}

/**
 * 146 to 166 in every second of the run after the warm-up: 2,200 in each phase, which is what it
 * takes to decide on one in a hundred.
 */
function checkouts(rng: Rng): Timed[] {
  const requests: Timed[] = [];
  for (let second = 0; second < RUN_SECONDS; second++) {
    const count = second < WARMUP_SECONDS ? 50 + 20 * second : 146 + Math.floor(rng.next() * 21);
    for (let i = 0; i < count; i++)
      requests.push({ atUs: placeIn(second, rng), method: "POST", path: "/checkout", status: 201 });
  }
  return requests;
}

function browsing(rng: Rng): Timed[] {
  const requests: Timed[] = [];
  for (let second = 0; second < RUN_SECONDS; second++) {
    const count = (second < WARMUP_SECONDS ? 30 : 55) + Math.floor(rng.next() * 25);
    for (let i = 0; i < count; i++) {
      const atUs = placeIn(second, rng);
      if (atUs >= GAP.from * RUN_SECOND_US && atUs < GAP.to * RUN_SECOND_US) continue;
      requests.push({ atUs, ...view(rng) });
    }
  }
  for (let i = 0; i < BURST.views; i++) {
    const atUs = Math.floor((BURST.at + rng.next() * BURST.over) * RUN_SECOND_US);
    requests.push({ atUs, method: "GET", path: BURST.path, status: 200 });
  }
  return requests;
}

const placeIn = (second: number, rng: Rng): number =>
  Math.floor((second + rng.next()) * RUN_SECOND_US);

/** Products 1000–1399 exist; 9000 and above do not. Few are looked at often, most rarely. */
function view(rng: Rng): ShopRequest {
  const kind = rng.next();
  const id = 1000 + Math.floor(400 * rng.next() ** 3);
  if (kind < 0.02) return { method: "HEAD", path: `/product/${id}`, status: 200 };
  if (kind < 0.05)
    return { method: "GET", path: `/product/${9000 + Math.floor(rng.next() * 100)}`, status: 404 };
  if (kind < 0.09) {
    const token = Math.floor(rng.next() * 1e15).toString(36);
    return { method: "GET", path: `/product/${id}?session_token=${token}&tab=info`, status: 200 };
  }
  return { method: "GET", path: `/product/${id}`, status: 200 };
}

/** What real logs hold besides: each of these a few times, spread over the run. */
const ODD: readonly { readonly times: number; readonly request: ShopRequest }[] = [
  { times: 12, request: { method: "GET", path: "/", status: 200 } },
  { times: 8, request: { method: "GET", path: "/search?q=desk lamp", status: 404 } },
  { times: 6, request: { method: "GET", path: "/search?q=\\x22oak table\\x22", status: 404 } },
  { times: 5, request: { method: "GET", path: "/product/10%2F42", status: 404 } },
  { times: 10, request: { method: "OPTIONS", path: "/checkout", status: 204 } },
  { times: 9, request: { method: "POST", path: "/login", status: 200 } },
  { times: 3, request: { method: "DELETE", path: "/cart/7", status: 204 } },
  { times: 4, request: { method: "GET", path: "/live", status: 101, type: "wss" } },
  { times: 7, request: { method: WITHOUT_METHOD, path: "", status: 400 } },
  { times: 5, request: { method: WITHOUT_METHOD, path: "http://shop.example:80-", status: 400 } },
  { times: 6, request: { method: "GET", path: "/product/1001", status: 460 } },
];

function oddities(rng: Rng): Timed[] {
  return ODD.flatMap(({ times, request }) =>
    Array.from({ length: times }, () => ({
      ...request,
      atUs: Math.floor(rng.next() * RUN_SECONDS * RUN_SECOND_US),
    })),
  );
}

/** Delivery of these logs may repeat: nine lines come a second time, a little later. */
function twice<T>(lines: readonly T[], rng: Rng): T[] {
  const out = [...lines];
  for (let i = 0; i < 9; i++) {
    const at = Math.floor(rng.next() * (lines.length - 50));
    const line = lines[at];
    if (line !== undefined) out.splice(at + 20, 0, line);
  }
  return out;
}

/** Orders of test tenant 9001, which owns nothing real; the order's id is drawn when it is sent. */
function orders(rng: Rng): string[] {
  return Array.from({ length: 240 }, () => {
    const items = Array.from({ length: 1 + Math.floor(rng.next() * 3) }, () => ({
      sku: String(1000 + Math.floor(rng.next() * 400)),
      quantity: 1 + Math.floor(rng.next() * 3),
      cents: 500 + Math.floor(rng.next() * 9_500),
    }));
    const cents = items.reduce((sum, item) => sum + item.quantity * item.cents, 0);
    const order = { tenant: 9001, orderId: "{{uuid}}", currency: "EUR", cents, items };
    return JSON.stringify(order);
  });
}

/** Members of about equal spans of time, as joined log objects are. */
export function packed(lines: readonly Logged[]): Buffer {
  const members: string[] = [];
  for (const { doneUs, line } of lines) {
    const member = Math.floor(doneUs / MEMBER_US);
    members[member] = `${members[member] ?? ""}${line}\n`;
  }
  return Buffer.concat(members.map((text) => gzipSync(text, { level: 9 })));
}

function main(): void {
  const folder = join(process.cwd(), "scenarios", "zero-concurrency", "traffic");
  mkdirSync(folder, { recursive: true });
  const { lines, bodies } = shopTraffic();
  writeFileSync(join(folder, "shop.alb.log.gz"), packed(lines));
  writeFileSync(join(folder, "checkout.ndjson"), `${bodies.join("\n")}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
