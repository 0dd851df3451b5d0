// What the page carries inside itself: the chart library, and our own script that draws with it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { builtFile } from "../../core/built-file.ts";

export interface Assets {
  readonly chartLibrary: string;
  readonly chartStyle: string;
  readonly pageScript: string;
}

/** Read from the installed package and from our build; nothing is ever fetched. */
export function readAssets(page: keyof typeof SCRIPTS): Assets {
  const require = createRequire(import.meta.url);
  const read = (file: string) => readFileSync(require.resolve(file), "utf8");
  return {
    chartLibrary: inline(read("uplot/dist/uPlot.iife.min.js")),
    chartStyle: read("uplot/dist/uPlot.min.css").trim(),
    pageScript: inline(SCRIPTS[page].map(ownScript).join("\n")),
  };
}

/** In the order in which they use each other; joined to one module, they need no imports. */
const SHARED = [
  builtFile("./page/drawing.js", import.meta.url),
  builtFile("./page/marks.js", import.meta.url),
  builtFile("./page/time-axis.js", import.meta.url),
  builtFile("./page/curves.js", import.meta.url),
  builtFile("./page/occasions.js", import.meta.url),
];
const SCRIPTS = {
  report: [
    ...SHARED,
    builtFile("./page/timeline.js", import.meta.url),
    builtFile("./page/shards.js", import.meta.url),
    builtFile("./page/start.js", import.meta.url),
  ],
  compare: [
    ...SHARED,
    builtFile("./page/overlay.js", import.meta.url),
    builtFile("./page/start-compare.js", import.meta.url),
  ],
};

function ownScript(file: URL): string {
  return readFileSync(file, "utf8")
    .replace(/^import [^;]*;\n/gm, "")
    .replace(/^export \{\};\n/gm, "")
    .replace(/^export (?=const|function)/gm, "");
}

/** Without the map, which would be looked for beside the page, and unable to end its element. */
function inline(script: string): string {
  return script
    .replace(/^\/\/# sourceMappingURL=.*$/gm, "")
    .replaceAll("</script", "<\\/script")
    .trim();
}
