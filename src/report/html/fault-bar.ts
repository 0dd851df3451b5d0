// A fault from asking to recovery as one bar, true to time; open at its end where none was seen.
import type { FaultResult, Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";

const WIDTH = 600;
const HEIGHT = 14;

interface Piece {
  readonly look: "coming" | "acting" | "going" | "unsteady";
  readonly fromUs: number;
  readonly toUs: number;
}

/** Decoration: the steps above it say the same. */
export function faultBar(fault: FaultResult, { drawn }: Report): Part {
  const { askedUs } = fault;
  if (askedUs === null) return null;
  const { pieces, open } = piecesOf(fault, drawn.faultEffects[fault.name]!.recovery, askedUs);
  const endUs = Math.max(askedUs + 1, ...pieces.map(({ toUs }) => toUs));
  const x = (us: number): number =>
    Math.round(((us - askedUs) / (endUs - askedUs)) * (WIDTH - 16) * 10) / 10;
  const drawnPieces = pieces.map(({ look, fromUs, toUs }): Markup => {
    const width = Math.max(1, x(toUs) - x(fromUs));
    return html`<rect class="${look}" x="${x(fromUs)}" y="3" width="${width}" height="8"/>`;
  });
  const arrow = open && html`<path class="unsteady" d="M${x(endUs)} 0l12 7l-12 7z"/>`;
  return html`<svg class="fault-bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"
 preserveAspectRatio="none">${drawnPieces}${arrow}</svg>`;
}

/** `open`: it was not over when the run was. */
function piecesOf(
  { onsetUs, restoreAskedUs, clearedUs }: FaultResult,
  recovery: Report["drawn"]["faultEffects"][string]["recovery"],
  askedUs: number,
): { readonly pieces: readonly Piece[]; readonly open: boolean } {
  const pieces: Piece[] = [];
  let fromUs = askedUs;
  const until = (look: Piece["look"], toUs: number | null): void => {
    if (toUs === null || toUs < fromUs) return;
    pieces.push({ look, fromUs, toUs });
    fromUs = toUs;
  };
  until("coming", onsetUs);
  until(onsetUs === null ? "coming" : "acting", restoreAskedUs);
  until("going", clearedUs);
  if (recovery !== null) until("unsteady", fromUs + (recovery.us ?? recovery.observedUs));
  return { pieces, open: clearedUs === null || (recovery !== null && recovery.us === null) };
}
