// A dependency's proxy: transparent without a rule, and what each kind of rule does to a request.
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DependencyProxy } from "../../../src/local/dependencies/child/proxy.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

let seen: Seen[] = [];
let server: http.Server;
let proxy: DependencyProxy;
let port = 0;
let agent: http.Agent;

beforeEach(async () => {
  seen = [];
  server = http.createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    seen.push({ method: req.method ?? "", url: req.url ?? "", headers: req.rawHeaders, body });
    res.writeHead(201, "Made", [
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["X-Case", "Kept"],
    ]);
    res.write(`got ${body.length}`);
    res.end(" bytes");
  });
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  proxy = new DependencyProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  port = await proxy.listen();
  agent = new http.Agent({ keepAlive: true });
});

afterEach(async () => {
  agent.destroy();
  await proxy.close();
  server.closeAllConnections();
  await new Promise((go) => server.close(go));
});

interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: readonly string[];
  readonly reused: boolean;
}

function send(options: http.RequestOptions = {}, body: string | null = null): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: "127.0.0.1", port, ...options }, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      res.on("end", () => {
        const { statusCode = 0, rawHeaders: headers } = res;
        resolve({ status: statusCode, text, headers, reused: request.reusedSocket });
      });
      res.on("error", reject);
    });
    request.on("error", reject);
    request.end(body ?? undefined);
  });
}

const rule = (more: object): string =>
  JSON.stringify({ v: 1, for_s: 60, share: 1, seed: 1, ...more });

const sent = async (count: number, options: http.RequestOptions = {}): Promise<string> => {
  let outcomes = "";
  for (let i = 0; i < count; i++) {
    const got = await send(options).catch(() => null);
    outcomes += got === null ? "x" : got.status === 201 ? "." : "e";
  }
  return outcomes;
};

describe("without a rule", () => {
  test("a request and its answer go through as they are", async () => {
    const headers = { "X-Mine": "1", "Content-Type": "text/plain" };
    const got = await send({ method: "POST", path: "/a/b?c=%20d", headers }, "hello");
    expect(got).toMatchObject({ status: 201, text: "got 5 bytes" });
    expect(got.headers).toEqual(expect.arrayContaining(["Set-Cookie", "a=1", "X-Case", "Kept"]));
    expect(seen).toMatchObject([{ method: "POST", url: "/a/b?c=%20d", body: "hello" }]);
    const { port: target } = server.address() as AddressInfo;
    expect(seen[0]?.headers).toEqual(
      expect.arrayContaining(["Host", `127.0.0.1:${target}`, "X-Mine", "1"]),
    );
  });

  test("connections are kept, and a large body is streamed", async () => {
    const body = "x".repeat(3_000_000);
    const first = await send({ method: "PUT", headers: { "Transfer-Encoding": "chunked" } }, body);
    const second = await send();
    expect([first.text, first.reused, second.reused]).toEqual(["got 3000000 bytes", false, true]);
  });

  test("a dependency that is not there cuts its client off, as it would without a proxy", async () => {
    server.closeAllConnections();
    await new Promise((go) => server.close(go));
    await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

describe("with a rule", () => {
  test("an error is answered at once and nothing is forwarded", async () => {
    proxy.apply(rule({ act: "error", status: 503 }));
    const got = await send({ method: "POST" }, "hello");
    expect([got.status, JSON.parse(got.text)]).toEqual([
      503,
      { message: "this dependency fails on purpose" },
    ]);
    expect(seen).toEqual([]);
  });

  test("an AWS service fails in its own words", async () => {
    proxy.apply(rule({ act: "error", status: 400 }));
    const headers = { "X-Amz-Target": "DynamoDB_20120810.PutItem" };
    const got = await send({ method: "POST", headers }, "{}");
    expect(JSON.parse(got.text).__type).toBe("ThrottlingException");
  });

  test("a reset comes before the request was carried out, a drop after it", async () => {
    proxy.apply(rule({ act: "reset" }));
    await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(seen).toHaveLength(0);
    proxy.apply(rule({ act: "drop" }));
    await expect(send({ method: "POST" }, "once")).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(seen.map(({ body }) => body)).toEqual(["once"]);
  });

  test("no share of 20 requests in a row is off by more than two, whatever the seed", async () => {
    for (const seed of [1, 2, 77]) {
      proxy.apply(rule({ act: "reset", share: 0.3, seed }));
      const outcomes = await sent(60);
      for (let at = 0; at + 20 <= 60; at++) {
        const met = [...outcomes.slice(at, at + 20)].filter((each) => each === "x").length;
        expect(Math.abs(met - 6), outcomes).toBeLessThanOrEqual(2);
      }
    }
  });

  test("the same seed chooses the same requests, another seed others", async () => {
    const run = async (seed: number): Promise<string> => {
      proxy.apply(rule({ act: "reset", share: 0.4, seed }));
      return sent(30);
    };
    const first = await run(5);
    expect(await run(5)).toBe(first);
    expect(await run(6)).not.toBe(first);
  });

  test("requests over one connection are chosen one by one", async () => {
    proxy.apply(rule({ act: "error", status: 500, share: 0.5 }));
    const outcomes = await sent(20);
    expect([9, 10, 11]).toContain([...outcomes].filter((each) => each === "e").length);
    expect(outcomes).toMatch(/e\.+e/); // neither all of a connection's requests nor none
    expect(proxy.state().seen).toBe(20);
  });

  test("only the operations and paths that are named are met, and the others not counted", async () => {
    proxy.apply(rule({ act: "error", status: 500, only: ["POST /orders", "PutItem"] }));
    const status = async (path: string, target?: string): Promise<number> => {
      const headers = target === undefined ? {} : { "x-amz-target": `DynamoDB_20120810.${target}` };
      return (await send({ method: "POST", path, headers })).status;
    };
    expect([await status("/orders/1"), await status("/carts")]).toEqual([500, 201]);
    expect([await status("/", "PutItem"), await status("/", "PutItems")]).toEqual([500, 201]);
    expect(proxy.state()).toMatchObject({ seen: 2, chosen: 2 });
  });

  test("a crashed client's own retries of one call fail with it and reach nobody", async () => {
    proxy.apply(rule({ act: "drop", share: 0.5, per_call: true }));
    const attempts: string[] = [];
    for (const call of ["a", "b", "c", "d", "e", "f"]) {
      const headers = { "amz-sdk-invocation-id": call };
      attempts.push(await sent(3, { headers }));
    }
    const dead = attempts.filter((each) => each === "xxx").length;
    expect([2, 3, 4]).toContain(dead);
    expect(attempts.filter((each) => each === "...")).toHaveLength(6 - dead);
    expect(seen).toHaveLength((6 - dead) * 3 + dead * 1);
  });

  test("a delay is added to the request, with the median and the tail that were asked for", async () => {
    proxy.apply(rule({ act: "delay", delay_ms: 30 }));
    const began = performance.now();
    expect((await send()).status).toBe(201);
    expect(performance.now() - began).toBeGreaterThanOrEqual(29);
  });

  test("who waits goes on, and who hangs is cut off, as soon as the rule is over", async () => {
    proxy.apply(rule({ act: "delay", delay_ms: 600_000 }));
    const waiting = send();
    await expect.poll(() => proxy.state().chosen).toBe(1);
    proxy.apply(rule({ act: "hang" }));
    expect((await waiting).status).toBe(201);
    const hanging = send();
    await expect.poll(() => proxy.state().chosen).toBe(1);
    proxy.apply(null);
    await expect(hanging).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await sent(1)).toBe(".");
  });

  test("a dozen that wait at once are no leak: Node has nothing to warn of", async () => {
    const warned: Error[] = [];
    const hear = (warning: Error): void => void warned.push(warning);
    process.on("warning", hear);
    proxy.apply(rule({ act: "delay", delay_ms: 600_000 }));
    const waiting = Array.from({ length: 12 }, () => send());
    await expect.poll(() => proxy.state().chosen).toBe(12);
    proxy.apply(null);
    for (const one of waiting) expect((await one).status).toBe(201);
    process.off("warning", hear);
    expect(warned).toEqual([]);
  });

  test("a rule is over by itself when its time is", async () => {
    proxy.apply(rule({ act: "reset", for_s: 1 }));
    expect(await sent(1)).toBe("x");
    await expect.poll(() => proxy.state().rule, { timeout: 3_000 }).toBeNull();
    expect(await sent(1)).toBe(".");
  });

  test.each([
    [{ act: "delay" }, /delay_ms goes with delay/],
    [{ act: "error" }, /status goes with error/],
    [{ act: "reset", for_s: 0 }, /for_s/],
    [{ act: "reset", until: "x" }, /until/],
    [{ act: "delay", delay_ms: 9, p99_ms: 3 }, /p99_ms < delay_ms/],
  ])("%o is no rule, and what was in force stays", (wrong, why) => {
    const text = rule({ act: "reset" });
    proxy.apply(text);
    expect(() => proxy.apply(rule(wrong))).toThrow(why);
    expect(proxy.state().rule).toBe(text);
  });
});
