// llhttp, the parser of Node and undici, as the oracle that our response parser is compared with.
import { createRequire } from "node:module";

/** A response as either parser saw it; the body as latin1 text. */
export interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly keepAlive: boolean;
}

export interface Reading {
  /** Complete final responses, in order; headers without trailers. */
  readonly complete: readonly Seen[];
  /** True when bytes were left over that are no complete response. */
  readonly broken: boolean;
}

interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(size: number): number;
  free(pointer: number): void;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, data: number, length: number): number;
  llhttp_finish(parser: number): number;
}

/** The part of WebAssembly that is used here; Node's types leave the global out. */
interface Wasm {
  readonly Module: new (bytes: unknown) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

const TYPE_RESPONSE = 2;
const OK = 0;
const SKIP_BODY = 1;

class Listener {
  readonly complete: Seen[] = [];
  open = false;
  names: string[] = [];
  values: string[] = [];
  body = "";
  status = 0;
  keepAlive = true;
  private readonly heads: readonly boolean[];

  constructor(heads: readonly boolean[]) {
    this.heads = heads;
  }

  begin(): void {
    this.open = true;
    this.names = [];
    this.values = [];
    this.body = "";
  }

  /** A name or value may come in pieces. */
  name(text: string): void {
    if (this.names.length > this.values.length) this.names.push(`${this.names.pop()}${text}`);
    else this.names.push(text);
  }

  value(text: string): void {
    if (this.values.length < this.names.length) this.values.push(text);
    else this.values.push(`${this.values.pop()}${text}`);
  }

  head(status: number, keepAlive: boolean): number {
    this.status = status;
    this.keepAlive = keepAlive;
    this.headers = this.names.length;
    return this.heads[this.complete.length] === true ? SKIP_BODY : 0;
  }
  private headers = 0;

  bodyPiece(text: string): void {
    this.body += text;
  }

  end(): void {
    this.open = false;
    if (this.status < 200) return;
    const { status, body, keepAlive, names, values } = this;
    const headers = names
      .slice(0, this.headers)
      .map((name, i) => [name.toLowerCase(), values[i] ?? ""] as const);
    this.complete.push({ status, body, keepAlive, headers });
  }
}

let listener = new Listener([]);
let llhttp: Llhttp | undefined;

function load(): Llhttp {
  const wasm: unknown = createRequire(import.meta.url)("undici/lib/llhttp/llhttp-wasm.js");
  const text = (at: number, length: number): string =>
    Buffer.from(loaded.memory.buffer, at, length).toString("latin1");
  const returning0 =
    (act: (at: number, length: number) => void) =>
    (_: number, at = 0, n = 0) => {
      act(at, n);
      return 0;
    };
  const { Module, Instance } = Reflect.get(globalThis, "WebAssembly") as Wasm;
  const instance = new Instance(new Module(wasm), {
    env: {
      wasm_on_url: () => 0,
      wasm_on_status: () => 0,
      wasm_on_message_begin: returning0(() => listener.begin()),
      wasm_on_header_field: returning0((at, n) => listener.name(text(at, n))),
      wasm_on_header_value: returning0((at, n) => listener.value(text(at, n))),
      wasm_on_headers_complete: (_: number, status: number, _up: number, keep: number) =>
        listener.head(status, keep === 1),
      wasm_on_body: returning0((at, n) => listener.bodyPiece(text(at, n))),
      wasm_on_message_complete: returning0(() => listener.end()),
    },
  });
  const loaded = instance.exports as Llhttp;
  return loaded;
}

/** Reads a byte stream to its end; `heads[k]` says that the k-th final response answers a HEAD. */
export function readWithLlhttp(stream: Uint8Array, heads: readonly boolean[]): Reading {
  llhttp ??= load();
  listener = new Listener(heads);
  const parser = llhttp.llhttp_alloc(TYPE_RESPONSE);
  const data = llhttp.malloc(stream.length + 1);
  new Uint8Array(llhttp.memory.buffer, data, stream.length).set(stream);
  let result = llhttp.llhttp_execute(parser, data, stream.length);
  if (result === OK) result = llhttp.llhttp_finish(parser);
  llhttp.free(data);
  llhttp.llhttp_free(parser);
  return { complete: listener.complete, broken: result !== OK || listener.open };
}
