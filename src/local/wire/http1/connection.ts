// One client's HTTP/1.1 connection: its requests are answered in order, one at a time.
import type { Socket } from "node:net";
import { messageOf } from "../../../core/error.ts";
import { answerBytes, type HttpAnswer } from "./answer-bytes.ts";
import { BadRequest } from "./request-head.ts";
import { type ParsedRequest, RequestParser } from "./request-parser.ts";

export interface Http1Options {
  /** A request with a longer body is handed over without it. */
  readonly bodyBytesMax: number;
  /** An idle connection ends after this. */
  readonly keepAliveMs: number;
  /** `from` is the client's address. What it throws, or rejects with, is answered with a 500. */
  answer(request: ParsedRequest, from: string): Promise<HttpAnswer>;
}

/** More than this from a client that does not wait for answers: it is read no further. */
const AHEAD_BYTES_MAX = 65_536;
/** After our last word, so long is heard out what the client is still sending. */
const LINGER_MS = 5_000;
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

/** Takes over the socket; bytes that were put back on it (`unshift`) are read first. */
export function serveHttp1(socket: Socket, options: Http1Options): void {
  const connection = new Connection(socket, options);
  socket.setTimeout(options.keepAliveMs);
  socket.on("timeout", () => connection.onIdle());
  socket.on("error", () => socket.destroy());
  socket.on("end", () => connection.onEnd());
  socket.on("drain", () => connection.onDrain());
  socket.on("data", (chunk: Buffer) => connection.onData(chunk));
}

class Connection {
  readonly #socket: Socket;
  readonly #options: Http1Options;
  readonly #parser: RequestParser;
  readonly #from: string;
  /** `full`: the client has not yet read its last answer; it gets no other before. */
  #state: "free" | "answering" | "full" = "free";
  /** The client will send nothing more. */
  #hasEnded = false;
  /** Our last answer is on its way. */
  #isClosing = false;
  #hasContinued = false;

  constructor(socket: Socket, options: Http1Options) {
    this.#socket = socket;
    this.#options = options;
    this.#parser = new RequestParser(options.bodyBytesMax);
    this.#from = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  }

  onData(chunk: Buffer): void {
    if (this.#isClosing) return; // heard out, or the client might lose our answer
    this.#parser.push(chunk);
    if (this.#state === "free") this.#advance();
    else if (this.#parser.waitingBytes > AHEAD_BYTES_MAX) this.#socket.pause();
  }

  onEnd(): void {
    this.#hasEnded = true;
    if (this.#state === "free") this.#socket.end();
  }

  onDrain(): void {
    if (this.#state === "full") this.#goOn();
  }

  onIdle(): void {
    if (this.#state === "answering") return;
    if (this.#state === "free" && this.#parser.isWithin && !this.#isClosing) this.#refuse(408);
    else this.#socket.destroy();
  }

  #advance(): void {
    let request: ParsedRequest | null;
    try {
      request = this.#parser.next();
    } catch (thrown) {
      this.#refuse(thrown instanceof BadRequest ? thrown.status : 500);
      return;
    }
    if (request !== null) this.#serve(request);
    else if (this.#hasEnded) this.#socket.end();
    else if (this.#parser.awaitsContinue && !this.#hasContinued) {
      this.#hasContinued = true;
      this.#socket.write(CONTINUE);
    }
  }

  #serve(request: ParsedRequest): void {
    this.#state = "answering";
    this.#hasContinued = false;
    const { head, content } = request;
    const close = !head.keepAlive || content === null;
    this.#answer(request).then(
      (answer) => this.#send(head.method, close, answer),
      (thrown: unknown) => this.#send(head.method, close, broken(thrown)),
    );
  }

  #answer(request: ParsedRequest): Promise<HttpAnswer> {
    try {
      return this.#options.answer(request, this.#from);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  #send(method: string, close: boolean, answer: HttpAnswer): void {
    if (this.#socket.destroyed) return;
    const isTaken = this.#socket.write(sendable(answer, method, close));
    if (close) this.#close();
    else if (isTaken) this.#goOn();
    else this.#state = "full";
  }

  #goOn(): void {
    this.#state = "free";
    if (this.#parser.waitingBytes > 0 || this.#hasEnded) this.#advance();
    if (this.#parser.waitingBytes <= AHEAD_BYTES_MAX) this.#socket.resume();
  }

  #refuse(status: number): void {
    const answer = { status, headers: [], body: Buffer.alloc(0) };
    this.#socket.write(answerBytes(answer, "", true));
    this.#close();
  }

  #close(): void {
    this.#state = "free";
    this.#isClosing = true;
    this.#socket.setTimeout(LINGER_MS);
    this.#socket.resume();
    this.#socket.end();
  }
}

function sendable(answer: HttpAnswer, method: string, close: boolean): Buffer {
  try {
    return answerBytes(answer, method, close);
  } catch (thrown) {
    return answerBytes(broken(thrown), method, close);
  }
}

const broken = (thrown: unknown): HttpAnswer => ({
  status: 500,
  headers: [["content-type", "application/json"]],
  body: Buffer.from(JSON.stringify({ message: messageOf(thrown) })),
});
