/** The browser asks its user before it closes or reloads a tab with words that are not sent. */
import { useLayoutEffect } from 'preact/hooks';

const checks = new Set<() => boolean>();

/** It asks while `isUnsent` returns true, until the returned function is called. */
export function guardUnsent(isUnsent: () => boolean): () => void {
  checks.add(isUnsent);
  return () => void checks.delete(isUnsent);
}

/** The same while the component is shown. `isUnsent` is that of the first call, so it reads signals or references. */
export function useUnsent(isUnsent: () => boolean): void {
  useLayoutEffect(() => guardUnsent(isUnsent), []);
}

addEventListener('beforeunload', (event) => {
  if ([...checks].some((isUnsent) => isUnsent())) event.preventDefault();
});
