// Whether there is room for the undo log, before anything is sent.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const built = join(import.meta.dirname, "../../dist/src/cli/run-undo.js");
const LOOK = `
  process.on("SIGXFSZ", () => {});
  const { checkUndoLog } = await import(${JSON.stringify(built)});
  const said = await checkUndoLog().then(() => "room", ({ code, message }) => code + ": " + message);
  process.stdout.write(said);
`;
const LOG = '{"at":1,"state":"settled","id":"older"}\n';

let state = "";
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "gatecrash-room-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** With files of at most so many blocks: to a process the same as a disk without room. */
function looked(blocks: string): string {
  const command = `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`;
  const env = { PATH: process.env.PATH ?? "", XDG_STATE_HOME: state };
  return execFileSync("sh", ["-c", command, process.execPath, LOOK], { env, encoding: "utf8" });
}

test("a disk without room is refused, and the log stays as it was", () => {
  expect(looked("unlimited")).toBe("room");
  const folder = join(state, "gatecrash");
  writeFileSync(join(folder, "undo.jsonl"), LOG);
  expect(looked("8")).toMatch(/^refused: no room for the undo log: EFBIG/);
  expect(readFileSync(join(folder, "undo.jsonl"), "utf8")).toBe(LOG);
  expect(readdirSync(folder)).toEqual(["undo.jsonl"]);
});
