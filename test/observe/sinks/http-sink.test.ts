// Sinks behind HTTP, against a real server on loopback.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SinkSpec } from "../../../src/core/scenario.ts";
import { rowsOf, sinkPorts, sinkSpec, temporaryFolder } from "../../support/sinks.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const read = (input: SinkSpec["input"], signal?: AbortSignal) =>
  rowsOf(sinkSpec("http", input), sinkPorts(temporaryFolder()), signal);

const answering = (body: unknown, status = 200, headers: { [name: string]: string } = {}) =>
  serve((_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  });

describe("an HTTP sink", () => {
  it("reads a list", async () => {
    const url = await answering([{ eventId: 7, depot: "north" }]);
    expect(await read({ url })).toEqual([{ id: "7", cell: "north", count: 1 }]);
  });

  it("follows pages, with its headers on each", async () => {
    const asked: string[] = [];
    const url = await serve(({ url: path = "", headers }, response) => {
      asked.push(`${path} ${headers.authorization}`);
      const page = Number(new URLSearchParams(path.split("?")[1]).get("page") ?? 0);
      const next = page === 2 ? null : `?page=${page + 1}`;
      const items = [{ eventId: `e-${page}`, depot: "d" }];
      response.end(JSON.stringify({ data: { items }, links: { next } }));
    });
    const headers = { authorization: "Bearer {{env.TOKEN}}" };
    const pages = { rows: "data.items", next: "links.next" };
    const rows = await read({ url: `${url}/events`, headers, ...pages });
    expect(rows.map(({ id }) => id)).toEqual(["e-0", "e-1", "e-2"]);
    expect(asked).toEqual([
      "/events Bearer secret",
      "/events?page=1 Bearer secret",
      "/events?page=2 Bearer secret",
    ]);
  });

  it("reads NDJSON as it comes", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end('{"eventId":"a","depot":"x"}\n{"eventId":"b","depot":"y"}\n');
    });
    expect((await read({ url })).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it.each([
    [{ items: [] }, 200, {}, "the answer is no list"],
    [[], 503, {}, "answered 503"],
    [[], 302, { location: "http://127.0.0.1:1/" }, "answered 302"],
  ])("does not take %j with status %i for rows", async (body, status, headers, message) => {
    await expect(read({ url: await answering(body, status, headers) })).rejects.toThrow(message);
  });

  it("goes to no other host, whatever the answer says", async () => {
    const url = await answering({ rows: [], next: "http://127.0.0.1:9/" });
    await expect(read({ url, rows: "rows", next: "next" })).rejects.toThrow("of another host");
  });

  it("goes round in no circle", async () => {
    const url = await answering({ rows: [], next: "/" });
    await expect(read({ url, rows: "rows", next: "next" })).rejects.toThrow("comes twice");
  });

  it("says that nobody listens", async () => {
    await expect(read({ url: "http://127.0.0.1:1/" })).rejects.toThrow("did not answer");
  });

  it("ends when its time is over", async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort(new Error("enough")));
    await expect(read({ url }, stop.signal)).rejects.toThrow("enough");
  });
});
