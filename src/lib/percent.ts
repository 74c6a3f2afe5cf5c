/** A share in whole percent, rounded, but 0% and 100% only for exact values; `n/a` without a share. */
export function percent(share: number | null): string {
  if (share === null) return 'n/a';
  const rounded = Math.round(share * 100);
  const shown = share < 1 ? Math.min(rounded, 99) : rounded;
  return `${share > 0 ? Math.max(shown, 1) : shown}%`;
}
