// The busiest stretch of a list of moments.

/**
 * Of an ordered list, the half-open span of `lengthUs` that begins at a record and holds the most
 * records; the earliest of equals. Null for an empty list.
 */
export function busiestSpan(
  records: readonly { readonly t_start_us: number }[],
  lengthUs: number,
): { readonly fromUs: number; readonly toUs: number; readonly count: number } | null {
  let best: { fromUs: number; toUs: number; count: number } | null = null;
  let end = 0;
  for (let start = 0; start < records.length; start++) {
    const fromUs = records[start]?.t_start_us ?? 0;
    const toUs = fromUs + lengthUs;
    while (end < records.length && (records[end]?.t_start_us ?? 0) < toUs) end++;
    if (end - start > (best?.count ?? 0)) best = { fromUs, toUs, count: end - start };
  }
  return best;
}
