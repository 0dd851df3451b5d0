// Local AWS as its own process: its one line, its ends, and what it does without a parent.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { builtFile } from "../../src/core/built-file.ts";
import { TEMPLATE } from "./clients.ts";

const MAIN = fileURLToPath(builtFile("../../src/local/main.js", import.meta.url));
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

interface Line {
  readonly endpoint: string;
  readonly pid: number;
  readonly outputs: { readonly [name: string]: string };
  readonly error?: object;
}

async function start(...flags: string[]): Promise<{ child: ChildProcess; line: Line }> {
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  const [text] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
  return { child, line: JSON.parse(text) as Line };
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

describe("the process", () => {
  it("says in one line where it listens, and answers there", async () => {
    const { child, line } = await start("--template", TEMPLATE);
    expect(line).toEqual({
      endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: child.pid,
      outputs: expect.objectContaining({
        EchoArn: "arn:aws:lambda:eu-west-1:000000000000:function:echo",
        ApiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      }),
    });
    const outputs = await (await fetch(`${line.endpoint}/_local/outputs`)).json();
    expect(outputs).toEqual(line.outputs);
    const health = await (await fetch(`${line.endpoint}/_local/health`)).json();
    expect(health).toMatchObject({
      log_events_dropped: 0,
      stream_records_dropped: 0,
      loop_lag: { p99_ms: expect.any(Number) },
    });
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with 0 at %s", async (signal) => {
    const { child } = await start("--template", TEMPLATE);
    child.kill(signal);
    expect(await exitCode(child)).toBe(0);
  });

  it("ends when it is asked to", async () => {
    const { child, line } = await start("--template", TEMPLATE);
    await fetch(`${line.endpoint}/_local/stop`, { method: "POST" });
    expect(await exitCode(child)).toBe(0);
  });

  it("ends by itself when nobody asks it anything", async () => {
    const { child } = await start("--template", TEMPLATE, "--idle-exit-ms", "200");
    expect(await exitCode(child)).toBe(0);
  });

  it("stays, however idle, while whoever started it runs", async () => {
    const ours = ["--starter", String(process.pid)];
    const watched = await start("--template", TEMPLATE, "--idle-exit-ms", "100", ...ours);
    const other = await start("--template", TEMPLATE, "--idle-exit-ms", "400");
    expect(await exitCode(other.child)).toBe(0);
    expect(watched.child.exitCode).toBe(null);
  });

  it("does not end because its parent did", async () => {
    const script = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ${JSON.stringify([MAIN, "--template", TEMPLATE])},
        { detached: true, stdio: ["ignore", "pipe", "inherit"] });
      child.stdout.once("data", (line) => process.stdout.write(line, () => process.exit(0)));`;
    const parent = spawn(process.execPath, ["-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(parent, "exit");
    const [text] = (await once(createInterface({ input: parent.stdout! }), "line")) as [string];
    const line = JSON.parse(text) as Line;
    await ended;
    try {
      expect((await fetch(`${line.endpoint}/_local/health`)).status).toBe(200);
    } finally {
      await fetch(`${line.endpoint}/_local/stop`, { method: "POST" });
    }
  });
});

describe("a start that fails", () => {
  it("says what is wrong with the template, and exits with 64", async () => {
    const { child, line } = await start("--template", "/nowhere/template.yaml");
    expect(line.error).toMatchObject({
      message: expect.stringContaining("cannot read the template"),
      file: "/nowhere/template.yaml",
    });
    expect(await exitCode(child)).toBe(64);
  });

  it.each([
    [["--template", TEMPLATE, "--concurrency", "many"], "--concurrency takes a number"],
    [["--template", TEMPLATE, "--account", "12"], "--account takes twelve digits"],
    [["--colour"], "--colour"],
    [[], "--template is missing"],
    [["--template", TEMPLATE, "--concurrency", "110"], "the minimum is 100"],
  ])("refuses %j", async (flags, message) => {
    const { child, line } = await start(...flags);
    expect(line.error).toMatchObject({ message: expect.stringContaining(message) });
    expect(await exitCode(child)).toBe(64);
  });

  it("says so when the port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { child, line } = await start("--template", TEMPLATE, "--port", String(port));
    expect(line.error).toMatchObject({ message: expect.stringContaining(`port ${port}`) });
    expect(await exitCode(child)).toBe(64);
    server.close();
  });
});
