// Access-log lines as CloudWatch Logs hands them out: behind stamps and streams, or as JSON text.
import { isText, parseJson } from "./json.ts";

/** `aws logs tail` and exports to S3: a stamp, perhaps the stream's name, then the line. */
const STAMPED = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)? (?:\S+ )?(?=\{)/;
/** `aws logs filter-log-events`, or get-log-events, as it prints an event's message. */
const MESSAGE = /^\s*"message": (".*"),?$/;
/** All else that they print: braces, other members of an event, the token, searched streams. */
const AROUND = /^\s*(?:[[\]{}]+,?|"\w+": (?:[[{][\]}]?|".*"|\d+|true|false|null),?|"[^"]*",?)$/;

/** The line that was logged; null where the output of the command line has none; else `line`. */
export function loggedLine(line: string): string | null {
  const stamped = STAMPED.exec(line);
  if (stamped !== null) return line.slice(stamped[0].length);
  const message = MESSAGE.exec(line)?.[1];
  if (message !== undefined) {
    const text = parseJson(message);
    return isText(text) ? text.trim() : line;
  }
  return AROUND.test(line) ? null : line;
}
