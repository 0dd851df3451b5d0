// The page's script: draws the charts from the data in the page, in the colours of its theme.
import type { ChartData } from "../chart-data.ts";
import { drawCurves } from "./curves.ts";
import { page } from "./drawing.ts";
import { whenever } from "./occasions.ts";
import { drawAge, drawShards } from "./shards.ts";
import { drawTimeline } from "./timeline.ts";

function start(): void {
  const { document } = page;
  const data = JSON.parse(document.getElementById("chart-data")?.textContent ?? "{}") as ChartData;
  whenever((which) => {
    drawTimeline(data, which);
    drawShards(data);
    drawAge(data);
    drawCurves(data);
  });
}

start();
