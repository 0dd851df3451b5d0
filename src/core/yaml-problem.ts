// The one sentence about a YAML file that cannot be read; what follows from it is not said.

/** The part that is needed of the errors that the YAML library lists. */
export interface YamlError {
  readonly code: string;
  readonly message: string;
  /** Offsets into the text. */
  readonly pos: readonly [number, number];
}

export interface YamlProblem {
  readonly message: string;
  readonly offset: number;
}

/** Null when the text is YAML: then `errors` is empty and no zero byte is in it. */
export function yamlProblem(text: string, errors: readonly YamlError[]): YamlProblem | null {
  const zero = text.indexOf("\0");
  if (zero >= 0) return { message: "this is no text file (YAML, in UTF-8)", offset: zero };
  const [first] = errors;
  return first === undefined ? null : { message: sentence(text, first), offset: first.pos[0] };
}

function sentence(text: string, { code, message, pos }: YamlError): string {
  if (code === "MULTIPLE_DOCS") return "the file holds more than one document";
  const key = /^[^\s:]+/.exec(text.slice(pos[0]))?.[0];
  if (code === "DUPLICATE_KEY" && key !== undefined) return `key \`${key}\` is given a second time`;
  // The library repeats the place, and the lines there.
  return message.split("\n")[0]!.replace(/ at line \d.*/, "");
}
