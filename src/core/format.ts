// Numbers for people, always the same way: `1,234`, `12.5 ms`, `0.26 %`.

const NO_LOCALE = /\B(?=(\d{3})+(?!\d))/g;

/** 1234567 → `1,234,567`; decimals are kept to `digits`. */
export function formatNumber(value: number, digits = 0): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const [whole = "", fraction] = Math.abs(value).toFixed(digits).split(".");
  const sign = value < 0 && Number(value.toFixed(digits)) !== 0 ? "−" : "";
  const grouped = whole.replace(NO_LOCALE, ",");
  return fraction === undefined ? `${sign}${grouped}` : `${sign}${grouped}.${fraction}`;
}

/** µs → ms for people: whole from 100 ms, one decimal from 10, two below. */
export function formatMs(us: number): string {
  const ms = us / 1_000;
  const digits = Math.abs(ms) >= 100 ? 0 : Math.abs(ms) >= 10 ? 1 : 2;
  return formatNumber(ms, digits);
}

/** Wall time in ms since 1970 → `19:05 UTC`. */
export const formatMinute = (ms: number): string =>
  `${new Date(ms).toISOString().slice(11, 16)} UTC`;

/** 0.0026 → `0.26 %`. */
export function formatPercent(ratio: number, digits = 2): string {
  return `${formatNumber(ratio * 100, digits)} %`;
}
