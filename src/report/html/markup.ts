// HTML from template literals: every value is escaped, unless it is markup already.

/** Text that is already HTML; made by `html` alone. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | null | false | readonly Part[];

const ESCAPES: { readonly [char: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters have no place in HTML; they are shown as U+FFFD. */
export function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (char) => ESCAPES[char]!)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Cs}/gu, "\ufffd")
      // Characters that turn the direction of text can make a line say what it does not.
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
  );
}

/** `html\`<td>${name}</td>\``; null and false print nothing, lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, i) => text + (i < parts.length ? textOf(parts[i]!) : "")).join(""),
  );
}

function textOf(part: Part): string {
  if (part === null || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "string") return escaped(part);
  if (typeof part === "number") return String(part);
  return part.map(textOf).join("");
}

/** JSON inside a script element: `</script>` and `<!--` cannot appear in it. */
export function jsonScript(id: string, value: unknown): Markup {
  const json = JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
  return new Markup(`<script type="application/json" id="${id}">${json}</script>`);
}
