// The parts of a template that stand around its resources: globals, parameters, what SAM implies.
import type { Json } from "../../core/change.ts";
import { GatecrashError } from "../../core/error.ts";
import { IMPLICIT_REST_API, IMPLICIT_STAGE } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { TemplateMetadata } from "./schema.ts";

export type Values = { [key: string]: Json };
/** A template around its resources, intrinsic functions still in it. */
export interface Frame {
  readonly Metadata?: TemplateMetadata;
  readonly Globals?: { readonly [section: string]: Values };
  readonly Parameters?: { readonly [name: string]: { readonly Default?: Json } };
  readonly Conditions?: { readonly [name: string]: Json };
  readonly Mappings?: { readonly [map: string]: { readonly [top: string]: Values } };
  readonly Resources: {
    readonly [id: string]: {
      readonly Type: string;
      readonly Properties?: Values;
      readonly Metadata?: Values;
      readonly Condition?: Json;
    };
  };
  readonly Outputs?: {
    readonly [name: string]: { readonly Value: Json; readonly Condition?: Json };
  };
}

/** By their defaults. */
export function parametersOf(frame: Frame, source: TemplateSource): Values {
  const values: Values = {};
  for (const [name, { Default }] of Object.entries(frame.Parameters ?? {})) {
    if (Default === undefined)
      throw new GatecrashError("scenario", `parameter ${name} has no Default`, {
        place: source.placeOf(["Parameters", name]),
        hint: "local AWS takes parameters from their defaults",
      });
    values[name] = Default;
  }
  return values;
}

/** SAM merges maps and lets the resource win; Environment.Variables is the only map here. */
export function withGlobals(type: string, properties: Values, frame: Frame): Values {
  const section = /^AWS::Serverless::(\w+)$/.exec(type)?.[1] ?? "";
  const globals = frame.Globals?.[section];
  if (globals === undefined) return properties;
  const merged: Values = { ...globals, ...properties };
  const [shared, own] = [globals, properties].map(variablesOf);
  if (shared !== undefined && own !== undefined)
    merged.Environment = { Variables: { ...shared, ...own } };
  return merged;
}

function variablesOf({ Environment: environment }: Values): Values | undefined {
  const { Variables: variables } = (environment ?? {}) as Values;
  return variables === undefined ? undefined : (variables as Values);
}

/** SAM adds a REST API, with the globals of all of them, for events that name none. */
export function withImplicitRestApi(frame: Frame): Frame {
  const isWanted = Object.values(frame.Resources).some(({ Properties: { Events = {} } = {} }) =>
    Object.values(Events as { [event: string]: unknown }).some((event) => {
      const { Type, Properties = {} } = (event ?? {}) as { Type?: unknown; Properties?: object };
      return Type === "Api" && !Object.hasOwn(Properties ?? {}, "RestApiId");
    }),
  );
  if (!isWanted || IMPLICIT_REST_API in frame.Resources) return frame;
  const implicit = { Type: "AWS::Serverless::Api", Properties: { StageName: IMPLICIT_STAGE } };
  return { ...frame, Resources: { ...frame.Resources, [IMPLICIT_REST_API]: implicit } };
}
