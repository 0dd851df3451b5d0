// Breaks what it runs in, as the event says.
import { spawn } from "node:child_process";
import { closeSync, readFileSync, writeSync } from "node:fs";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const CHANNEL = 3;

const WAYS = {
  close: async () => {
    closeSync(CHANNEL);
    await wait(600_000);
  },
  scribble: async () => {
    writeSync(CHANNEL, "this is no message");
    await wait(600_000);
  },
  handDown: async () => {
    const code = "setTimeout(() => {}, 30_000)";
    const heir = spawn(process.execPath, ["-e", code], {
      stdio: ["ignore", "ignore", "ignore", CHANNEL],
      detached: true,
    });
    console.log(heir.pid);
    process.exit(0);
  },
  flood: () => {
    for (let i = 0; i < 9_000; i++) console.log("x".repeat(200));
    process.exit(1);
  },
  throwOdd: async () => {
    throw Object.create(null);
  },
  throwUnreadable: () => {
    const error = new Error("odd");
    error.stack = [];
    throw error;
  },
  lateOdd: async () => {
    setTimeout(() => {
      throw Object.create(null);
    }, 1);
    await wait(600_000);
  },
  read: () => readFileSync("breaks.mjs", "utf8").length,
  slow: async ({ waitMs }) => {
    await wait(waitMs);
    return "done";
  },
};

export const handler = async (event) => WAYS[event.way](event);
