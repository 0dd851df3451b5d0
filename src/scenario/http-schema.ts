// The schema of an http target: where, as whom, over which TLS, with which paths.
import { z } from "zod";
import { object, path, positiveDuration, ref, text } from "./scalars.ts";

const headerValue = z.union([ref, z.array(ref)], {
  error: () => "a header is a text, or a list of texts; quote numbers",
});

const oauth = object({
  "token-url": ref.describe("Where client credentials are exchanged for a token."),
  "client-id": ref,
  "client-secret": ref.describe("By reference: {{env.X}} or {{secret.…}}."),
  scope: text.optional(),
  audience: text.optional(),
}).describe("OAuth 2.0 client credentials; asked again before the token ends.");

const cognito = object({
  "client-id": ref.describe("Of an app client that allows USER_PASSWORD_AUTH."),
  username: ref,
  password: ref.describe("By reference."),
  "client-secret": ref.optional().describe("By reference, if the app client has one."),
  token: z.enum(["id", "access"]).optional().describe("Which one is sent. Default id."),
}).describe("A user of a Cognito user pool; its token is renewed before it ends.");

const command = object({
  argv: z.array(text).min(1).describe("Prints the token; needs --allow-exec."),
  every: positiveDuration.optional().describe("Asked again after this time. Default 5m."),
});

export const AUTH_KINDS = ["api-key", "bearer", "iam", "oauth", "cognito", "command"] as const;

const auth = object({
  "api-key": ref.optional().describe("Sent as x-api-key, or as `header`. By reference."),
  bearer: ref.optional().describe("Sent as `Bearer …`. By reference."),
  iam: z
    .enum(["execute-api", "lambda"])
    .optional()
    .describe("Signature Version 4 with the load identity: execute-api, or lambda for its URLs."),
  oauth: oauth.optional(),
  cognito: cognito.optional(),
  command: command.optional(),
  header: text.optional().describe("Default authorization; of an api-key x-api-key."),
}).meta({
  description: "As whom: renewed before it ends, never written anywhere.",
  oneOf: AUTH_KINDS.map((kind) => ({ required: [kind] })),
});

const tls = object({
  ca: path.optional().describe("PEM of the authorities to trust in place of the usual ones."),
  "server-name": text.optional().describe("Name of the certificate where it is not the host's."),
}).describe("Always verified, never below 1.2.");

const prefix = text.regex(/^\/[^?#\s]*$/, "a path reads like /prod");
const rewrite = object({
  strip: prefix.optional().describe("Taken from the front of captured paths: the old stage."),
  paths: z
    .record(prefix, prefix)
    .optional()
    .describe("Old beginning → new beginning; the longest that fits counts."),
}).describe("Makes captured paths those of the new system; its host and stage are the URL's.");

export const httpSchema = object({
  url: ref.describe("Base URL; a replay appends the captured path."),
  method: z.enum(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  headers: z
    .record(z.string(), headerValue)
    .optional()
    .describe("May hold {{env.X}}, {{secret.…}}."),
  auth: auth.optional(),
  tls: tls.optional(),
  rewrite: rewrite.optional(),
  "unverified-host": text
    .optional()
    .describe("Why the host is the account's, where its control plane cannot say so."),
  timeout: positiveDuration.optional().describe("Without an answer by then: unknown. Default 30s."),
}).describe("HTTP/1.1 requests.");

export type RawHttp = z.output<typeof httpSchema>;
