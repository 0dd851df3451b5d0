// API Gateway access logs: paths and templates, stages, broken JSON.
import { describe, expect, test } from "vitest";
import { importText, skippedOf } from "./memory-file.ts";

describe("api-gateway", () => {
  const line = (more: object): string =>
    JSON.stringify({
      requestId: "r1",
      ip: "203.0.113.9",
      httpMethod: "GET",
      status: "200",
      responseLength: "12",
      ...more,
    });

  test("the logged path is replayed at the logged moment, without its stage", async () => {
    const { records, fidelity } = await importText(
      line({
        path: "/prod/p/7",
        stage: "prod",
        requestTimeEpoch: "1788773400123",
        responseLatency: "9",
      }),
    );
    expect(records).toMatchObject([
      {
        t_start_us: 1_788_773_400_123_000,
        t_precision_us: 1_000,
        t_meaning: "start",
        path: "/p/7",
        recorded: { status: 200, latency_us: 9_000, bytes: 12 },
      },
    ]);
    expect(fidelity.format).toBe("api-gateway");
  });

  test("a default log is skipped where it holds a template and not a path", async () => {
    const requestTime = "07/Sep/2026:09:30:00 +0000";
    const imported = await importText(
      [
        line({ resourcePath: "/p/{id}", requestTime }),
        line({ resourcePath: "/p", requestTime }),
        line({ httpMethod: undefined, routeKey: "POST /checkout", requestTime }),
        line({ httpMethod: undefined, routeKey: "$default", requestTime }),
        line({ path: "/p" }),
        '{"requestId":"r","httpMethod":"GET","error":"said "no""}',
      ].join("\n"),
    );
    expect(imported.records.map((one) => `${one.method} ${one.path}`).sort()).toEqual([
      "GET /p",
      "POST /checkout",
    ]);
    expect(skippedOf(imported)).toEqual({
      "only the route's template was logged, not the path": 2,
      "no requestTimeEpoch and no requestTime": 1,
      "broken JSON": 1,
    });
    expect(imported.fidelity.timing).toMatchObject({ precisionUs: 1_000_000, meaning: "start" });
  });
});
