// The script of a comparison's page: draws both runs from the data in the page.
import type { CompareData } from "../compare-data.ts";
import { page } from "./drawing.ts";
import { whenever } from "./occasions.ts";
import { drawOverlay, drawOverlayCurves } from "./overlay.ts";

function startCompare(): void {
  const { document } = page;
  const data = JSON.parse(
    document.getElementById("chart-data")?.textContent ?? "{}",
  ) as CompareData;
  whenever((which) => {
    drawOverlay(data, which);
    drawOverlayCurves(data);
  });
}

startCompare();
