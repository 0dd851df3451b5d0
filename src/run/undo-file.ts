// The undo log's bytes on disk: appended whole, synced before anybody relies on them.
import { open, readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { GatecrashError, messageOf } from "../core/error.ts";
import { makeFolder } from "../core/make-folder.ts";

/** Every disk access of the undo contract goes through these two calls; tests cut them. */
export interface UndoFile {
  readonly path: string;
  /** "" when there is no file yet. */
  read(): Promise<string>;
  /** Resolves when the text is on disk. One write: lines of two processes never mix. */
  append(text: string): Promise<void>;
}

/**
 * One log a user: `$XDG_STATE_HOME/gatecrash/undo.jsonl`, by default below ~/.local/state. It never
 * depends on the working directory: relative paths are ignored, as the XDG rules say.
 */
export function undoLogPath(env: { readonly [name: string]: string | undefined }): string {
  const { XDG_STATE_HOME: wanted = "", HOME: home = "" } = env;
  const state = isAbsolute(wanted) ? wanted : join(homeOf(home), ".local", "state");
  return join(state, "gatecrash", "undo.jsonl");
}

function homeOf(home: string): string {
  if (isAbsolute(home)) return home;
  try {
    return userInfo().homedir; // the user's entry, not the environment
  } catch (cause) {
    throw new GatecrashError("usage", "there is no home folder to keep the undo log in", {
      hint: "set HOME, or XDG_STATE_HOME to a folder that stays",
      cause,
    });
  }
}

/** Readable by its user alone. Folders are made when first written to. */
export function undoFile(path: string): UndoFile {
  return {
    path,
    async read(): Promise<string> {
      try {
        return await readFile(path, "utf8");
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
        throw new GatecrashError("undo", `cannot read the undo log: ${messageOf(cause)}`, {
          place: { file: path },
          hint: "it holds what has to be put back: set XDG_STATE_HOME to a folder of your own",
          cause,
        });
      }
    },
    async append(text: string): Promise<void> {
      try {
        await appendSynced(path, text);
      } catch (cause) {
        throw new GatecrashError("undo", `cannot write the undo log: ${messageOf(cause)}`, {
          place: { file: path },
          hint: "without it nothing is injected: free some space, or set XDG_STATE_HOME elsewhere",
          cause,
        });
      }
    },
  };
}

async function appendSynced(path: string, text: string): Promise<void> {
  const made = makeFolder(dirname(path), 0o700);
  const file = await open(path, "a+", 0o600);
  try {
    const { size: sizeBytes } = await file.stat();
    // A torn last line must not swallow this one.
    const bytes = Buffer.from((await endsLine(file, sizeBytes)) ? text : `\n${text}`, "utf8");
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten !== bytes.length) throw new Error("the disk took only a part of the line");
    await file.sync();
    if (sizeBytes === 0) await syncFolders(dirname(path), made);
  } finally {
    await file.close();
  }
}

async function endsLine(file: { read: ReadAt }, sizeBytes: number): Promise<boolean> {
  if (sizeBytes === 0) return true;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, sizeBytes - 1);
  return last[0] === 0x0a;
}

type ReadAt = (
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<unknown>;

/** A new file is safe only once its folder's entry is, and so on up to the first folder we made. */
async function syncFolders(folder: string, made: string | undefined): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (made !== undefined && folder.startsWith(made)) await syncFolders(dirname(folder), made);
}
