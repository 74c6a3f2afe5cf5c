/** The words of rows: as they lie there, or out of the vault. */

import type { Vault } from '../../integrations/vault/text-cipher.ts';
import type { DrawerRow } from '../../projections/memory/drawers.ts';
import type { FactRow } from '../../projections/memory/facts.ts';
import type { MemoryRow } from '../../projections/memory/memories.ts';

export interface MemoryWords {
  readonly content: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
}

export interface FactWords {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

export interface DrawerWords {
  readonly content: string;
  readonly source: string;
}

export function memoryWords(
  vault: Vault | null,
  row: Pick<MemoryRow, 'id' | 'content' | 'tags' | 'meta' | 'sealed'>,
): MemoryWords {
  if (row.sealed !== null) return opened<MemoryWords>(vault, row.sealed, row.id);
  return {
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    meta: JSON.parse(row.meta) as Record<string, string>,
  };
}

export function factWords(vault: Vault | null, row: FactWords & Pick<FactRow, 'id' | 'sealed'>): FactWords {
  if (row.sealed !== null) return opened<FactWords>(vault, row.sealed, row.id);
  return { subject: row.subject, predicate: row.predicate, object: row.object };
}

export function drawerWords(vault: Vault | null, row: DrawerWords & Pick<DrawerRow, 'id' | 'sealed'>): DrawerWords {
  if (row.sealed !== null) return opened<DrawerWords>(vault, row.sealed, row.id);
  return { content: row.content, source: row.source };
}

/** What an event or a row says of its words: they themselves, or nothing but the sealed text. */
export function kept<Words extends object>(
  vault: Vault | null,
  words: Words,
  { id, empty }: { readonly id: string; readonly empty: Words },
): Words & { readonly sealed: string | null } {
  return vault === null ? { ...words, sealed: null } : { ...empty, sealed: vault.seal(words, id) };
}

function opened<Words>(vault: Vault | null, sealed: string, id: string): Words {
  if (vault === null) throw new Error(`The record ${id} is sealed and there is no key for it.`);
  return vault.open(sealed, id) as Words;
}
