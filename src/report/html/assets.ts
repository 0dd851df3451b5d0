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

const script = (name: string): URL => builtFile(`./page/${name}.js`, import.meta.url);

/** In the order in which they use each other; joined to one module, they need no imports. */
const SHARED = ["drawing", "marks", "time-axis", "curves", "occasions"].map(script);
const SCRIPTS = {
  report: [...SHARED, script("timeline"), script("start")],
  compare: [...SHARED, script("overlay"), script("start-compare")],
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
