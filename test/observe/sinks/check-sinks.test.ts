// What is refused before the first byte: commands, and sinks that hold the run's events already.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Arrival, Driver } from "../../../src/core/arrival.ts";
import { runUs } from "../../../src/core/time.ts";
import { checkSinks, refuseCommands } from "../../../src/observe/sinks/check-sinks.ts";
import { sinkPorts, sinkSpec, temporaryFolder } from "../../support/sinks.ts";

const call = { kind: "item", key: "", data: new Uint8Array() } as const;
const arrivals = ["a", "b"].map((id, index): Arrival => {
  return { index, dueUs: runUs(0), route: 0, call, ledger: { id, cell: "d" } };
});
const drivers = new Map<string, Driver>([["carrier", { name: "fixed", arrivals: () => arrivals }]]);

function check(content: string | null) {
  const dir = temporaryFolder();
  if (content !== null) writeFileSync(join(dir, "s.ndjson"), content);
  return checkSinks([sinkSpec("file", { path: "s.ndjson" })], drivers, sinkPorts(dir));
}

describe("before anything is sent", () => {
  it("a sink may hold other people's events, or not be there yet", async () => {
    await check('{"eventId":"other"}\n');
    await check("");
    await check(null);
  });

  it("a sink that holds the run's own events is refused: losses could not be told", async () => {
    await expect(check('{"eventId":"x"}\n{"eventId":"b"}\n')).rejects.toMatchObject({
      code: "refused",
      message: "sink deliveries holds 1 of this run's events already, as b",
    });
  });

  it("a sink of sums is refused when one of the run's cells holds something", async () => {
    const sums = { id: null, cell: ["depot"] };
    const held = (lines: string, input = {}) => {
      const dir = temporaryFolder();
      writeFileSync(join(dir, "s.ndjson"), lines);
      const spec = sinkSpec("file", { path: "s.ndjson", count: "n", ...input }, sums);
      return checkSinks([spec], drivers, sinkPorts(dir));
    };
    await held('{"depot":"other","n":5}\n{"depot":"d","n":0}\n{"checkpoint":7}\n');
    await expect(held('{"depot":"d","n":5}\n')).rejects.toThrow(
      "sink deliveries holds 1 of this run's cells already, as d",
    );
    const perShard = held('{"shard":"shardId-3","depot":"d","n":5}\n', { shard: "shard" });
    await expect(perShard).rejects.toThrow("cells already, as shardId-3/d");
  });

  it("a sink that cannot be read ends the run", async () => {
    await expect(check("{oops}\n")).rejects.toMatchObject({ code: "input" });
  });

  it("a command needs permission", () => {
    const sinks = [sinkSpec("command", { argv: ["list", "events"] })];
    expect(() => refuseCommands(sinks, { allowExec: false })).toThrow("would run: list events");
    expect(() => refuseCommands(sinks, { allowExec: true })).not.toThrow();
  });
});
