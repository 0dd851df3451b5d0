// Writes down every connection that a command, its threads and its children open, and each look-up.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Loaded before anything else in every process and thread: NODE_OPTIONS are handed on. */
const TAP = `
const net = require("node:net"), dns = require("node:dns"), dgram = require("node:dgram");
const { appendFileSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");
const tell = (what) =>
  appendFileSync(process.env.GATECRASH_TAP, JSON.stringify({ pid: process.pid, isMainThread, ...what }) + "\\n");
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [options = {}] = Array.isArray(given[0]) ? given[0] : given;
  const { host = "localhost", port, path } = typeof options === "object" ? options : { port: options, host: given[1] };
  if (path === undefined || path === null) tell({ to: host + ":" + port });
  return connect.apply(this, given);
};
const { lookup } = dns;
dns.lookup = function (host, ...rest) { tell({ lookup: host }); return lookup.call(dns, host, ...rest); };
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...given) { tell({ to: "udp" }); return send.apply(this, given); };
`;

export interface Tapped {
  readonly pid: number;
  readonly isMainThread: boolean;
  readonly to?: string;
  readonly lookup?: string;
}

export interface SocketTap {
  readonly env: { readonly [name: string]: string };
  read(): readonly Tapped[];
}

export function socketTap(dir: string, name: string): SocketTap {
  const [code, log] = [join(dir, `${name}-tap.cjs`), join(dir, `${name}-tap.jsonl`)];
  writeFileSync(code, TAP);
  return {
    env: { NODE_OPTIONS: `--require ${code}`, GATECRASH_TAP: log },
    read: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as Tapped)
        : [],
  };
}
