// The input of a universal target as an operation takes it.
import { invalid } from "./errors.ts";

/** Universal targets write acronyms as words, and know no other way to write them. */
const MEMBERS: { readonly [member: string]: string } = { Uuid: "UUID" };

/** Throws where a member is written as the API has it. */
export function operationInput(input: object): { readonly [member: string]: unknown } {
  const wrong = Object.keys(input).find((member) => Object.values(MEMBERS).includes(member));
  if (wrong !== undefined) throw invalid(`Parameter ${wrong} is not known.`);
  return Object.fromEntries(
    Object.entries(input).map(([member, value]) => [MEMBERS[member] ?? member, value]),
  );
}
