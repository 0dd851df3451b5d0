// The XML that the object store speaks: elements from plain values, and errors.
import type { AwsError } from "../aws-error.ts";
import type { WireAnswer } from "../wire/request.ts";

/** A list becomes an element for each of its values; null is left out. */
export interface XmlMembers {
  readonly [name: string]: XmlValue;
}
type XmlValue = string | number | boolean | null | XmlMembers | readonly XmlValue[];

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function xmlAnswer(root: string, members: XmlMembers): WireAnswer {
  const body = `${PROLOGUE}<${root} xmlns="${NAMESPACE}">${inner(members)}</${root}>`;
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

export function xmlError(error: AwsError, resource: string, requestId: string): WireAnswer {
  const { code, message, status, extra } = error;
  const place = { Resource: resource, RequestId: requestId };
  const members = { Code: code, Message: message, ...(extra as XmlMembers), ...place };
  const body = `${PROLOGUE}<Error>${inner(members)}</Error>`;
  return { status, headers: { "content-type": "application/xml" }, body };
}

function inner(members: XmlMembers): string {
  return Object.entries(members)
    .map(([name, value]) => elements(name, value))
    .join("");
}

function elements(name: string, value: XmlValue): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map((one) => elements(name, one)).join("");
  if (typeof value === "object") return `<${name}>${inner(value as XmlMembers)}</${name}>`;
  return `<${name}>${escaped(String(value))}</${name}>`;
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Control characters as references: a reader that wants none asks for `encoding-type=url`. */
function escaped(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
    /[&<>"\u0000-\u001f]/g,
    (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`,
  );
}

const REFERENCES: { readonly [name: string]: string } = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** The texts of all elements of a name, which hold no others. */
export function textsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, entity) => {
      if (entity !== undefined) return REFERENCES[entity] ?? all;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : all;
    }),
  );
}
