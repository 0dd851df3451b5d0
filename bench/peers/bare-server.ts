// A handler behind node:http and nothing else: what any server adds to it on this machine.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";

interface Result {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

const file = process.argv[2] ?? "";
const { handler } = (await import(pathToFileURL(file).href)) as { handler(): Promise<Result> };

const server = createServer({ keepAliveTimeout: 60_000 }, (_, response) => {
  void handler().then(({ statusCode, headers, body }) => {
    response.writeHead(statusCode, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
