// The style of the page: one calm column, figures of equal width, light and dark, and paper.

const LIGHT = `
--paper:#f7f8f9;--surface:#fff;--ink:#1a1f26;--muted:#596573;--line:#dfe3e8;--grid:#eceff2;
--edge:#9aa5b1;--accent:#1f5fbf;--soft:#f1f3f6;
--pass:#16734a;--fail:#bf2b2b;--inconclusive:#8a5a00;--invalid:#6d3fa8;
--pass-soft:#e8f4ee;--fail-soft:#fbecec;--inconclusive-soft:#fbf3e0;--invalid-soft:#f2ecfa;
--fault:#c2571a;--fault-text:#a34412;
--c-ok:#8fb8d8;--c-degraded:#e6c65c;--c-throttled:#e58f3a;--c-errored:#cf4f4f;
--c-unknown:#8d5fbf;--c-dropped:#9aa1aa;--c-planned:#1a1f26;--c-attempts:#7a1f5c;
--c-p50:#7fb0dc;--c-p95:#2f78bf;--c-p99:#123f7a;--c-cold:#d2691e;
--c-flight:#2b7f77;--c-flight-area:#2b7f7726;
--s-warm:#2f78bf;--s-warm-area:#2f78bf2e;--s-cold:#d2691e;--s-cold-area:#d2691e2e;
--s-provisioned:#2b7f77;--s-provisioned-area:#2b7f772e;--s-all:#44505e;--s-all-area:#44505e26;
--run-a:#b3641a;--run-a-area:#b3641a2b;--run-b:#1f5fbf;--run-b-area:#1f5fbf2b;`;

const DARK = `
--paper:#0f1216;--surface:#171b21;--ink:#e6eaef;--muted:#9ba7b4;--line:#2a313a;--grid:#232a32;
--edge:#5d6875;--accent:#7fb2f5;--soft:#1e242b;
--pass:#58c795;--fail:#ff8079;--inconclusive:#e5b64b;--invalid:#c4a1f5;
--pass-soft:#14271f;--fail-soft:#2e1919;--inconclusive-soft:#2a2312;--invalid-soft:#241b33;
--fault:#f0924f;--fault-text:#f5a66f;
--c-ok:#3f6e93;--c-degraded:#b79a36;--c-throttled:#d98436;--c-errored:#dd5f5f;
--c-unknown:#a680d6;--c-dropped:#737d88;--c-planned:#e6eaef;--c-attempts:#e08cc4;
--c-p50:#3f6e93;--c-p95:#6aa5e0;--c-p99:#c3defa;--c-cold:#f29a55;
--c-flight:#5bbcb2;--c-flight-area:#5bbcb22e;
--s-warm:#6aa5e0;--s-warm-area:#6aa5e033;--s-cold:#f29a55;--s-cold-area:#f29a5533;
--s-provisioned:#5bbcb2;--s-provisioned-area:#5bbcb233;--s-all:#b5c0cc;--s-all-area:#b5c0cc26;
--run-a:#f0a35f;--run-a-area:#f0a35f33;--run-b:#7fb2f5;--run-b-area:#7fb2f533;`;

const PAGE = `
*{box-sizing:border-box}
html{color-scheme:light dark;scroll-behavior:smooth;scroll-padding-top:16px;
-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 24px 64px}
code,pre{font:0.92em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;letter-spacing:-.015em;margin:2px 0 18px;font-weight:650;
overflow-wrap:anywhere}
h2{font-size:1.15rem;line-height:1.3;letter-spacing:-.005em;margin:0 0 14px;font-weight:650}
h3{font-size:.95rem;margin:14px 0 6px;font-weight:650}
p{margin:0 0 8px}
small{display:block;color:var(--muted);font-size:.82rem;font-weight:400;line-height:1.4}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px;top:8px;background:var(--surface);padding:8px 12px;z-index:9}
.skip:focus{left:8px}
.muted{color:var(--muted)}.bad{color:var(--fail)}
section{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:20px 22px;
margin:16px 0}
nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin:18px 0 4px;font-size:.88rem}
nav a{text-decoration:none;padding:4px 0}
nav a:hover{text-decoration:underline}
.note{color:var(--muted);font-size:.84rem;max-width:78ch;margin:12px 0 0}
`;

const BANNER = `
.eyebrow{color:var(--muted);font-size:.86rem;margin:0;display:flex;flex-wrap:wrap;gap:0 16px}
.alarm{background:var(--fail-soft);border:1px solid var(--fail);border-radius:10px;
padding:12px 16px;margin:0 0 18px}
.alarm strong{color:var(--fail);margin-right:6px}.alarm p:last-child{margin:0}
.verdict{display:grid;grid-template-columns:auto 1fr;gap:4px 22px;align-items:baseline;
border-radius:10px;padding:18px 22px;border:1px solid var(--line);border-left-width:6px}
.verdict p{margin:0}
.verdict .word{font-size:1.25rem;font-weight:750;letter-spacing:.03em;white-space:nowrap}
.verdict .reason{font-size:1.06rem;font-weight:550;overflow-wrap:anywhere}
.verdict .change{color:var(--muted);margin-top:4px}
.verdict.pass{background:var(--pass-soft);border-color:var(--pass)}
.verdict.fail{background:var(--fail-soft);border-color:var(--fail)}
.verdict.inconclusive{background:var(--inconclusive-soft);border-color:var(--inconclusive)}
.verdict.invalid{background:var(--invalid-soft);border-color:var(--invalid)}
.pass .word,.mark.pass{color:var(--pass)}.fail .word,.mark.fail{color:var(--fail)}
.inconclusive .word,.mark.inconclusive{color:var(--inconclusive)}
.invalid .word{color:var(--invalid)}.mark.invalid{color:var(--muted)}
.again{font-size:.84rem;color:var(--muted);margin:12px 0 0;display:flex;flex-wrap:wrap;
gap:2px 16px;align-items:baseline}
.again code{color:var(--ink)}
`;

const TABLES = `
.scroll{overflow-x:auto;margin:0 -6px;padding:0 6px}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--muted);font-size:.82rem;padding:0 0 6px}
th,td{text-align:left;padding:8px 10px;border-bottom:1px solid var(--line);vertical-align:top}
thead th{font-size:.76rem;font-weight:600;color:var(--muted);padding-top:4px;padding-bottom:6px;
vertical-align:bottom;white-space:nowrap}
tbody th{font-weight:500}
tbody tr:last-child>*{border-bottom:0}
th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}
.n{text-align:right;white-space:nowrap}
.criteria tbody th{min-width:250px;width:40%}
.what{display:grid;grid-template-columns:18px 1fr;gap:0 4px}
.mark{font-weight:700}
.chip{display:inline-block;font-size:.7rem;font-weight:600;letter-spacing:.02em;color:var(--muted);
border:1px solid var(--line);border-radius:99px;padding:0 7px;vertical-align:1px}
td b{font-weight:620}
.bullet{display:block;margin-top:1px}
.bullet .track{fill:var(--soft)}.bullet .zone{fill:var(--fail);opacity:.16}
.bullet .limit{stroke:var(--ink);stroke-width:1.5}
.bullet .interval{fill:var(--muted)}.bullet .dot{fill:var(--muted);stroke:var(--surface)}
.bullet .pass{fill:var(--pass)}.bullet .fail{fill:var(--fail)}
.bullet .inconclusive{fill:var(--inconclusive)}.bullet .amount{fill:var(--accent)}
.compare .word{font-weight:600}.compare .muted .word{color:var(--muted);font-weight:400}
section>.scroll+.scroll{margin-top:22px}
.runs{margin:14px 0 0;display:grid;gap:4px;font-size:.86rem}
.runs div{display:grid;grid-template-columns:auto 1fr;gap:0 12px;align-items:baseline}
.runs dd{margin:0;display:flex;flex-wrap:wrap;gap:0 16px;color:var(--muted)}
.side{display:inline-block;min-width:1.5em;text-align:center;border-radius:5px;font-weight:700;
color:var(--surface)}
.side.a{background:var(--run-a)}.side.b{background:var(--run-b)}
.start{white-space:nowrap}
.start::before{content:"";display:inline-block;width:8px;height:8px;border-radius:50%;
margin-right:7px;background:var(--s-all)}
.start.cold::before{background:var(--s-cold)}.start.warm::before{background:var(--s-warm)}
.start.provisioned::before{background:var(--s-provisioned)}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));
gap:22px 36px;align-items:start;margin-top:18px}
.note+.columns,h2+.columns{margin-top:0}.note+.columns{margin-top:20px}
.note+.scroll{margin-top:20px}
.columns>*{min-width:0}
`;

const PIECES = `
.checks{list-style:none;margin:0;padding:0;display:grid;gap:14px 24px;
grid-template-columns:repeat(auto-fill,minmax(190px,1fr))}
.checks li{display:grid;align-content:start;border-left:3px solid var(--line);padding-left:12px}
.checks .bad{border-color:var(--fail)}.checks .tick{color:var(--pass);font-weight:700}
.checks .bad .tick{color:var(--fail)}
.checks .name{font-size:.82rem;color:var(--muted)}
.checks .value{font-size:1.12rem;font-weight:620;font-variant-numeric:tabular-nums}
.checks .detail{font-size:.8rem;color:var(--muted);line-height:1.35}
.facts{display:flex;flex-wrap:wrap;gap:10px 34px;margin:0 0 18px}
.facts dt{font-size:.82rem;color:var(--muted)}
.facts dd{margin:0;font-size:1.12rem;font-weight:620;font-variant-numeric:tabular-nums}
.chart{margin:0 0 10px}
figcaption{font-size:.88rem;margin:0 0 4px}
figcaption span{color:var(--muted);font-size:.84rem;margin-left:6px}
.plot{min-height:60px;border-radius:6px}
.legend{list-style:none;margin:0 0 4px;padding:0;display:flex;flex-wrap:wrap;gap:2px 16px;
font-size:.8rem;color:var(--muted)}
.legend li{display:flex;align-items:center;gap:6px}
.swatch{width:14px;height:0;border-top:2px solid currentColor}
.swatch.dash{border-top-style:dashed}
.swatch.area{width:11px;height:11px;border:0;border-radius:2px;background:currentColor}
.swatch.ring{width:9px;height:9px;border:2px solid currentColor;border-radius:50%}
.readout{min-height:1.35em;font-size:.82rem;margin:2px 0 0;font-variant-numeric:tabular-nums}
.hint{margin:-6px 0 18px}
.choice{font-size:.86rem}
select{font:inherit;color:inherit;background:var(--surface);border:1px solid var(--line);
border-radius:6px;padding:4px 8px}
.cards{display:grid;gap:24px}.card{min-width:0}
.card h3{margin-top:0}.card h3 small{display:inline;margin-left:6px}
.steps{list-style:none;margin:14px 0 10px;padding:0;display:grid;gap:12px 0;
grid-template-columns:repeat(auto-fit,minmax(138px,1fr))}
.steps li{position:relative;padding:16px 10px 0 0;border-top:2px solid var(--line)}
.steps li::before{content:"";position:absolute;left:0;top:-6px;width:8px;height:8px;
border-radius:50%;background:var(--surface);border:1px solid var(--line)}
.steps .done{border-color:var(--accent)}
.steps .done::before{background:var(--accent);border-color:var(--accent)}
.steps .missing .at{color:var(--muted)}
.steps .name{display:block;font-size:.82rem;color:var(--muted)}
.steps .at{font-size:1.05rem;font-weight:620;font-variant-numeric:tabular-nums}
.fault-bar{display:block;width:100%;max-width:620px;height:14px;margin:2px 0 8px}
.fault-bar rect,.fault-bar path{fill:var(--fault);opacity:.35}.fault-bar .acting{opacity:.9}
.fault-bar .unsteady{fill:var(--inconclusive);opacity:.7}
.effect{font-size:.9rem;margin:0 0 4px}
details{border-top:1px solid var(--line);padding:10px 0}
details:first-of-type{border-top:0}
summary{cursor:pointer;font-weight:560}
details>*:not(summary){margin-top:10px}
pre{background:var(--soft);border-radius:6px;padding:10px 12px;overflow-x:auto;margin:0}
details li{margin:0 0 6px;max-width:82ch}
.files div{display:grid;grid-template-columns:minmax(0,280px) 1fr;gap:2px 16px;padding:3px 0}
.files dt{font:0.86em/1.6 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.files dd{margin:0;color:var(--muted)}
.u-select{background:var(--accent);opacity:.14}
.u-cursor-x{border-right:1px dashed var(--edge)!important}
`;

const NARROW = `
@media (max-width:640px){
main{padding:18px 12px 48px}section{padding:16px 14px}h1{font-size:1.35rem}
.verdict{grid-template-columns:1fr;padding:14px 16px}.verdict .word{white-space:normal}
.columns{grid-template-columns:1fr}.files div{grid-template-columns:1fr}
figcaption span{display:block;margin:0}
.criteria thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.criteria,.criteria caption,.criteria tbody{display:block}
.criteria tr{display:grid;grid-template-columns:1.3fr .8fr 1.25fr .75fr;gap:2px 10px;padding:12px 0;
border-bottom:1px solid var(--line)}
.criteria tr:last-child{border:0}
.criteria th,.criteria td{border:0;padding:0;text-align:left;white-space:normal}
.criteria tbody th{grid-column:1/-1;min-width:0;width:auto;padding-bottom:6px}
.criteria td::before{content:attr(data-label);display:block;color:var(--muted);font-size:.74rem}
.criteria td:nth-child(5){order:1;grid-column:1/-1;padding-top:6px}
.criteria td:nth-child(5)::before{content:none}.bullet{width:100%;height:auto;max-width:180px}
.compare thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.compare,.compare caption,.compare tbody{display:block}
.compare tr{display:grid;grid-template-columns:repeat(3,1fr);gap:2px 10px;padding:10px 0;
border-bottom:1px solid var(--line)}
.compare tr:last-child{border:0}
.compare th,.compare td{border:0;padding:0;text-align:left;white-space:normal}
.compare td:nth-child(n+4)::before{content:attr(data-label);display:block;color:var(--muted);
font-size:.74rem}
.compare td:nth-child(7){display:none}.compare td:nth-child(8){grid-column:1/3}
.compare td:nth-child(8)::before{content:none!important}
}`;

const PAPER = `
@media print{
body{background:#fff;font-size:11pt}main{max-width:none;padding:0}
section{border:0;border-top:1px solid var(--line);border-radius:0;padding:14px 0;margin:10px 0}
nav,.skip,.hint,.readout,.choice{display:none}
.scroll{overflow:visible}table{font-size:8.5pt}th,td{padding:4px 6px}
.criteria tbody th{min-width:0}.steps{grid-template-columns:repeat(7,1fr)}
figure,tr,.card,.checks li,.verdict{break-inside:avoid}h2{break-after:avoid}
.verdict,.bullet,.fault-bar,.swatch,.start::before{-webkit-print-color-adjust:exact;
print-color-adjust:exact}
details::details-content{content-visibility:visible;display:block}
}`;

/** Everything after the chart library's own style. */
export const STYLE = [
  `:root{${LIGHT}}`,
  `@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}`,
  `:root[data-theme=light]{color-scheme:light}`,
  ...[PAGE, BANNER, TABLES, PIECES, NARROW, PAPER],
].join("\n");
