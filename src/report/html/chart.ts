// The place of a chart in the page: its title, where it is drawn, what is under the cursor.
import { html, type Markup } from "./markup.ts";

/** Where script does not run, the table below says the same. */
export function chart(id: string, title: string, note: string): Markup {
  return html`<figure class="chart"><figcaption id="chart-${id}-title"><b>${title}</b>
<span>${note}</span></figcaption>
<div class="plot" id="chart-${id}" tabindex="0" role="group" aria-roledescription="chart"
 aria-labelledby="chart-${id}-title"></div>
<p class="readout" id="chart-${id}-readout" aria-live="polite"></p></figure>`;
}
