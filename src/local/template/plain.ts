// Plain CloudFormation, as the CDK writes it, in the words of SAM that this folder reads.
import type { Frame } from "./frame.ts";
import { samHttpApis } from "./plain-apis.ts";
import { samFunctions } from "./plain-functions.ts";
import { Plain } from "./plain-references.ts";
import { samRestApis } from "./plain-rest-apis.ts";
import type { TemplateSource } from "./read-yaml.ts";

/** Throws a `scenario` error with the line of what has no counterpart. */
export function inSamWords(frame: Frame, source: TemplateSource): Frame {
  const plain = new Plain(frame);
  const renamed = samFunctions(plain, source);
  samHttpApis(plain, renamed, source);
  const stages = samRestApis(plain, renamed, source);
  return plain.frame(frame, new Map([...renamed, ...stages]));
}
