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

  describe("as CloudWatch Logs hands it out", () => {
    const logged = line({ path: "/p/7", requestTimeEpoch: "1788773400123" });

    test.each([
      ["aws logs tail", `2026-09-07T09:30:00.123000+00:00 stream/2026-09-07-09-30 ${logged}`],
      ["aws logs tail --format short", `2026-09-07T09:30:00 ${logged}`],
      ["an export to S3", `2026-09-07T09:30:00.123Z ${logged}`],
    ])("%s: the line behind its stamp", async (_, text) => {
      const { records, fidelity } = await importText(`${text}\n${text.replace("r1", "r2")}\n`);
      expect(records.map(({ path, id }) => [path, id])).toEqual([
        ["/p/7", "r1"],
        ["/p/7", "r2"],
      ]);
      expect([fidelity.read, fidelity.skipped]).toEqual([2, []]);
    });

    test("aws logs filter-log-events: the messages; what stands around them is counted", async () => {
      const event = (id: string) => ({
        ...{ logStreamName: "s", timestamp: 1788773400123, message: logged.replace("r1", id) },
        ...{ ingestionTime: 1788773400999, eventId: "3" },
      });
      const answer = { nextToken: "t", events: [event("r1"), event("r2")], searchedLogStreams: [] };
      const imported = await importText(JSON.stringify(answer, null, 4));
      expect(imported.records.map(({ id }) => id)).toEqual(["r1", "r2"]);
      expect(skippedOf(imported)).toEqual({ "what the aws command prints around the lines": 18 });
      expect(imported.fidelity.read).toBe(20);
    });
  });
});
