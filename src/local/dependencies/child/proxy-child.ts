// Entry of the proxies' process: opens ports, takes rules, ends with local AWS.
import { messageOf } from "../../../core/error.ts";
import type { Answered, Ask, Asked } from "../protocol.ts";
import { DependencyProxy } from "./proxy.ts";

const proxies = new Map<string, DependencyProxy>();

async function carryOut(ask: Ask): Promise<Omit<Answered, "id" | "error">> {
  let port = 0;
  if (ask.kind === "open") {
    const proxy = new DependencyProxy(ask.target);
    port = await proxy.listen();
    proxies.set(ask.name, proxy);
  }
  const proxy = proxies.get(ask.name);
  if (proxy === undefined) throw new Error(`no dependency ${ask.name}`);
  if (ask.kind === "apply") proxy.apply(ask.rule);
  return { port, state: proxy.state() };
}

const NOTHING = { port: 0, state: { rule: null, seen: 0, chosen: 0 } };

process.on("message", ({ id, ask }: Asked) => {
  carryOut(ask).then(
    (done) => process.send?.({ id, ...done, error: "" }),
    (error: unknown) => process.send?.({ id, ...NOTHING, error: messageOf(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
