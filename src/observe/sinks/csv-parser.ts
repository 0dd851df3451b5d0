// CSV by RFC 4180, fed in pieces: quotes, doubled quotes, line ends within quotes, CRLF or LF.

/**
 * | state   | `"`                | `,`, line end      | other       |
 * |---------|--------------------|--------------------|-------------|
 * | start   | → quoted           | ends field, row    | → plain     |
 * | plain   | kept               | ends field, row    | kept        |
 * | quoted  | → closing          | kept               | kept        |
 * | closing | kept, → quoted     | ends field, row    | → plain     |
 */
type State = "start" | "plain" | "quoted" | "closing";

export class CsvParser {
  #state: State = "start";
  #field = "";
  #row: string[] = [];
  #rows: string[][] = [];

  /** Rows that are complete with this text; empty lines are none. */
  push(text: string): string[][] {
    let from = 0; // of the characters not yet in #field
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const ends = code === COMMA || code === NEWLINE;
      if (code !== QUOTE && (!ends || this.#state === "quoted")) {
        if (this.#state === "start" || this.#state === "closing") this.#state = "plain";
        continue;
      }
      if (code === QUOTE && this.#state === "plain") continue;
      this.#field += text.slice(from, i);
      from = i + 1;
      if (ends) this.#end(code === NEWLINE);
      else if (this.#state === "closing") {
        this.#field += '"';
        this.#state = "quoted";
      } else this.#state = this.#state === "quoted" ? "closing" : "quoted";
    }
    this.#field += text.slice(from);
    return this.#taken();
  }

  /** The last row, when it has no line end. */
  end(): string[][] {
    if (this.#field !== "" || this.#row.length > 0) this.#end(true);
    return this.#taken();
  }

  #end(row: boolean): void {
    const field = row && this.#field.endsWith("\r") ? this.#field.slice(0, -1) : this.#field;
    this.#field = "";
    this.#state = "start";
    if (!row || field !== "" || this.#row.length > 0) this.#row.push(field);
    if (!row || this.#row.length === 0) return;
    this.#rows.push(this.#row);
    this.#row = [];
  }

  #taken(): string[][] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

const QUOTE = 34;
const COMMA = 44;
const NEWLINE = 10;
