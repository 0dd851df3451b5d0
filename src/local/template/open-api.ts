// Routes that an HTTP API's DefinitionBody gives: Lambda functions, and SQS SendMessage by itself.
import { z } from "zod";
import { GatecrashError } from "../../core/error.ts";
import { check } from "./check.ts";
import type { Path, TemplateSource } from "./read-yaml.ts";
import { ignored, text, whole } from "./schema-words.ts";
import type { HttpApiRoute } from "./types.ts";

const ANY_METHOD = "x-amazon-apigateway-any-method";
const INTEGRATION = "x-amazon-apigateway-integration";

/** Parameters of the SQS-SendMessage integration (HTTP API developer guide). */
const sendMessage = z.strictObject({
  QueueUrl: text,
  MessageBody: text,
  DelaySeconds: text.optional(),
  MessageAttributes: text.optional(),
  MessageSystemAttributes: text.optional(),
  Region: ignored,
});

const integration = z.strictObject({
  type: z.literal("aws_proxy"),
  integrationSubtype: z.literal("SQS-SendMessage").optional(),
  requestParameters: sendMessage.optional(),
  /** The role with which the gateway calls; permissions are not checked here. */
  credentials: text.optional(),
  uri: text.optional(),
  httpMethod: ignored,
  payloadFormatVersion: z.enum(["1.0", "2.0"]).optional(),
  timeoutInMillis: whole(50, 30_000).optional(),
  connectionType: z.literal("INTERNET").optional(),
});

const operation = z.looseObject({ [INTEGRATION]: integration });
const document = z.looseObject({
  openapi: text.regex(/^3\.0\./, "local AWS reads OpenAPI 3.0"),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

/** Throws a `scenario` error with the line of what is not modelled. `body` is already resolved. */
export function openApiRoutes(
  body: unknown,
  functionNames: ReadonlyMap<string, string>,
  source: TemplateSource,
  at: Path,
): HttpApiRoute[] {
  const { paths } = check(source, document, body, at);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { [INTEGRATION]: declared }]): HttpApiRoute => {
      const where = [...at, "paths", path, method, INTEGRATION];
      return {
        method: method === ANY_METHOD ? "ANY" : method.toUpperCase(),
        path: path === "/$default" ? "$default" : path,
        integration: integrationOf(declared, functionNames, (message) => {
          throw new GatecrashError("scenario", message, { place: source.placeOf(where) });
        }),
        timeoutMs: declared.timeoutInMillis ?? 30_000,
      };
    }),
  );
}

function integrationOf(
  declared: z.infer<typeof integration>,
  functionNames: ReadonlyMap<string, string>,
  fail: (message: string) => never,
): HttpApiRoute["integration"] {
  if (declared.integrationSubtype !== undefined) {
    const { credentials, requestParameters } = declared;
    if (credentials === undefined || requestParameters === undefined)
      return fail("SQS-SendMessage needs credentials and requestParameters");
    const given = Object.entries(requestParameters).filter(([, value]) => value !== undefined);
    return { kind: "sqs", parameters: Object.fromEntries(given.map(([k, v]) => [k, String(v)])) };
  }
  const arn = /\/functions\/(arn:[^/]+)\/invocations$/.exec(declared.uri ?? "")?.[1];
  const functionName = arn === undefined ? undefined : functionNames.get(arn);
  if (functionName === undefined) return fail("uri is not the invocation of a function here");
  const payloadVersion = declared.payloadFormatVersion ?? "2.0";
  return { kind: "lambda", functionName, payloadVersion };
}
