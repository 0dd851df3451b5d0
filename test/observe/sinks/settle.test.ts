// Waiting for quiet, in virtual time: real files that grow between two looks.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SettleEvent, SinkFile } from "../../../src/core/ledger-facts.ts";
import { type SettleOptions, settleSinks } from "../../../src/observe/sinks/settle.ts";
import { readFacts } from "../../../src/report/facts-reader.ts";
import { planFor, writeRun } from "../../support/run-directory.ts";
import { sinkPorts, sinkSpec, temporaryFolder } from "../../support/sinks.ts";

const row = (id: string) => `${JSON.stringify({ eventId: id, depot: "d" })}\n`;

/** A run directory beside a sink; `after` is told the number of each look of the first sink. */
function bench(after: (look: number, file: string) => void = () => {}) {
  const dir = temporaryFolder();
  writeRun(join(dir, "run"), { plan: planFor({ loads: [] }, []), events: [], attempts: [] });
  const file = join(dir, "sink.ndjson");
  writeFileSync(file, row("a") + row("b"));
  const stop = new AbortController();
  const events: SettleEvent[] = [];
  const options: SettleOptions = {
    ...sinkPorts(dir),
    runDir: join(dir, "run"),
    sinks: [sinkSpec("file", { path: "sink.ndjson" })],
    signal: stop.signal,
    onEvent: (event) => {
      events.push(event);
      after(event.look, file);
    },
  };
  const effects = async () => {
    const facts = await readFacts(options.runDir);
    const rows: string[] = [];
    for (const sink of facts.sinks)
      for await (const part of facts.effects(sink))
        for (let i = 0; i < part.rows; i++)
          rows.push(`${part.text("id", i)} ${part.ints("first_look")[i]}`);
    return rows;
  };
  const sinkFile = (): SinkFile =>
    JSON.parse(readFileSync(join(dir, "run/effects/deliveries/sink.json"), "utf8"));
  return { dir, options, events, stop, effects, sinkFile };
}

describe("settling", () => {
  it("ends when nothing has changed for `quiet`", async () => {
    const { options, events, effects, sinkFile } = bench();
    const settled = { sink: "deliveries", state: "quiet", rows: 2, looks: 3, detail: "" };
    expect(await settleSinks(options)).toEqual([settled]);
    expect(options.clock.nowUs()).toBe(10_000_000);
    expect(await effects()).toEqual(["a 1", "b 1"]);
    const looked = { kind: "settle", sink: "deliveries", rows: 2, quiet_since_us: 0 };
    expect(events).toEqual([
      { ...looked, look: 1, state: "looking" },
      { ...looked, look: 2, state: "looking" },
      { ...looked, look: 3, state: "quiet" },
    ]);
    expect(sinkFile()).toEqual({
      ...{ name: "deliveries", kind: "file", of: ["carrier"], cells: true },
      ...{ quiet_us: 10e6, at_most_us: 60e6, state: "quiet", detail: "", look: 3 },
      looks: [
        { look: 1, from_us: 0, at_us: 0, rows: 2, counted: 2 },
        { look: 3, from_us: 10e6, at_us: 10e6, rows: 2, counted: 2 },
      ],
    });
  });

  it("begins to wait again with every change, and knows what came late", async () => {
    const { options, effects } = bench((look, file) => {
      if (look === 2) appendFileSync(file, row("c"));
      if (look === 4) appendFileSync(file, row("c") + row("a"));
    });
    const [settled] = await settleSinks(options);
    expect(settled).toMatchObject({ state: "quiet", rows: 5, looks: 7 });
    expect(options.clock.nowUs()).toBe(30_000_000);
    expect(await effects()).toEqual(["a 1", "b 1", "c 3", "c 3", "a 1"]);
  });

  it("sees a change that leaves the number of rows as it was", async () => {
    const { options } = bench((look, file) => {
      if (look === 2) writeFileSync(file, row("a") + row("c"));
    });
    expect(await settleSinks(options)).toMatchObject([{ state: "quiet", looks: 5 }]);
  });

  it("does not wait for ever", async () => {
    const { options, sinkFile } = bench((look, file) => appendFileSync(file, row(`x${look}`)));
    expect(await settleSinks(options)).toMatchObject([{ state: "at-most", rows: 14, looks: 13 }]);
    expect(options.clock.nowUs()).toBe(60_000_000);
    expect(sinkFile().state).toBe("at-most");
  });

  it("keeps the last whole look when a later one fails, and says so", async () => {
    const { options, effects, sinkFile } = bench((look, file) => {
      if (look === 1) appendFileSync(file, "{oops}\n");
    });
    const [settled] = await settleSinks(options);
    expect(settled).toMatchObject({ state: "unread", rows: 2 });
    expect(sinkFile().detail).toContain("line 3 is not JSON");
    expect(await effects()).toEqual(["a 1", "b 1"]);
  });

  it("goes on when what could not be read comes back", async () => {
    const { options } = bench((look, file) => {
      if (look === 1) rmSync(file);
      if (look === 3) writeFileSync(file, row("a") + row("b"));
    });
    expect(await settleSinks(options)).toMatchObject([{ state: "quiet", rows: 2, looks: 4 }]);
  });

  it("looks once when a person has stopped the run", async () => {
    const { options, stop, effects } = bench();
    stop.abort(new Error("SIGINT"));
    expect(await settleSinks(options)).toMatchObject([{ state: "stopped", rows: 2, looks: 1 }]);
    expect(await effects()).toEqual(["a 1", "b 1"]);
  });

  it("stops waiting when it is stopped", async () => {
    const { options, stop } = bench(() => stop.abort(new Error("SIGINT")));
    expect(await settleSinks(options)).toMatchObject([{ state: "stopped", looks: 1 }]);
    expect(options.clock.nowUs()).toBe(0);
  });

  it("looks at several sinks side by side, and leaves no temporary file", async () => {
    const { dir, options } = bench();
    const sinks = ["a", "b"].map((name) => sinkSpec("file", { path: "sink.ndjson" }, { name }));
    expect(await settleSinks({ ...options, sinks })).toMatchObject([
      { sink: "a", state: "quiet" },
      { sink: "b", state: "quiet" },
    ]);
    const names = readdirSync(join(dir, "run/effects/a")).sort();
    expect(names).toEqual([expect.stringMatching(/^\d+-0\.parquet$/), "sink.json"]);
  });
});
