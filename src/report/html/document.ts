// The frame of every page: one file whose policy lets it run its own scripts and fetch nothing.
import { createHash } from "node:crypto";
import type { Assets } from "./assets.ts";
import { html, jsonScript, Markup } from "./markup.ts";
import { STYLE } from "./style.ts";

export interface PageParts {
  readonly title: string;
  /** Id and text of the first link, for those who go by keyboard. */
  readonly skip: readonly [string, string];
  readonly body: Markup;
  /** What the page's script draws. */
  readonly data: unknown;
  readonly assets: Assets;
}

/** Only these very scripts and styles may run, and nothing may be fetched. */
function policyOf(scripts: readonly string[], style: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hash).join(" ")}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function documentOf({ title, skip, body, data, assets }: PageParts): string {
  const style = `${assets.chartStyle}\n${STYLE}`;
  const raw = (tag: string, text: string) => new Markup(`<${tag}>${text}</${tag.split(" ")[0]}>`);
  const policy = policyOf([assets.chartLibrary, assets.pageScript], style);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
${raw("style", style)}
</head>
<body>
<a class="skip" href="#${skip[0]}">${skip[1]}</a>
<main>
${body}
</main>
${jsonScript("chart-data", data)}
${raw("script", assets.chartLibrary)}
${raw('script type="module"', assets.pageScript)}
</body>
</html>
`;
  return page.text;
}
