/** The texts of rows, deciphered where they are encrypted, and the encrypted form of texts for events. */
import type { TextCipher } from '../../ports/text-cipher.ts';
import type { DrawerRow } from '../../projections/memory/drawers.ts';
import type { FactRow } from '../../projections/memory/facts.ts';
import type { MemoryRow } from '../../projections/memory/memories.ts';

export interface MemoryTexts {
  readonly content: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
}

export type FactTexts = Readonly<Pick<FactRow, 'subject' | 'predicate' | 'object'>>;

export type DrawerTexts = Readonly<Pick<DrawerRow, 'content' | 'source'>>;

export function memoryTexts(
  cipher: TextCipher | null,
  row: Pick<MemoryRow, 'id' | 'content' | 'tags' | 'meta' | 'sealed'>,
): MemoryTexts {
  if (row.sealed !== null) return opened<MemoryTexts>(cipher, row.sealed, row.id);
  return {
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    meta: JSON.parse(row.meta) as Record<string, string>,
  };
}

export function factTexts(cipher: TextCipher | null, row: FactTexts & Pick<FactRow, 'id' | 'sealed'>): FactTexts {
  if (row.sealed !== null) return opened<FactTexts>(cipher, row.sealed, row.id);
  return { subject: row.subject, predicate: row.predicate, object: row.object };
}

export function drawerTexts(
  cipher: TextCipher | null,
  row: DrawerTexts & Pick<DrawerRow, 'id' | 'sealed'>,
): DrawerTexts {
  if (row.sealed !== null) return opened<DrawerTexts>(cipher, row.sealed, row.id);
  return { content: row.content, source: row.source };
}

/** The text fields of an event: the texts themselves, or with a cipher empty fields and the ciphertext. */
export function textFields<Texts extends object>(
  cipher: TextCipher | null,
  texts: Texts,
  { id, empty }: { readonly id: string; readonly empty: Texts },
): Texts & { readonly sealed: string | null } {
  return cipher === null ? { ...texts, sealed: null } : { ...empty, sealed: cipher.seal(texts, id) };
}

function opened<Texts>(cipher: TextCipher | null, sealed: string, id: string): Texts {
  if (cipher === null) throw new Error(`The record ${id} is sealed and there is no key for it.`);
  return cipher.open(sealed, id) as Texts;
}
