/**
 * What the page keeps in its tab, or in the browser. A browser that refuses, because its user blocks the data of sites or
 * no room is left, keeps it in memory: until the page is left.
 */
export interface Kept {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

export const inTab = keptIn(() => sessionStorage);
export const inBrowser = keptIn(() => localStorage);

/** With blocked data even the access to the storage throws. */
export function keptIn(open: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): Kept {
  const refused = new Map<string, string>();
  return {
    get(key) {
      try {
        return refused.get(key) ?? open().getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      refused.delete(key);
      try {
        open().setItem(key, value);
      } catch {
        refused.set(key, value);
      }
    },
    remove(key) {
      refused.delete(key);
      try {
        open().removeItem(key);
      } catch {
        // Nothing is kept.
      }
    },
  };
}
