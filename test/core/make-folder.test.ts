// Folders made one by one, with what was made first; refusals are errors, never an endless loop.
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../src/core/make-folder.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-folder-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test("what is missing above is made too, with the mode, and the first of it is returned", () => {
  expect(makeFolder(join(dir, "a", "b"), 0o700)).toBe(join(dir, "a"));
  expect(makeFolder(join(dir, "a", "b", "c"))).toBe(join(dir, "a", "b", "c"));
  expect(statSync(join(dir, "a", "b")).mode & 0o777).toBe(0o700);
});

test("one that is there stays", () => {
  expect(makeFolder(dir)).toBeUndefined();
});

test("a file and a link to nowhere are in the way", () => {
  writeFileSync(join(dir, "file"), "");
  symlinkSync("nowhere", join(dir, "link"));
  expect(() => makeFolder(join(dir, "file", "a"))).toThrow("ENOTDIR");
  expect(() => makeFolder(join(dir, "link", "a"))).toThrow("EEXIST");
});
