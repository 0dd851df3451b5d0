// The page's script: draws the charts from the data in the page, in the colours of its theme.
import type { ChartData } from "../chart-data.ts";
import { drawCurves } from "./curves.ts";
import { page, setPrintWidth } from "./drawing.ts";
import { drawTimeline } from "./timeline.ts";

/** A4 less its margins, at 96 dots per inch. */
const PAPER_WIDTH = 660;

function start(): void {
  const { document } = page;
  const data = JSON.parse(document.getElementById("chart-data")?.textContent ?? "{}") as ChartData;
  const choice = document.getElementById("group");
  const drawAll = () => {
    drawTimeline(data, Number(choice?.value ?? 0));
    drawCurves(data);
  };
  choice?.addEventListener("change", drawAll);
  page.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  page.addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    drawAll();
    setPrintWidth(PAPER_WIDTH);
  });
  page.addEventListener("afterprint", () => {
    delete document.documentElement.dataset.theme;
    drawAll();
  });
  drawAll();
}

start();
