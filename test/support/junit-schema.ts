// Checks a JUnit file against the rules of junit-10.xsd, the schema that Jenkins publishes for it.

interface ElementRule {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Children allowed, in any order and number. */
  readonly children: readonly string[];
}

const RESULT = { required: [], optional: ["message", "type"], children: [] };

/** Elements and attributes of the schema that a report may use. */
const RULES: { readonly [element: string]: ElementRule } = {
  testsuites: {
    required: [],
    optional: ["name", "time", "tests", "failures", "disabled", "errors"],
    children: ["testsuite"],
  },
  testsuite: {
    required: ["name", "tests"],
    optional: [
      ...["failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id"],
      ...["package", "file", "log", "url", "version"],
    ],
    children: ["testsuite", "properties", "testcase", "system-out", "system-err"],
  },
  properties: { required: [], optional: [], children: ["property"] },
  property: { required: ["name", "value"], optional: [], children: [] },
  testcase: {
    required: ["name", "classname"],
    optional: ["time", "group"],
    children: ["skipped", "error", "failure", "system-out", "system-err"],
  },
  failure: RESULT,
  error: RESULT,
  skipped: RESULT,
};

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
}

const TAG = /<(\/?)([\w-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:-]+)="([^"<]*)"/g;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are forbidden
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u;

/** Every rule that is broken, as a sentence; empty for a valid file. */
export function junitComplaints(xml: string): string[] {
  if (FORBIDDEN.test(xml)) return ["it holds a character that XML forbids"];
  if (ENTITY.test(xml)) return ["an ampersand is not escaped"];
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  if (body === xml) return ["the declaration is missing"];
  const parsed = treeOf(body);
  if (typeof parsed === "string") return [parsed];
  return [...complaintsOf(parsed), ...countsOff(parsed)];
}

function treeOf(xml: string): Element | string {
  const top: Element = { name: "", attributes: new Map(), children: [] };
  const open = [top];
  const rest = xml.replace(TAG, (_, end: string, name: string, text: string, empty: string) => {
    if (end !== "") {
      const closed = open.pop();
      return closed?.name === name ? "" : `</${name}> closes nothing`;
    }
    const attributes = new Map(
      [...text.matchAll(ATTRIBUTE)].map(([, key, value]) => [key!, value!]),
    );
    const element: Element = { name, attributes, children: [] };
    open.at(-1)!.children.push(element);
    if (empty === "") open.push(element);
    return "";
  });
  if (rest.trim() !== "") return `not well-formed: ${rest.trim().slice(0, 60)}`;
  if (open.length !== 1) return `<${open.at(-1)!.name}> is not closed`;
  return top.children.length === 1 ? top.children[0]! : "it has not one element on top";
}

function complaintsOf({ name, attributes, children }: Element): string[] {
  const rule = RULES[name];
  if (rule === undefined) return [`<${name}> is not of the schema`];
  const known = [...rule.required, ...rule.optional];
  return [
    ...rule.required.filter((key) => !attributes.has(key)).map((key) => `<${name}> lacks ${key}`),
    ...[...attributes.keys()]
      .filter((key) => !known.includes(key))
      .map((key) => `<${name}> may not have ${key}`),
    ...children
      .filter((child) => !rule.children.includes(child.name))
      .map((child) => `<${child.name}> may not stand in <${name}>`),
    ...children.flatMap(complaintsOf),
  ];
}

/** The sums in the head are those of the cases. */
function countsOff({ children }: Element): string[] {
  return children.flatMap((suite) => {
    const cases = suite.children.filter(({ name }) => name === "testcase");
    const having = (tag: string) =>
      cases.filter((one) => one.children.some(({ name }) => name === tag)).length;
    const expected: readonly (readonly [string, number])[] = [
      ["tests", cases.length],
      ["failures", having("failure")],
      ["errors", having("error")],
      ["skipped", having("skipped")],
    ];
    return expected
      .filter(([key, count]) => suite.attributes.get(key) !== String(count))
      .map(([key, count]) => `${key} is ${suite.attributes.get(key)}, there are ${count}`);
  });
}
