// The undo log: on disk first, readable whatever was cut off, one open record a resource.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { undoFile, undoLogPath } from "../../src/run/undo-file.ts";
import { createUndoLog } from "../../src/run/undo-log.ts";
import {
  encodeLine,
  foldLines,
  UNDO_STATES,
  type UndoLine,
  type UndoRecord,
} from "../../src/run/undo-record.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { checkoutRecord, FRONT } from "../support/undo-records.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-undo-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Of whoever runs the tests. */
const OWN = userInfo().homedir;
const dead = (): boolean => false;

function logAt(path: string, alive: (record: UndoRecord) => boolean = dead, copy?: string) {
  const more = copy === undefined ? {} : { copy: undoFile(copy) };
  return createUndoLog({ file: undoFile(path), clock: new AutoClock(), alive, ...more });
}

describe("where it lies", () => {
  test.each([
    [{ XDG_STATE_HOME: "/var/state", HOME: "/home/ann" }, "/var/state/gatecrash/undo.jsonl"],
    [{ HOME: "/home/ann" }, "/home/ann/.local/state/gatecrash/undo.jsonl"],
    [{ XDG_STATE_HOME: "", HOME: "/home/ann" }, "/home/ann/.local/state/gatecrash/undo.jsonl"],
    [{ XDG_STATE_HOME: "state", HOME: "/home/ann" }, "/home/ann/.local/state/gatecrash/undo.jsonl"],
    [{}, `${OWN}/.local/state/gatecrash/undo.jsonl`],
    [{ HOME: "" }, `${OWN}/.local/state/gatecrash/undo.jsonl`],
    [{ HOME: "ann" }, `${OWN}/.local/state/gatecrash/undo.jsonl`],
  ])("%j gives %s", (env, path) => {
    expect(undoLogPath(env)).toBe(path);
  });

  test("its user alone can read it, in a folder that is made when it is needed", async () => {
    const path = join(folder, "a", "b", "undo.jsonl");
    await logAt(path).open(checkoutRecord());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "a", "b")).mode & 0o777).toBe(0o700);
  });

  test("a log that does not exist is empty", async () => {
    expect(await logAt(join(folder, "none.jsonl")).read()).toEqual({ entries: [], torn: 0 });
  });

  test("a folder that cannot be made is an error that says what to do", async () => {
    writeFileSync(join(folder, "file"), "");
    const opening = logAt(join(folder, "file", "undo.jsonl")).open(checkoutRecord());
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: "undo" }));
  });
});

describe("what it keeps", () => {
  test("the latest state of every record, oldest first", async () => {
    const log = logAt(join(folder, "undo.jsonl"));
    const [one, two] = [checkoutRecord({ id: "1" }), checkoutRecord({ id: "2" }, 7, FRONT)];
    await log.open(one);
    await log.open(two);
    await log.mark("1", "injecting");
    await log.mark("2", "settled", "never injected");
    const at = 1_767_225_600_000;
    expect((await log.read()).entries).toEqual([
      { record: one, state: "injecting", at, detail: null },
      { record: two, state: "settled", at, detail: "never injected" },
    ]);
  });

  test("the run's copy holds the same lines", async () => {
    const [path, copy] = [join(folder, "undo.jsonl"), join(folder, "run", "undo.jsonl")];
    const log = logAt(path, dead, copy);
    await log.open(checkoutRecord());
    await log.mark(checkoutRecord().id, "injecting");
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(path, "utf8"));
  });

  test("a copy that cannot be written changes nothing", async () => {
    writeFileSync(join(folder, "file"), "");
    const log = logAt(join(folder, "undo.jsonl"), dead, join(folder, "file", "undo.jsonl"));
    await log.open(checkoutRecord());
    expect((await log.read()).entries.length).toBe(1);
  });

  test("a record with an unset prior is not the same as one with 0", () => {
    const [unset, zero] = [checkoutRecord(), checkoutRecord({}, 0)].map((record) =>
      foldLines(encodeLine({ at: 1, state: "open", record })),
    );
    expect(unset?.entries[0]?.record.prior).toEqual({});
    expect(zero?.entries[0]?.record.prior).toEqual({ ReservedConcurrentExecutions: 0 });
  });
});

describe("an open record stands in the way", () => {
  test("of another one on the same resource, naming heal", async () => {
    const log = logAt(join(folder, "undo.jsonl"));
    await log.open(checkoutRecord({ id: "1" }, 7));
    const second = log.open(checkoutRecord({ id: "2" }, 0));
    await expect(second).rejects.toMatchObject({
      code: "refused",
      hint: expect.stringContaining("gatecrash heal"),
    });
    // The faulted value has not become the original.
    expect((await log.read()).entries.map(({ record }) => record.prior)).toEqual([
      { ReservedConcurrentExecutions: 7 },
    ]);
  });

  test("wherever its dead run's local AWS was listening", async () => {
    const log = logAt(join(folder, "undo.jsonl"));
    await log.open(checkoutRecord({ id: "1" }));
    const elsewhere = log.open(checkoutRecord({ id: "2", endpoint: "http://127.0.0.1:9" }));
    await expect(elsewhere).rejects.toMatchObject({ code: "refused" });
  });

  test("not of a run beside it that has a local AWS of its own", async () => {
    const log = logAt(join(folder, "undo.jsonl"), () => true);
    await log.open(checkoutRecord({ id: "1" }));
    await log.open(checkoutRecord({ id: "2", endpoint: "http://127.0.0.1:9" }));
    expect((await log.read()).entries.length).toBe(2);
  });

  test("not of another resource, and not once it is settled, void or drifted", async () => {
    const log = logAt(join(folder, "undo.jsonl"));
    for (const state of ["settled", "void", "drift", "verified"] as const) {
      await log.open(checkoutRecord({ id: state }));
      await log.open(checkoutRecord({ id: `${state}-front` }, null, FRONT));
      await log.mark(state, state);
      await log.mark(`${state}-front`, state);
    }
    expect((await log.read()).entries.length).toBe(8);
  });

  test("for exactly one of many that open at the same moment", async () => {
    const path = join(folder, "undo.jsonl");
    const opening = Array.from({ length: 20 }, (_, i) =>
      logAt(path).open(checkoutRecord({ id: String(i) })),
    );
    const results = await Promise.allSettled(opening);
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const { entries, torn } = await logAt(path).read();
    expect([entries.filter(({ state }) => state === "open").length, torn]).toEqual([1, 0]);
  });

  test("an id that is used twice is refused, not mixed up", async () => {
    const log = logAt(join(folder, "undo.jsonl"));
    await log.open(checkoutRecord({ id: "1" }));
    await log.mark("1", "settled");
    await expect(log.open(checkoutRecord({ id: "1" }))).rejects.toMatchObject({ code: "undo" });
  });
});

describe("lines that were cut off", () => {
  const lines: UndoLine[] = [
    { at: 1, state: "open", record: checkoutRecord({ id: "1" }, 7) },
    { at: 2, state: "injecting", id: "1" },
    { at: 3, state: "open", record: checkoutRecord({ id: "2" }, null, FRONT) },
    { at: 4, state: "injected", id: "1", detail: "ü" },
  ];

  test("at any byte leave every whole line readable, and what is appended next", async () => {
    const bytes = Buffer.from(lines.map(encodeLine).join(""), "utf8");
    for (let cut = 0; cut <= bytes.length; cut++) {
      const path = join(folder, "cut.jsonl");
      writeFileSync(path, bytes.subarray(0, cut));
      const whole = bytes.subarray(0, bytes.subarray(0, cut).lastIndexOf(10) + 1).toString("utf8");
      expect((await logAt(path).read()).entries).toEqual(foldLines(whole).entries);
      if (cut % 7 !== 0) continue;
      await logAt(path).open(
        checkoutRecord({ id: "3", resource: "arn:aws:lambda:r:a:function:x" }),
      );
      const after = (await logAt(path).read()).entries;
      expect(after.map(({ record }) => record.id)).toEqual([
        ...foldLines(whole).entries.map(({ record }) => record.id),
        "3",
      ]);
    }
  });

  test("a file of any bytes is read without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(foldLines(text).entries).toEqual([]);
      }),
    );
  });

  test("a closed record is never opened again, whatever comes late", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...UNDO_STATES.slice(1, 5))), (late) => {
        const text = [
          encodeLine({ at: 1, state: "open", record: checkoutRecord({ id: "1" }) }),
          encodeLine({ at: 2, state: "settled", id: "1" }),
          ...late.map((state) => encodeLine({ at: 3, state, id: "1" })),
        ].join("");
        expect(foldLines(text).entries[0]?.state).toBe("settled");
      }),
    );
  });
});
