// Gateway responses that a template changes: by resource, or in SAM's words on the API itself.
import { z } from "zod";
import { GatecrashError } from "../../core/error.ts";
import { apiIdOf } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { GatewayResponseSpec, GatewayResponses } from "./rest-types.ts";
import { around, text } from "./schema-words.ts";

const RESPONSE_TYPES = [
  ...(["ACCESS_DENIED", "API_CONFIGURATION_ERROR", "AUTHORIZER_CONFIGURATION_ERROR"] as const),
  ...(["AUTHORIZER_FAILURE", "BAD_REQUEST_BODY", "BAD_REQUEST_PARAMETERS", "DEFAULT_4XX"] as const),
  ...(["DEFAULT_5XX", "EXPIRED_TOKEN", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"] as const),
  ...(["INVALID_API_KEY", "INVALID_SIGNATURE", "MISSING_AUTHENTICATION_TOKEN"] as const),
  ...(["QUOTA_EXCEEDED", "REQUEST_TOO_LARGE", "RESOURCE_NOT_FOUND", "THROTTLED"] as const),
  ...(["UNAUTHORIZED", "UNSUPPORTED_MEDIA_TYPE", "WAF_FILTERED"] as const),
] as const;

const responseType = z.enum(RESPONSE_TYPES);
const status = z.preprocess(
  (value) => (typeof value === "number" ? String(value) : value),
  z.string().regex(/^[1-5]\d\d$/, "not an HTTP status"),
);
const VARIABLE = "a 'literal', context.…, or method.request.header, .querystring or .path";
const parameter = z
  .string()
  .regex(
    /^(?:'[^']*'|context\.[\w.]+|method\.request\.(?:header|querystring|path)\.[\w-]+)$/,
    VARIABLE,
  );
const HEADER = /^gatewayresponse\.header\.[\w-]+$/;
const templates = z.record(text, z.string()).optional();

/** In SAM's words: `GatewayResponses` of an API. */
export const samGatewayResponses = z.partialRecord(
  responseType,
  z.strictObject({
    StatusCode: status.optional(),
    ResponseParameters: z
      .strictObject({ Headers: z.record(text, parameter).optional() })
      .optional(),
    ResponseTemplates: templates,
  }),
);

export const GATEWAY_RESPONSE_RESOURCES = {
  "AWS::ApiGateway::GatewayResponse": z.strictObject({
    Type: z.literal("AWS::ApiGateway::GatewayResponse"),
    Properties: z.strictObject({
      RestApiId: text,
      ResponseType: responseType,
      StatusCode: status.optional(),
      ResponseParameters: z
        .record(text, parameter)
        .refine((given) => Object.keys(given).every((name) => HEADER.test(name)), {
          error: "its keys are gatewayresponse.header.NAME",
        })
        .optional(),
      ResponseTemplates: templates,
    }),
    ...around,
  }),
} as const;

export type GatewayResponseResource = z.infer<
  (typeof GATEWAY_RESPONSE_RESOURCES)["AWS::ApiGateway::GatewayResponse"]
>;

interface DeclaredApi {
  readonly Properties: {
    readonly GatewayResponses?: z.infer<typeof samGatewayResponses> | undefined;
  };
}

/** By API id. Throws a `scenario` error: an API that is not here, a type that is given twice. */
export function gatewayResponsesOf(
  apis: ReadonlyMap<string, DeclaredApi>,
  resources: ReadonlyMap<string, GatewayResponseResource>,
  source: TemplateSource,
): ReadonlyMap<string, GatewayResponses> {
  const found = new Map(
    [...apis].map(([id, { Properties }]): [string, Map<string, GatewayResponseSpec>] => {
      const own = Object.entries(Properties.GatewayResponses ?? {}).map(
        ([type, { StatusCode, ResponseParameters, ResponseTemplates }]) => {
          const headers = Object.entries(ResponseParameters?.Headers ?? {});
          return [type, specOf(StatusCode, headers, ResponseTemplates)] as const;
        },
      );
      return [apiIdOf(id), new Map(own)];
    }),
  );
  for (const [id, { Properties }] of resources) {
    const { RestApiId, ResponseType: type, StatusCode, ResponseTemplates } = Properties;
    const fail = (property: string, message: string): never => {
      const place = source.placeOf(["Resources", id, "Properties", property]);
      throw new GatecrashError("scenario", `${id}: ${message}`, { place });
    };
    const into = found.get(RestApiId) ?? fail("RestApiId", "RestApiId names no REST API here");
    if (into.has(type)) fail("ResponseType", `the API has a response ${type} already`);
    const headers = Object.entries(Properties.ResponseParameters ?? {}).map(
      ([name, value]) => [name.replace("gatewayresponse.header.", ""), value] as const,
    );
    into.set(type, specOf(StatusCode, headers, ResponseTemplates));
  }
  return found;
}

const specOf = (
  status: string | undefined,
  headers: GatewayResponseSpec["headers"],
  templates: { readonly [type: string]: string } = {},
): GatewayResponseSpec => ({
  status: status === undefined ? null : Number(status),
  headers,
  templates: Object.entries(templates),
});
