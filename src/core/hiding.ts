// Keeps what may be secret out of every text that is written or printed.

export type Hide = (text: string) => string;

const HIDDEN = "…";
/** Shorter values would blot out half of a text, and are no secrets. */
const LENGTH_MIN = 4;

/** Puts `…` in place of each value: as it is, as JSON writes it, and as a URL does. */
export function hiding(values: readonly string[]): Hide {
  const forms = values
    .filter((value) => value.length >= LENGTH_MIN)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    .sort((a, b) => b.length - a.length);
  const distinct = [...new Set(forms)];
  return (text) => distinct.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
}

/** A URL without user, password and the values of its query; other text stays as it is. */
export function shownUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const plain = text.replace(/\/\/[^/?#@\s]*@/, `//${HIDDEN}@`);
  const mark = plain.indexOf("?");
  if (mark < 0) return plain;
  const query = plain.slice(mark).replace(/=(?!\{\{)[^&#]*/g, `=${HIDDEN}`);
  return plain.slice(0, mark) + query;
}

const SECRET_OPTION = /^--?(?:header|body|token|auth|user|cookie|H|d)(?:=|$)/;

/** The words of a command line as they may be kept: values that may be secret are left out. */
export function shownCommand(words: readonly string[]): string[] {
  let isValue = false;
  return words.map((word) => {
    if (isValue) {
      isValue = false;
      return shownValue(word);
    }
    if (!SECRET_OPTION.test(word)) return shownUrl(word);
    const mark = word.indexOf("=");
    isValue = mark < 0;
    return isValue ? word : `${word.slice(0, mark + 1)}${shownValue(word.slice(mark + 1))}`;
  });
}

/** A header keeps its name, and its value where that is a reference. */
function shownValue(text: string): string {
  const [, name, value = ""] = /^([\w-]+:)\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined) return HIDDEN;
  return /^\{\{\s*(?:env|secret)\.[^{}]+\}\}$/.test(value) ? text : `${name} ${HIDDEN}`;
}
