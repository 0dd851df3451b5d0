// Signing and bodies of the load path, held against the SDK's for the same clock and credentials.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { KinesisClient, PutRecordsCommand } from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type Credentials, requestSigner } from "../../src/aws/sigv4.ts";
import type { ItemCall } from "../../src/core/arrival.ts";
import { bodyBytesMax, writeBody } from "../../src/targets/put-records-body.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

interface Seen {
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
}
const seen: Seen[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  seen.push({ headers: request.headers as Seen["headers"], body: Buffer.concat(chunks) });
  response.end('{"FailedRecordCount":0,"Records":[]}');
});
let host = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
afterEach(() => vi.useRealTimers());

/** What only the SDK sends about itself. */
const OWN = ["amz-sdk-invocation-id", "amz-sdk-request", "x-amz-user-agent"];

/** The SDK's request for these records, at this moment, without its headers about itself. */
async function bySdk(
  stream: { StreamName: string } | { StreamARN: string },
  records: readonly ItemCall[],
  credentials: Credentials,
): Promise<Seen> {
  const client = new KinesisClient({
    endpoint: `http://${host}`,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials,
    requestHandler: new NodeHttpHandler(),
  });
  interface Args {
    readonly request: { readonly headers: { [name: string]: string } };
  }
  const quiet = (next: (args: Args) => unknown) => (args: Args) => {
    for (const name of OWN) delete args.request.headers[name];
    return next(args);
  };
  const place = { name: "quiet", relation: "before", toMiddleware: "awsAuthMiddleware" } as const;
  client.middlewareStack.addRelativeTo(quiet as never, place);
  const Records = records.map(({ data, key }) => ({ Data: data, PartitionKey: key }));
  await client.send(new PutRecordsCommand({ ...stream, Records }));
  client.destroy();
  return seen.pop()!;
}

const AT = Date.UTC(2026, 4, 6, 7, 8, 9);
const KEYS: Credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
function putRecordsBody(stream: string, records: readonly ItemCall[]): Buffer {
  const room = Buffer.alloc(10 + bodyBytesMax(stream, records));
  return room.subarray(10, writeBody(room, 10, stream, records));
}

const record = (key: string, data: Uint8Array): ItemCall => ({ kind: "item", key, data });

it.each([
  ["plain credentials", KEYS],
  ["a session token", { ...KEYS, sessionToken: "token/with+signs==" }],
])("the signature is the SDK's, with %s", async (_, credentials) => {
  vi.useFakeTimers({ toFake: ["Date"], now: AT });
  const records = [record("k", Buffer.from("hello")), record("ü", new Uint8Array(3))];
  const sdk = await bySdk({ StreamName: "clicks" }, records, credentials);
  const sign = requestSigner({
    service: "kinesis",
    region: "eu-west-1",
    credentials: async () => credentials,
  });
  const body = putRecordsBody("clicks", records);
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "Kinesis_20131202.PutRecords",
  };
  const signed = await sign({ method: "POST", path: "/", host, headers, body }, AT);
  const { host: _host, connection: _connection, "user-agent": _agent, ...theirs } = sdk.headers;
  expect(body.toString()).toBe(sdk.body.toString());
  expect(Object.fromEntries(signed)).toEqual(theirs);
});

it("the body is the SDK's, whatever keys and data are", async () => {
  const arn = "arn:aws:kinesis:eu-west-1:000000000000:stream/clicks";
  const one = fc.record({
    key: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    data: fc.uint8Array({ maxLength: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (some, byArn) => {
        const records = some.map(({ key, data }) => record(key, data));
        const stream = byArn ? { StreamARN: arn } : { StreamName: "clicks" };
        const sdk = await bySdk(stream, records, KEYS);
        const body = putRecordsBody(byArn ? arn : "clicks", records);
        expect(body.equals(sdk.body)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
