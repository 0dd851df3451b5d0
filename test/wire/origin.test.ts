// URLs taken apart, and the addresses behind a name used in turn.
import { describe, expect, it } from "vitest";
import { type Address, Addresses, type Resolve } from "../../src/wire/addresses.ts";
import { parseOrigin } from "../../src/wire/origin.ts";

describe("an origin", () => {
  it.each([
    ["http://a.test", false, "a.test", 80, "a.test", false, "/"],
    ["HTTPS://a.test:443/p%2Fq?r#s", true, "a.test", 443, "a.test", false, "/p%2Fq?r"],
    ["http://127.0.0.1:3000?x=1", false, "127.0.0.1", 3000, "127.0.0.1:3000", true, "/?x=1"],
    ["https://[::1]:8443/", true, "::1", 8443, "[::1]:8443", true, "/"],
    ["http://a.test:443", false, "a.test", 443, "a.test:443", false, "/"],
  ] as const)("%s", (url, secure, host, port, hostHeader, literal, path) => {
    expect(parseOrigin(url)).toEqual({ secure, host, port, hostHeader, literal, path });
  });

  it.each([
    "a.test",
    "ftp://a.test",
    "http://",
    "http://u:p@a.test",
    "http://a b",
    "http://a.test:0",
    "http://a:99999",
  ])("refuses %s", (url) => {
    expect(() => parseOrigin(url)).toThrow();
  });
});

const A: Address = { address: "10.0.0.1", family: 4 };
const B: Address = { address: "10.0.0.2", family: 4 };
const C: Address = { address: "fd00::1", family: 6 };

/** Addresses of a name that resolves synchronously to what `answers` gives, call by call. */
function addressesOf(answers: (readonly Address[])[], now = { us: 0 }) {
  const resolve: Resolve = (_, done) => {
    const found = answers.shift();
    done(found === undefined ? new Error("ENOTFOUND") : null, found ?? []);
  };
  const addresses = new Addresses(parseOrigin("http://a.test"), () => now.us, resolve);
  const next = (): string => {
    let picked = "";
    addresses.next((error, address) => {
      picked = error === null ? address : error.message;
    });
    return picked;
  };
  return { addresses, next, now };
}

describe("addresses", () => {
  it("are looked up once and used in turn, of the preferred family only", () => {
    const { next } = addressesOf([[A, C, B]]);
    expect([next(), next(), next()]).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1"]);
  });

  it("are looked up again in the background after a minute, and kept when that fails", () => {
    const { next, now } = addressesOf([[A], [B]]);
    const seen = [next()];
    for (let i = 0; i < 3; i++) {
      now.us += 61_000_000;
      seen.push(next());
    }
    expect(seen).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2"]);
  });

  it("say why there are none, and try again for the next connection", () => {
    const { next } = addressesOf([[], [A]]);
    expect([next(), next()]).toEqual(["no address", "10.0.0.1"]);
  });

  it("change family only before one has worked", () => {
    const first = addressesOf([[C, A]]);
    expect([first.next(), first.addresses.failed(C.address), first.next()]).toEqual([
      C.address,
      true,
      A.address,
    ]);
    expect(first.addresses.failed(C.address)).toBe(true); // a connection begun before the change
    expect(first.addresses.failed(A.address)).toBe(false);
    const proven = addressesOf([[C, A]]);
    proven.next();
    proven.addresses.worked();
    expect(proven.addresses.failed(C.address)).toBe(false);
  });
});
