// Every kind of fault in one run of the command: each seen to act, put back, and no secret written.
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ended, Workplace } from "../support/command-line.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/every-fault/", import.meta.url));
/** In the environment of both functions. */
const SECRET = "never-to-be-seen-5f2c";

describe("a run with every kind of fault", () => {
  const place = new Workplace();
  let ended: Ended;
  let run = "";
  beforeAll(async () => {
    cpSync(FIXTURE, join(place.dir, "every"), { recursive: true });
    run = join(place.dir, "run");
    ended = await place.run("run", join(place.dir, "every"), "--out", run);
  }, 180_000);
  afterAll(() => place[Symbol.asyncDispose]());

  const faults = (): { fault: string; step: string; detail?: string }[] =>
    readFileSync(join(run, "events", "0.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line.includes('"kind":"fault"'))
      .map((line) => JSON.parse(line));

  test("passes, and says that all of them are undone and verified", () => {
    expect(ended.code, ended.out + ended.err).toBe(0);
    expect(ended.out).toMatch(/faults\s+6 of 6 undone and verified/);
  });

  test("has seen each of them begin and end", () => {
    const steps = (step: string) =>
      new Set(faults().flatMap((each) => (each.step === step ? [each.fault] : [])));
    const all = new Set(["slow", "crash", "cold", "short", "off", "early"]);
    for (const step of ["onset", "verified", "cleared"]) expect(steps(step)).toEqual(all);
  });

  test("has moved the alias to a version of its own, and says what undo leaves", () => {
    const asked = faults().find(({ fault, step }) => fault === "cold" && step === "asked");
    expect(asked?.detail).toBe("FunctionVersion 1 → 2");
    expect(ended.out.replaceAll(/\s+/g, " ")).toContain("undo leaves: a version published for it");
  });

  test("was planned with all that it does, the version's publishing included", async () => {
    const planned = await place.run("plan", join(place.dir, "every"));
    expect(planned.code, planned.err).toBe(0);
    expect(planned.out).toMatch(
      /update-function-configuration .*publish-version .*update-function-configuration .*update-alias/,
    );
    expect(planned.out).not.toContain(SECRET);
  });

  test("has written no variable of a function anywhere: run, undo log, output", () => {
    expect(ended.out + ended.err).not.toContain(SECRET);
    const folders = [run, join(place.dir, "state")];
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()),
    );
    expect(files.length).toBeGreaterThan(5);
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), "latin1"), name).not.toContain(SECRET);
  });
});
