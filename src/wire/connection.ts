// One connection: made for an exchange, used for one at a time, given back when it is free again.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { US_PER_S } from "../core/time.ts";
import type { Addresses } from "./addresses.ts";
import type { OpenExchange, WireFailure } from "./exchange.ts";
import type { Origin } from "./origin.ts";
import { type ParserOptions, ResponseParser } from "./response-parser.ts";
import type { Secure } from "./secure.ts";

/** What a connection needs of its client. */
export interface ConnectionOwner {
  readonly origin: Origin;
  readonly now: () => number;
  readonly addresses: Addresses;
  readonly secure: Secure | null;
  /** One read buffer for all connections: each read is parsed before the next one starts. */
  readonly buffer: Buffer;
  readonly parser: ParserOptions;
  /** Bytes of the body to keep, by status. */
  readonly captureBody: ((status: number) => number) | null;
  /** May be used again. */
  idle(connection: Connection): void;
  /** Will not be used again. */
  gone(connection: Connection): void;
  /** Its socket is closed. */
  closed(connection: Connection): void;
  finished(exchange: OpenExchange): void;
  /** This machine, not the system, is why a connection could not be made. */
  ownFailure(): void;
}

/** Out of file handles, local ports, buffers or memory. */
const OWN_FAILURES = new Set(["EMFILE", "ENFILE", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM"]);

type Phase = "dns" | "connect" | "tls" | "open" | "gone";

export class Connection {
  /** The server's Keep-Alive hint, less a margin: later uses risk a stale connection. */
  idleUntilUs = 0;

  private phase: Phase = "dns";
  private exchange: OpenExchange | null = null;
  private socket: Socket | null = null;
  private served = false;
  private secondTry = false;
  private startedUs = 0;
  private connectedUs = 0;
  private body: Buffer[] = [];
  /** Bytes of the body still to keep; -1 = not asked yet. */
  private bodyLeft = -1;
  private readonly owner: ConnectionOwner;
  private readonly parser: ResponseParser;

  constructor(owner: ConnectionOwner) {
    this.owner = owner;
    this.parser = new ResponseParser(owner.parser);
    if (owner.captureBody !== null)
      this.parser.onBody = (bytes, from, to) => this.keepBody(bytes, from, to);
  }

  /** Connects for an exchange and sends it. */
  start(exchange: OpenExchange): void {
    this.exchange = exchange;
    exchange.connection = this;
    exchange.newConnection = true;
    this.startedUs = exchange.sentUs;
    this.lookUp();
  }

  /** Sends on a connection that is idle. */
  send(exchange: OpenExchange): void {
    this.exchange = exchange;
    exchange.connection = this;
    this.write(exchange);
  }

  /** The exchange took too long: what failed is the step that it was in. */
  expire(): void {
    this.fail(this.phase === "open" || this.phase === "gone" ? "timeout" : this.phase);
  }

  /** Ends the exchange, if there is one, and the connection. */
  abandon(): void {
    if (this.exchange === null) this.discard();
    else this.fail("unfinished");
  }

  /** Closes the connection; `owner.closed` follows, at once when there was no socket yet. */
  discard(): void {
    if (this.phase === "gone") return;
    this.phase = "gone";
    this.owner.gone(this);
    if (this.socket === null) this.owner.closed(this);
    else this.socket.destroy();
  }

  private lookUp(): void {
    this.owner.addresses.next((error, address) => {
      if (this.phase === "gone") return;
      if (error === null) this.connect(address);
      else this.fail("dns");
    });
  }

  private connect(address: string): void {
    const { origin, secure, buffer } = this.owner;
    this.phase = "connect";
    const onread = {
      buffer,
      callback: (length: number): boolean => {
        this.read(length);
        return true;
      },
    };
    const options = { host: address, port: origin.port, noDelay: true, onread };
    if (secure === null) this.socket = connect(options);
    else {
      const socket = connectTls({ ...secure.connectOptions(), ...options });
      secure.watch(socket);
      socket.once("secureConnect", () => {
        if (this.exchange !== null) this.exchange.tlsUs = this.owner.now() - this.connectedUs;
        this.ready();
      });
      this.socket = socket;
    }
    const { socket } = this;
    socket.once("connect", () => this.connected());
    socket.on("end", () => this.ended());
    // Why it broke is told by the phase; the error only tells whether it was this machine.
    socket.on("error", (error: NodeJS.ErrnoException) => this.broken(address, socket, error.code));
    socket.once("close", () => {
      if (socket !== this.socket) return;
      this.broken(address, socket);
      this.owner.closed(this);
    });
  }

  private connected(): void {
    if (this.phase !== "connect") return;
    this.connectedUs = this.owner.now();
    if (this.exchange !== null) this.exchange.connectUs = this.connectedUs - this.startedUs;
    if (this.owner.secure === null) this.ready();
    else this.phase = "tls";
  }

  private ready(): void {
    if (this.phase === "gone") return;
    this.phase = "open";
    this.owner.addresses.worked();
    if (this.exchange !== null) this.write(this.exchange);
  }

  private write(exchange: OpenExchange): void {
    const { bytes, head } = exchange.request;
    this.parser.expect(head);
    exchange.bytesOut = bytes.length;
    this.socket?.write(bytes);
  }

  private read(length: number): void {
    const { exchange, parser } = this;
    if (exchange === null) {
      this.discard(); // bytes that nobody asked for
      return;
    }
    const now = this.owner.now();
    if (exchange.firstByteUs < 0) exchange.firstByteUs = now;
    exchange.bytesIn += length;
    const end = parser.execute(this.owner.buffer, 0, length);
    if (parser.done) this.complete(exchange, now, end === length);
    else if (parser.failed) this.fail("parse");
  }

  /** `clean`: nothing came after the response. */
  private complete(exchange: OpenExchange, now: number, clean: boolean): void {
    const { parser } = this;
    exchange.status = parser.head.status;
    exchange.headers = parser.head.captured;
    exchange.doneUs = now;
    if (this.body.length > 0) exchange.body = Buffer.concat(this.body);
    this.forgetExchange();
    // A request that is still being written (the server answered early) cannot be taken back.
    if (clean && parser.reusable && this.socket?.writableLength === 0) {
      this.served = true;
      const hintUs = parser.head.keepAliveSeconds * US_PER_S;
      const marginUs = Math.min(US_PER_S, hintUs / 2);
      this.idleUntilUs = hintUs > 0 ? now + hintUs - marginUs : Number.POSITIVE_INFINITY;
      this.owner.idle(this);
    } else this.discard();
    this.owner.finished(exchange);
  }

  private fail(failure: WireFailure): void {
    const { exchange } = this;
    if (exchange === null) {
      this.discard();
      return;
    }
    exchange.failure = failure;
    exchange.doneUs = this.owner.now();
    this.forgetExchange();
    this.discard();
    this.owner.finished(exchange);
  }

  private forgetExchange(): void {
    this.exchange = null;
    this.bodyLeft = -1;
    if (this.body.length > 0) this.body = [];
  }

  /** The server has closed its side: the end of some bodies, of an idle connection, or of hope. */
  private ended(): void {
    if (this.phase !== "open") return;
    const { exchange } = this;
    this.parser.finish();
    if (exchange !== null && this.parser.done) this.complete(exchange, this.owner.now(), true);
    else this.fail(this.lost());
  }

  private broken(address: string, socket: Socket, code = ""): void {
    if (this.phase === "gone" || socket !== this.socket) return;
    if (OWN_FAILURES.has(code)) {
      this.owner.ownFailure();
      this.fail("connect");
    } else if (
      this.phase === "connect" &&
      !this.secondTry &&
      this.owner.addresses.failed(address)
    ) {
      this.secondTry = true; // a name with two families, of which only one is served
      this.socket = null;
      socket.destroy();
      this.lookUp();
    } else this.fail(this.phase === "open" ? this.lost() : this.phase);
  }

  private lost(): WireFailure {
    return this.served && this.exchange?.bytesIn === 0 ? "stale" : "reset";
  }

  private keepBody(bytes: Buffer, from: number, to: number): void {
    if (this.bodyLeft < 0) this.bodyLeft = this.owner.captureBody?.(this.parser.head.status) ?? 0;
    const end = Math.min(to, from + this.bodyLeft);
    if (end <= from) return;
    this.bodyLeft -= end - from;
    this.body.push(Buffer.from(bytes.subarray(from, end)));
  }
}
