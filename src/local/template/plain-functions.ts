// Plain CloudFormation functions, aliases and event source mappings (the CDK writes them) as SAM's.
import { GatecrashError } from "../../core/error.ts";
import type { Values } from "./frame.ts";
import { type Plain, type PlainResource, type Renamed, refersTo } from "./plain-references.ts";
import type { TemplateSource } from "./read-yaml.ts";

const FUNCTION = "AWS::Lambda::Function";

/** Throws a `scenario` error where the code of a function is not on this machine. */
export function samFunctions(plain: Plain, source: TemplateSource): Renamed {
  const renamed = new Map<string, string>();
  for (const [id, resource] of plain.ofType(FUNCTION)) {
    plain.put(id, { ...resource, Type: "AWS::Serverless::Function", ...sam(id, resource, source) });
  }
  foldAliases(plain, renamed);
  foldMappings(plain, renamed);
  return renamed;
}

function sam(
  id: string,
  { Properties = {}, Metadata = {} }: PlainResource,
  source: TemplateSource,
): Pick<PlainResource, "Properties"> {
  const { Code: _, TracingConfig: tracing, DeadLetterConfig: dead, ...same } = Properties;
  const own = (Metadata.Gatecrash as Values | undefined)?.CodeUri;
  const code = own ?? Metadata["aws:asset:path"];
  if (typeof code !== "string")
    throw new GatecrashError("scenario", `${id}: where its code lies on this machine is not said`, {
      place: source.placeOf(["Resources", id, "Properties", "Code"]),
      hint: "add Metadata: { Gatecrash: { CodeUri: <folder> } }; cdk synth writes aws:asset:path",
    });
  const mode = (tracing as Values | undefined)?.Mode;
  const letters = (dead as Values | undefined)?.TargetArn;
  return {
    Properties: {
      ...same,
      CodeUri: code,
      ...(mode === undefined ? {} : { Tracing: mode }),
      ...(letters === undefined ? {} : { DeadLetterQueue: { Type: "SQS", TargetArn: letters } }),
    },
  };
}

/** SAM publishes one version behind one alias; so does this. A version needs no more than that. */
function foldAliases(plain: Plain, renamed: Map<string, string>): void {
  for (const [id, { Properties = {} }] of plain.ofType("AWS::Lambda::Alias")) {
    const owner = refersTo(Properties.FunctionName, plain.functions());
    if (owner === null) continue;
    plain.addTo(owner, {
      AutoPublishAlias: Properties.Name ?? null,
      ProvisionedConcurrencyConfig: Properties.ProvisionedConcurrencyConfig ?? null,
    });
    renamed.set(id, `${owner}.Alias`);
    plain.drop(id);
  }
  for (const [id, { Properties = {} }] of plain.ofType("AWS::Lambda::Version")) {
    const owner = refersTo(Properties.FunctionName, plain.functions());
    if (owner === null) continue;
    renamed.set(id, `${owner}.Version`);
    plain.drop(id);
  }
}

/** Of a queue or a stream of the template; any other stays, and is refused by its type. */
function foldMappings(plain: Plain, renamed: Map<string, string>): void {
  for (const [id, { Properties = {} }] of plain.ofType("AWS::Lambda::EventSourceMapping")) {
    const { FunctionName: called, EventSourceArn: from = null, ...same } = Properties;
    const owner = plain.calledBy(called, renamed);
    const sent = refersTo(from, plain.ids());
    const kind = KINDS[sent === null ? "" : (plain.typeOf(sent) ?? "")];
    if (owner === null || kind === undefined) continue;
    const [Type, key] = kind;
    plain.addEvent(owner, id, { Type, Properties: { ...same, [key]: from } });
    renamed.set(id, `${owner}${id}`);
    plain.drop(id);
  }
}

const KINDS: { readonly [type: string]: readonly [Type: string, key: string] } = {
  "AWS::SQS::Queue": ["SQS", "Queue"],
  "AWS::Kinesis::Stream": ["Kinesis", "Stream"],
};
