// A ratio and its interval against 1, on a scale where twice and half are as far from it.
import { html, type Markup } from "./markup.ts";

const WIDTH = 120;
const HEIGHT = 16;
/** A fourth to fourfold; what lies beyond is drawn at the edge. */
const SPAN = 4;

export function ratioBar(
  {
    estimate,
    low,
    high,
  }: { readonly estimate: number; readonly low: number; readonly high: number },
  look: string,
): Markup {
  const at = (ratio: number): number => {
    const far = ratio <= 0 ? -1 : Math.log(ratio) / Math.log(SPAN);
    const place = Number.isNaN(far) ? 0 : Math.min(1, Math.max(-1, far));
    return Number((WIDTH / 2 + place * (WIDTH / 2 - 5)).toFixed(1));
  };
  const [left, right] = [at(low), at(high)];
  return html`<svg class="bullet ratio" width="${WIDTH}" height="${HEIGHT}"
 viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
<rect class="track" x="0" y="5" width="${WIDTH}" height="6" rx="3"/>
<rect class="interval" x="${left}" y="7" width="${Math.max(1, right - left)}" height="2"/>
<line class="limit" x1="${WIDTH / 2}" x2="${WIDTH / 2}" y1="1" y2="15"/>
<circle class="dot ${look}" cx="${at(estimate)}" cy="8" r="4"/></svg>`;
}
