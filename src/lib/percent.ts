/** A share in whole percent, rounded, but 0% and 100% only for exact values; `n/a` without a share. */
export function percent(share: number | null): string {
  if (share === null) return 'n/a';
  return `${Math.round(100 * (share > 0 && share < 1 ? Math.min(Math.max(share, 0.01), 0.99) : share))}%`;
}
