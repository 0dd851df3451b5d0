// Custom domain names of HTTP APIs, as SAM's `Domain` or as resources of their own.
import { z } from "zod";
import { around, ignored, text } from "./schema-words.ts";

const domainName = text.regex(/^[a-z0-9.-]+\.[a-z]+$/, "not a domain name in lower case");
/** Segments below the domain that lead to the API; none = all of it. */
const mappingKey = z.string().regex(/^[a-zA-Z0-9$._~/-]*$/, "not an API mapping key");

export const samDomain = z.strictObject({
  DomainName: domainName,
  BasePath: z.union([mappingKey, z.array(mappingKey)]).optional(),
  CertificateArn: ignored,
  EndpointConfiguration: ignored,
  MutualTlsAuthentication: ignored,
  OwnershipVerificationCertificateArn: ignored,
  Route53: ignored,
  SecurityPolicy: ignored,
});

export const DOMAIN_RESOURCES = {
  "AWS::ApiGatewayV2::DomainName": z.strictObject({
    Type: z.literal("AWS::ApiGatewayV2::DomainName"),
    Properties: z.strictObject({
      DomainName: domainName,
      DomainNameConfigurations: ignored,
      MutualTlsAuthentication: ignored,
      Tags: ignored,
    }),
    ...around,
  }),
  "AWS::ApiGatewayV2::ApiMapping": z.strictObject({
    Type: z.literal("AWS::ApiGatewayV2::ApiMapping"),
    Properties: z.strictObject({
      ApiId: text,
      DomainName: text,
      Stage: text,
      ApiMappingKey: mappingKey.optional(),
    }),
    ...around,
  }),
} as const;

export type DomainResource = z.infer<(typeof DOMAIN_RESOURCES)["AWS::ApiGatewayV2::DomainName"]>;
export type MappingResource = z.infer<(typeof DOMAIN_RESOURCES)["AWS::ApiGatewayV2::ApiMapping"]>;
