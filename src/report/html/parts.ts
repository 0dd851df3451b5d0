// Pieces that several sections share: sections, tables that scroll by themselves, verdict marks.
import type { VerdictName } from "../../core/verdict.ts";
import { CRITERION_VERDICTS } from "../labels.ts";
import { html, type Markup, type Part } from "./markup.ts";

/** The mark is decoration; the word is read aloud. */
export function verdictMark(verdict: VerdictName): Markup {
  const { word, mark } = CRITERION_VERDICTS[verdict];
  return html`<span class="mark ${verdict}"><span aria-hidden="true">${mark}</span><span
 class="sr">${word.toLowerCase()}</span></span>`;
}

export function section(id: string, title: string, ...body: readonly Part[]): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

export interface Column {
  readonly title: string;
  /** Numbers are aligned to the right, with figures of equal width. */
  readonly number?: boolean;
}

/** The first cell of a row names it. A wide table scrolls in its own box, by keyboard as well. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Part[])[],
  style = "",
): Markup {
  const numbered = (i: number) => columns[i]?.number === true && html` class="n"`;
  const head = columns.map(({ title }, i) => html`<th scope="col"${numbered(i)}>${title}</th>`);
  const body = rows.map(
    (row) => html`<tr>${row.map((cell, i) => {
      if (i === 0) return html`<th scope="row"${numbered(i)}>${cell}</th>`;
      return html`<td${numbered(i)} data-label="${columns[i]!.title}">${cell}</td>`;
    })}</tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table
 class="${style}"><caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody></table></div>
`;
}

/** Terms with their values, as a strip of cells. */
export function facts(items: readonly (readonly [string, Part])[]): Markup {
  return html`<dl class="facts">${items.map(
    ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`,
  )}</dl>
`;
}
