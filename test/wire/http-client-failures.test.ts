// What breaks between the client and real sockets, and what it is then called.
import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { builtFile } from "../../src/core/built-file.ts";
import type { HttpClientOptions } from "../../src/wire/http-client.ts";
import { clientOf, exchange, until } from "./client.ts";
import { closedPort, OK_RESPONSE, type OnRequest, rawServer } from "./raw-server.ts";

/** The failure of one exchange with a server that does this. */
async function failureOf(onRequest: OnRequest, more: Partial<HttpClientOptions> = {}) {
  await using server = await rawServer(onRequest);
  await using client = clientOf(server.url, more);
  return (await exchange(client)).failure;
}

describe("a failure", () => {
  it("on a reused connection before any byte is stale, and is not sent again", async () => {
    let requests = 0;
    await using server = await rawServer((_, socket, nth) => {
      requests++;
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.destroy();
    });
    await using client = clientOf(server.url);
    await exchange(client);
    const second = await exchange(client);
    expect(second.failure).toBe("stale");
    expect([second.newConnection, second.firstByteUs, second.status]).toEqual([false, -1, 0]);
    await until(() => client.connections === 0);
    expect(requests).toBe(2);
  });

  it("on a reused connection by a reset before any byte is stale too", async () => {
    await using server = await rawServer((_, socket, nth) => {
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.resetAndDestroy();
    });
    await using client = clientOf(server.url);
    await exchange(client);
    expect((await exchange(client)).failure).toBe("stale");
  });

  it("on a fresh connection before any byte is a reset", async () => {
    expect(await failureOf((_, socket) => socket.destroy())).toBe("reset");
    expect(await failureOf((_, socket) => socket.resetAndDestroy())).toBe("reset");
  });

  it("in mid-answer is a reset, also on a reused connection", async () => {
    await using server = await rawServer((_, socket, nth) => {
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.end(OK_RESPONSE.slice(0, -1));
    });
    await using client = clientOf(server.url);
    await exchange(client);
    const second = await exchange(client);
    expect([second.failure, second.bytesIn]).toEqual(["reset", OK_RESPONSE.length - 1]);
  });

  it("of parsing is told apart", async () => {
    expect(await failureOf((_, socket) => socket.write("HTTP/1.1 200 OK\nA: b\n\n"))).toBe("parse");
  });

  it("to answer in time is a timeout, also in mid-body, and ends the connection", async () => {
    const more = { timeoutUs: 30_000 };
    expect(await failureOf(() => {}, more)).toBe("timeout");
    await using server = await rawServer((_, socket) => socket.write(OK_RESPONSE.slice(0, -1)));
    await using client = clientOf(server.url, more);
    const late = await exchange(client);
    expect([late.failure, late.status]).toEqual(["timeout", 0]);
    await until(() => client.connections === 0);
    expect(late.doneUs - late.sentUs).toBeGreaterThanOrEqual(30_000);
  });

  it("of one request does not touch the timeouts of the others", async () => {
    await using server = await rawServer((request, socket) => {
      if (request.startsWith("GET")) socket.write(OK_RESPONSE);
    });
    await using client = clientOf(server.url, { timeoutUs: 40_000 });
    const slow = [exchange(client, "PUT"), exchange(client, "PUT")];
    const quick = [exchange(client), exchange(client)];
    const all = await Promise.all([...slow, ...quick]);
    expect(all.map((e) => e.failure)).toEqual(["timeout", "timeout", "", ""]);
  });

  it("to connect is data", async () => {
    await using client = clientOf(`http://127.0.0.1:${await closedPort()}`);
    const refused = await exchange(client);
    expect([refused.failure, refused.bytesOut, refused.newConnection]).toEqual([
      "connect",
      0,
      true,
    ]);
  });

  it("to resolve a name is data, and so is a resolver that never answers", async () => {
    await using none = clientOf("http://nowhere.invalid", {
      resolve: (_, done) => setImmediate(done, new Error("ENOTFOUND"), []),
    });
    expect((await exchange(none)).failure).toBe("dns");
    await using never = clientOf("http://nowhere.invalid", {
      resolve: () => {},
      timeoutUs: 20_000,
    });
    const keptAlive = setInterval(() => {}, 1_000);
    expect((await exchange(never)).failure).toBe("dns");
    clearInterval(keptAlive);
  });

  it("of the first family lets the other one be tried, since nothing was sent", async () => {
    await using server = await rawServer((_, socket) => socket.write(OK_RESPONSE));
    await using client = clientOf(`http://both.test:${server.port}`, {
      resolve: (_, done) =>
        setImmediate(done, null, [
          { address: "::1", family: 6 },
          { address: "127.0.0.1", family: 4 },
        ]),
    });
    const all = await Promise.all([exchange(client), exchange(client), exchange(client)]);
    expect(all.map((e) => e.failure)).toEqual(["", "", ""]);
  });

  it("for want of file handles is counted as this machine's own", async () => {
    await using server = await rawServer(() => {});
    const file = (name: string) =>
      JSON.stringify(builtFile(`../../src/wire/${name}.js`, import.meta.url).href);
    const program = `
      import { createHttpClient } from ${file("http-client")};
      import { parseOrigin } from ${file("origin")};
      import { serializeRequest } from ${file("request")};
      const origin = parseOrigin("${server.url}");
      const client = createHttpClient({ origin, now: () => 0, timeoutUs: 1e9 });
      const get = serializeRequest("h", { method: "GET", path: "/", headers: [], body: null });
      for (let i = 0; i < 60; i++) client.send(get, (e) => {
        if (client.ownFailures === 0) return;
        console.log(e.failure, client.ownFailures);
        process.exit(0);
      });
    `;
    const shell = 'ulimit -n 50 && exec "$0" --input-type=module --eval "$1"';
    const child = spawn("sh", ["-c", shell, process.execPath, program]);
    let output = "";
    child.stdout.on("data", (data) => {
      output += String(data);
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(output).toBe("connect 1\n");
  });
});
