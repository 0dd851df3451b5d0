// The undo log on disk: what is appended is synced before anybody relies on it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { undoFile } from "../../src/run/undo-file.ts";

const dir = mkdtempSync(join(tmpdir(), "gatecrash-undo-file-"));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

/** What is written and synced from now on, in order, by any file handle. */
async function watched(): Promise<string[]> {
  const handle = await open("/", "r");
  const handles = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const seen: string[] = [];
  const { sync, write } = handles;
  vi.spyOn(handles, "sync").mockImplementation(function (this: typeof handle) {
    seen.push("sync");
    return sync.call(this);
  });
  vi.spyOn(handles, "write").mockImplementation(function (this: typeof handle, ...what: unknown[]) {
    seen.push("write");
    return Reflect.apply(write, this, what);
  } as typeof write);
  return seen;
}

test("a line is synced once it is written, and in a new log so are the folders that were made", async () => {
  const path = join(dir, "state", "gatecrash", "undo.jsonl");
  const seen = await watched();
  await undoFile(path).append("one\n");
  // The file, its folder, the folder above, and the one that was there: its entry is new.
  expect(seen).toEqual(["write", "sync", "sync", "sync", "sync"]);
  seen.length = 0;
  await undoFile(path).append("two\n");
  expect(seen).toEqual(["write", "sync"]);
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
});
