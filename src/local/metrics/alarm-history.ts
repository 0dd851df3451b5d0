// What alarms went through and what their actions came to, as it is kept.

export interface HistoryItem {
  readonly alarm: string;
  readonly atMs: number;
  readonly kind: "StateUpdate" | "Action" | "ConfigurationUpdate";
  readonly summary: string;
  readonly data: object;
}

/** Of all alarms together; the oldest go. */
const KEPT_MAX = 10_000;

export function remember(history: HistoryItem[], item: HistoryItem): void {
  history.push(item);
  if (history.length > KEPT_MAX) history.splice(0, KEPT_MAX / 2);
}
