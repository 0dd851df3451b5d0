// Run as a process by orphans.test.ts: starts environments, one of them in a busy loop, and waits.
import { call, startHost } from "./host.ts";

const [, , codeDir = ""] = process.argv;
const shared = await startHost("steps.handler", { codeDir });
const own = await startHost("awaiting.handler", { codeDir });
await own.create("1");
const stuck = await shared.create("1");
void call(stuck, { step: "spin" }, 600_000);
process.stdout.write("started\n");
setInterval(() => {}, 1_000);
