// Pages of Lambda's lists: `MaxItems` and `Marker` in, `NextMarker` out.

/** AWS returns at most 50 a page, whatever is asked. */
const PAGE_MAX = 50;

export interface Page<T> {
  readonly items: readonly T[];
  /** `NextMarker`, when there is more. */
  readonly next: { readonly NextMarker?: string };
}

export function page<T>(all: readonly T[], query: URLSearchParams): Page<T> {
  const asked = Math.floor(Number(query.get("MaxItems") ?? PAGE_MAX)) || PAGE_MAX;
  const size = Math.min(PAGE_MAX, Math.max(1, asked));
  const start = Math.max(0, Math.floor(Number(query.get("Marker") ?? 0)) || 0);
  const end = start + size;
  return {
    items: all.slice(start, end),
    next: end < all.length ? { NextMarker: String(end) } : {},
  };
}
