// TLS of the load path: who is trusted, by which name, from which version, and when it is resumed.
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../../src/wire/http-client.ts";
import { parseOrigin } from "../../src/wire/origin.ts";
import { serializeRequest } from "../../src/wire/request.ts";
import type { TlsOptions } from "../../src/wire/secure.ts";
import { OK_RESPONSE, rawServer } from "./raw-server.ts";
import { selfSigned } from "./self-signed.ts";

const identity = selfSigned("shop.test");
const request = serializeRequest("shop.test", {
  method: "GET",
  path: "/",
  headers: [],
  body: null,
});

function clientOf(port: number, tls: TlsOptions, host = "shop.test"): HttpClient {
  return createHttpClient({
    origin: parseOrigin(`https://${host}:${port}`),
    now: () => Math.floor(performance.now() * 1_000),
    timeoutUs: 5_000_000,
    tls,
    resolve: (_, done) => setImmediate(done, null, [{ address: "127.0.0.1", family: 4 }]),
  });
}

const exchange = (client: HttpClient): Promise<Exchange> =>
  new Promise((resolve) => client.send(request, resolve));

describe("TLS", () => {
  it("verifies the name, sends it as SNI, and takes the time of both handshakes", async () => {
    const names: unknown[] = [];
    await using server = await rawServer((_, socket) => {
      names.push((socket as TLSSocket & { servername: unknown }).servername);
      socket.write(OK_RESPONSE);
    }, identity);
    await using client = clientOf(server.port, { ca: identity.cert });
    const first = await exchange(client);
    const second = await exchange(client);
    expect([first.failure, second.failure, second.newConnection, second.tlsUs]).toEqual([
      "",
      "",
      false,
      0,
    ]);
    expect(Math.min(first.connectUs, first.tlsUs)).toBeGreaterThan(0);
    expect(names).toEqual(["shop.test", "shop.test"]);
  });

  it("reads a large body through the static buffer", async () => {
    const length = 3_000_000;
    await using server = await rawServer((_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${"x".repeat(length)}`);
    }, identity);
    await using client = clientOf(server.port, { ca: identity.cert });
    const all = await Promise.all([exchange(client), exchange(client), exchange(client)]);
    expect(all.map((e) => [e.failure, e.bytesIn > length])).toEqual(all.map(() => ["", true]));
  });

  it("trusts an address only when the certificate names it", async () => {
    await using server = await rawServer((_, socket) => socket.write(OK_RESPONSE), identity);
    await using client = clientOf(server.port, { ca: identity.cert }, "127.0.0.1");
    expect((await exchange(client)).failure).toBe("");
  });

  it.each<[string, TlsOptions, string]>([
    ["an unknown authority", {}, "shop.test"],
    ["another name", { ca: identity.cert }, "bank.test"],
  ])("fails as data with %s, and the environment cannot turn that off", async (_, tls, host) => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      let requests = 0;
      await using server = await rawServer(() => requests++, identity);
      await using client = clientOf(server.port, tls, host);
      expect((await exchange(client)).failure).toBe("tls");
      expect(requests).toBe(0);
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it("refuses less than version 1.2", async () => {
    const old = { ...identity, minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
    await using server = await rawServer((_, socket) => socket.write(OK_RESPONSE), old);
    await using client = clientOf(server.port, { ca: identity.cert });
    expect((await exchange(client)).failure).toBe("tls");
  });

  it.each([true, false])("resumes sessions only when asked to (%s)", async (resume) => {
    const reused: boolean[] = [];
    await using server = await rawServer((_, socket) => {
      reused.push((socket as TLSSocket).isSessionReused());
      socket.end(OK_RESPONSE.replace("\r\n", "\r\nConnection: close\r\n"));
    }, identity);
    await using client = clientOf(server.port, { ca: identity.cert, resume });
    await exchange(client);
    await exchange(client);
    expect(reused).toEqual([false, resume]);
  });

  it("refuses authorities that are no PEM as an error of the operator", () => {
    expect(() =>
      clientOf(1, { ca: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----" }),
    ).toThrow(/cannot use these authorities/);
  });
});
