// When a page's charts are drawn: now, for another load, another theme, and for paper.
import { page, setPrintWidth } from "./drawing.ts";

/** A4 less its margins, at 96 dots per inch. */
const PAPER_WIDTH = 660;

/** Calls `drawAll` with the number of the load that is chosen. */
export function whenever(drawAll: (which: number) => void): void {
  const { document } = page;
  const choice = document.getElementById("group");
  const drawChosen = () => drawAll(Number(choice?.value ?? 0));
  choice?.addEventListener("change", drawChosen);
  page.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawChosen);
  page.addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    drawChosen();
    setPrintWidth(PAPER_WIDTH);
  });
  page.addEventListener("afterprint", () => {
    delete document.documentElement.dataset.theme;
    drawChosen();
  });
  drawChosen();
}
