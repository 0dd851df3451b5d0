// A load with every field set, for tests of drivers to vary.
import type { Load } from "../../src/core/scenario.ts";

export function testLoad(more: Partial<Load>): Load {
  return {
    name: "shopper",
    driver: { kind: "burst", count: 1, everyUs: null, times: 1 },
    target: {
      kind: "http",
      url: "http://127.0.0.1:1",
      method: null,
      headers: [],
      timeoutUs: 3_000_000,
    },
    routes: [],
    writes: [],
    body: null,
    ok: [{ from: 200, to: 399 }],
    degraded: null,
    resend: null,
    ledger: null,
    during: null,
    startUs: 0,
    endUs: 10_000_000,
    inFlightMax: 100,
    ...more,
  };
}
