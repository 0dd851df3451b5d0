// Sinks that a command prints: real child processes, and none without permission.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SinkSpec } from "../../../src/core/scenario.ts";
import { readSink } from "../../../src/observe/sinks/read-sink.ts";
import { rowsOf, sinkPorts, sinkSpec, temporaryFolder } from "../../support/sinks.ts";

const node = (script: string, ...args: string[]) => [process.execPath, "-e", script, ...args];

function read(
  input: SinkSpec["input"],
  { dir = temporaryFolder(), env = {}, signal = new AbortController().signal } = {},
) {
  const all = { PATH: process.env.PATH, HOME: "/nowhere", ...env };
  return rowsOf(sinkSpec("command", input), sinkPorts(dir, { allowExec: true, env: all }), signal);
}

describe("a command sink", () => {
  it("reads the lines that a program prints, in the scenario's folder", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "list.csv"), "eventId,depot\na,north\n");
    const argv = node("process.stdout.write(require('fs').readFileSync('list.csv'))");
    expect(await read({ argv, format: "csv" }, { dir })).toEqual([
      { id: "a", cell: "north", count: 1 },
    ]);
  });

  it("gives arguments to no shell", async () => {
    const argv = node("console.log(JSON.stringify({ eventId: process.argv[1] }))", "$(id); `id`");
    expect((await read({ argv })).map(({ id }) => id)).toEqual(["$(id); `id`"]);
  });

  it("shows the program the variables it names, and a few that every program needs", async () => {
    const script =
      "for (const k of Object.keys(process.env)) console.log(JSON.stringify({ eventId: k }))";
    const env = { TOKEN: "t", AWS_SECRET_ACCESS_KEY: "s" };
    const rows = await read({ argv: node(script), env: ["TOKEN", "UNSET"] }, { env });
    expect(rows.map(({ id }) => id).sort()).toEqual(["HOME", "PATH", "TOKEN"]);
  });

  it("is refused without --allow-exec", async () => {
    const dir = temporaryFolder();
    const argv = node("require('fs').writeFileSync('ran', '')");
    const reading = rowsOf(sinkSpec("command", { argv }), sinkPorts(dir));
    await expect(reading).rejects.toMatchObject({ code: "refused" });
    expect(existsSync(join(dir, "ran"))).toBe(false);
  });

  it("is not believed when it fails after half of its list", async () => {
    const script =
      "console.log('{\"eventId\":\"a\"}'); console.error('no space'); process.exitCode = 3";
    await expect(read({ argv: node(script) })).rejects.toThrow(
      /it ended with exit code 3; it said: no space$/,
    );
  });

  it("says that there is no such program", async () => {
    await expect(read({ argv: ["no-such-program-here"] })).rejects.toThrow("ENOENT");
  });

  it("is killed with its children when its time is over", async () => {
    const stop = new AbortController();
    const child = "setInterval(() => {}, 1e6)";
    const script = `
      const { spawn } = require("child_process");
      const { pid } = spawn(process.execPath, ["-e", "${child}"], { stdio: "inherit" });
      console.log(JSON.stringify({ eventId: String(pid) }));
      ${child}`;
    const spec = sinkSpec("command", { argv: node(script) });
    const ports = sinkPorts(temporaryFolder(), { allowExec: true });
    let pid = 0;
    const reading = (async () => {
      for await (const [row] of readSink(spec, ports, stop.signal)) {
        pid = Number(row?.id);
        stop.abort(new Error("enough"));
      }
    })();
    await expect(reading).rejects.toThrow("enough");
    expect(pid).toBeGreaterThan(0);
    // Its output stays open until the last holder of it is gone.
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

/** A killed orphan may wait for its new parent to collect it: that is no life. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true; // no /proc here, or gone by now: the next poll tells
  }
}
