// The HTTP/1.1 client of the load path: one origin, as many connections as there are open requests.
import { Addresses, type Resolve } from "./addresses.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";
import { type Exchange, OpenExchange } from "./exchange.ts";
import type { Origin } from "./origin.ts";
import type { WireRequest } from "./request.ts";
import { Secure, type TlsOptions } from "./secure.ts";

export interface HttpClientOptions {
  readonly origin: Origin;
  /** Integer µs; read when a request is sent and once per read. */
  readonly now: () => number;
  /** From the send to the last byte of the response, connecting included. */
  readonly timeoutUs: number;
  /** Lower-case names of the response headers to keep. */
  readonly captureHeaders?: readonly string[];
  /** Bytes of the body to keep, by status; without it bodies are drained and counted only. */
  readonly captureBody?: (status: number) => number;
  /** Default 32 KiB. */
  readonly headMaxBytes?: number;
  readonly tls?: TlsOptions;
  /** How names become addresses; the system's resolver by default. */
  readonly resolve?: Resolve;
}

/**
 * Sends each request once, on an idle connection (the last used first) or on a new one; nothing is
 * queued and nothing is sent again. Failures are data. Disposal ends what is open as `unfinished`.
 */
export interface HttpClient extends AsyncDisposable {
  /** `done` is called exactly once and never synchronously. */
  send(request: WireRequest, done: (exchange: Exchange) => void): void;
  readonly inFlight: number;
  /** Open or being opened. */
  readonly connections: number;
  /** Connections not made for want of file handles, local ports or memory of this machine. */
  readonly ownFailures: number;
}

const READ_BUFFER_BYTES = 65_536;

/** Throws `usage` when the TLS options cannot be used. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  return new Client(options);
}

class Client implements HttpClient, ConnectionOwner {
  readonly origin: Origin;
  readonly now: () => number;
  readonly addresses: Addresses;
  readonly secure: Secure | null;
  readonly buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  readonly parser: ConnectionOwner["parser"];
  readonly captureBody: ((status: number) => number) | null;
  inFlight = 0;
  ownFailures = 0;

  private readonly deadlines: Deadlines;
  private readonly free: Connection[] = [];
  private readonly alive = new Set<Connection>();
  private disposed = false;
  private allClosed: (() => void) | null = null;

  constructor(options: HttpClientOptions) {
    this.origin = options.origin;
    this.now = options.now;
    this.addresses = new Addresses(options.origin, options.now, options.resolve);
    this.secure = options.origin.secure ? new Secure(options.origin, options.tls ?? {}) : null;
    this.captureBody = options.captureBody ?? null;
    this.parser = {
      captureHeaders: options.captureHeaders ?? [],
      ...(options.headMaxBytes === undefined ? {} : { headMaxBytes: options.headMaxBytes }),
    };
    this.deadlines = new Deadlines(options.now, options.timeoutUs, (exchange) =>
      exchange.connection?.expire(),
    );
  }

  get connections(): number {
    return this.alive.size;
  }

  send(request: WireRequest, done: (exchange: Exchange) => void): void {
    const exchange = new OpenExchange(request, done, this.now());
    this.inFlight++;
    if (this.disposed) {
      setImmediate(() => this.refuse(exchange));
      return;
    }
    this.deadlines.add(exchange);
    const connection = this.takeFree(exchange.sentUs);
    if (connection !== null) connection.send(exchange);
    else {
      const fresh = new Connection(this);
      this.alive.add(fresh);
      fresh.start(exchange);
    }
  }

  idle(connection: Connection): void {
    this.free.push(connection);
  }

  gone(connection: Connection): void {
    const at = this.free.lastIndexOf(connection);
    if (at >= 0) this.free.splice(at, 1);
  }

  closed(connection: Connection): void {
    this.alive.delete(connection);
    if (this.alive.size === 0) this.allClosed?.();
  }

  finished(exchange: OpenExchange): void {
    this.deadlines.remove(exchange);
    exchange.connection = null;
    this.inFlight--;
    exchange.done(exchange);
  }

  ownFailure(): void {
    this.ownFailures++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
    const closed = new Promise<void>((resolve) => {
      this.allClosed = resolve;
    });
    for (const connection of [...this.alive]) connection.abandon();
    this.deadlines.stop();
    if (this.alive.size > 0) await closed;
  }

  private takeFree(now: number): Connection | null {
    for (;;) {
      const connection = this.free.pop();
      if (connection === undefined) return null;
      if (now < connection.idleUntilUs) return connection;
      connection.discard();
    }
  }

  private refuse(exchange: OpenExchange): void {
    exchange.failure = "unfinished";
    exchange.doneUs = this.now();
    this.inFlight--;
    exchange.done(exchange);
  }
}
