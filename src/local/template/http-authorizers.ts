// Authorizers of a template's HTTP APIs: Lambda functions, and JSON web tokens.
import { z } from "zod";
import { GatecrashError } from "../../core/error.ts";
import type { IdentitySource } from "../http-api/authorizer-call.ts";
import type { TemplateSource } from "./read-yaml.ts";
import { ignored, text, truth, whole } from "./schema-words.ts";

/** What says who may call a route; `iam`: a signature, and the signer's policies. */
export type HttpAuthorizerSpec =
  | { readonly kind: "iam" }
  | {
      readonly kind: "lambda";
      readonly functionName: string;
      readonly version: "1.0" | "2.0";
      /** It answers `isAuthorized` instead of a policy. */
      readonly isSimple: boolean;
      /** Without one of these a request is unauthorized. */
      readonly identity: readonly IdentitySource[];
      /** 0 = it is asked each time. */
      readonly cacheS: number;
    }
  | {
      readonly kind: "jwt";
      readonly header: string;
      readonly issuer: string;
      readonly audience: readonly string[];
      /** One of these is enough; none = any. */
      readonly scopes: readonly string[];
    };

const lambda = z.strictObject({
  FunctionArn: text,
  AuthorizerPayloadFormatVersion: z
    .preprocess(
      (value) => (typeof value === "number" ? value.toFixed(1) : value),
      z.enum(["1.0", "2.0"]),
    )
    .optional(),
  EnableSimpleResponses: truth.optional(),
  EnableFunctionDefaultPermissions: ignored,
  FunctionInvokeRole: ignored,
  Identity: z
    .strictObject({
      Headers: z.array(text).optional(),
      QueryStrings: z.array(text).optional(),
      ReauthorizeEvery: whole(0, 3_600).optional(),
    })
    .optional(),
});
const jwt = z.strictObject({
  JwtConfiguration: z.strictObject({ issuer: text, audience: z.array(text).min(1) }),
  IdentitySource: text
    .regex(/^\$request\.header\.[\w-]+$/, "local AWS finds tokens in headers")
    .optional(),
  AuthorizationScopes: z.array(text).optional(),
});

export const httpAuth = z.strictObject({
  DefaultAuthorizer: text.optional(),
  EnableIamAuthorizer: truth.optional(),
  Authorizers: z.record(text, z.union([lambda, jwt])).optional(),
});
export const httpEventAuth = z.strictObject({
  Authorizer: text.optional(),
  AuthorizationScopes: z.array(text).optional(),
});

export interface HttpAuth {
  /** By name. */
  readonly authorizers: ReadonlyMap<string, HttpAuthorizerSpec>;
  readonly byDefault: string | undefined;
}

/** Throws a `scenario` error: a function that is not in this template. */
export function httpAuthOf(
  logicalId: string,
  auth: z.infer<typeof httpAuth> | undefined,
  functionNames: ReadonlyMap<string, string>,
  source: TemplateSource,
): HttpAuth {
  const authorizers = Object.entries(auth?.Authorizers ?? {}).map(
    ([name, given]): [string, HttpAuthorizerSpec] => {
      if ("JwtConfiguration" in given) return [name, jwtOf(given)];
      const functionName = functionNames.get(given.FunctionArn);
      if (functionName !== undefined) return [name, lambdaOf(given, functionName)];
      const at = ["Resources", logicalId, "Properties", "Auth", "Authorizers", name];
      const message = `authorizer ${name}: FunctionArn is no function of this template`;
      throw new GatecrashError("scenario", message, { place: source.placeOf(at) });
    },
  );
  if (auth?.EnableIamAuthorizer === true) authorizers.push(["AWS_IAM", { kind: "iam" }]);
  return { authorizers: new Map(authorizers), byDefault: auth?.DefaultAuthorizer };
}

const jwtOf = (given: z.infer<typeof jwt>): HttpAuthorizerSpec => ({
  kind: "jwt",
  header: (given.IdentitySource ?? "$request.header.Authorization").slice(16).toLowerCase(),
  issuer: given.JwtConfiguration.issuer,
  audience: given.JwtConfiguration.audience,
  scopes: given.AuthorizationScopes ?? [],
});

function lambdaOf(given: z.infer<typeof lambda>, functionName: string): HttpAuthorizerSpec {
  const { Headers: headers = [], QueryStrings: parameters = [] } = given.Identity ?? {};
  const version = given.AuthorizerPayloadFormatVersion ?? "1.0";
  return {
    ...{ kind: "lambda", functionName, version, isSimple: given.EnableSimpleResponses ?? false },
    identity: [
      ...headers.map((name) => ({ in: "header" as const, name: name.toLowerCase() })),
      ...parameters.map((name) => ({ in: "querystring" as const, name })),
    ],
    cacheS: given.Identity?.ReauthorizeEvery ?? 0,
  };
}
