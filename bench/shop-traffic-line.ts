// Writes one line of an Application Load Balancer's access log about an invented shop.
import type { Rng } from "../src/core/rng.ts";

export interface ShopRequest {
  readonly method: string;
  /** As logged, escapes included. */
  readonly path: string;
  readonly status: number;
  readonly type?: "https" | "wss";
}

/** Method of a request so malformed that the load balancer logs none. */
export const WITHOUT_METHOD = "-";

/** Monday morning, UTC, µs since 1970. */
const START_US = Date.UTC(2026, 8, 7, 9, 30) * 1_000;
const SHOPPERS = 240;
const ELB = "app/shop/50dc6c495c0c9188";
const GROUP =
  "arn:aws:elasticloadbalancing:eu-west-1:222222222222:targetgroup/shop/73e2d6bc24d8a067";
const CERTIFICATE =
  "arn:aws:acm:eu-west-1:222222222222:certificate/12345678-1234-1234-1234-123456789012";
const AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
  "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
  "ShopApp/7.3 (Android 16; \\x22Pixel\\x22)",
  "-",
];

/** Every field of the format, and the connection's trace id that newer lines end with. */
export function shopLine(
  request: ShopRequest,
  atUs: number,
  rng: Rng,
): { readonly line: string; readonly doneUs: number } {
  const malformed = request.method === WITHOUT_METHOD;
  const gone = malformed || request.status === 460;
  const type = request.type ?? "https";
  const shopper = Math.floor(rng.next() * SHOPPERS);
  const client = `198.51.100.${1 + (shopper % 250)}:${32768 + Math.floor(rng.next() * 28_000)}`;
  const targetSeconds =
    request.method === "POST" ? 0.04 + rng.next() * 0.09 : 0.004 + rng.next() / 50;
  const times = gone ? "-1 -1 -1" : `0.001 ${targetSeconds.toFixed(3)} 0.000`;
  const doneUs = START_US + atUs + Math.round((gone ? 0.002 : targetSeconds + 0.001) * 1e6);
  const agent = malformed ? "-" : (AGENTS[shopper % AGENTS.length] ?? "-");
  const trace = hex(rng, 24);
  const statuses = `${request.status} ${gone ? "-" : request.status}`;
  const received = request.method === "POST" ? 380 + Math.floor(rng.next() * 90) : 130;
  const fields = [
    `${type} ${stamp(doneUs)} ${ELB} ${client} - ${times} ${statuses} ${received}`,
    `${request.method === "HEAD" ? 190 : 420 + Math.floor(rng.next() * 900)}`,
    `"${requestOf(request, type)}" "${agent}"`,
    malformed ? "- -" : "ECDHE-RSA-AES128-GCM-SHA256 TLSv1.3",
    `${malformed ? "-" : GROUP} "Root=1-${trace.slice(0, 8)}-${hex(rng, 24)}"`,
    malformed ? '"-" "-" -' : `"shop.example" "${CERTIFICATE}" 0`,
    `${stamp(START_US + atUs)} "${malformed ? "-" : "forward"}" "-" "-" "-"`,
    `"${gone ? "-" : request.status}" "-" "-" TID_${hex(rng, 32)}`,
  ];
  return { line: fields.join(" "), doneUs: doneUs - START_US };
}

function requestOf({ method, path }: ShopRequest, type: string): string {
  if (method === WITHOUT_METHOD) return path === "" ? "- - - " : `- ${path} `;
  return `${method} ${type}://shop.example:443${path} HTTP/1.1`;
}

/** ISO 8601 with µs, as the load balancer writes it. */
function stamp(us: number): string {
  const iso = new Date(Math.floor(us / 1_000)).toISOString().slice(0, 23);
  return `${iso}${String(us % 1_000).padStart(3, "0")}Z`;
}

function hex(rng: Rng, digits: number): string {
  let text = "";
  while (text.length < digits)
    text += Math.floor(rng.next() * 4_294_967_296)
      .toString(16)
      .padStart(8, "0");
  return text.slice(0, digits);
}
