/** Verbatim drawers: pages, statistics, and the drawers that answer a question. */
import type { TextCipher } from '../../ports/text-cipher.ts';
import {
  type DrawerPage,
  type DrawerRow,
  drawerRow,
  drawerRows,
  drawerStats,
} from '../../projections/memory/drawers.ts';
import { searchTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from './encryption.ts';
import { blended, type Meaning, wordCandidates } from './meaning.ts';
import { totals, unixSeconds } from './memories.ts';
import { drawerTexts } from './texts.ts';

export interface DrawerQueryContext {
  readonly views: Views;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints' | 'index'>;
}

/** The drawer whose content a duplicate has. */
function originalOf(views: Views, { kind, of_id }: DrawerRow): DrawerRow | undefined {
  return kind === 'exact' && of_id !== null ? drawerRow(views, of_id) : undefined;
}

function drawerView(cipher: TextCipher | null, row: DrawerRow, original: DrawerRow | undefined) {
  const texts = drawerTexts(cipher, row);
  const content = original === undefined ? texts.content : drawerTexts(cipher, original).content;
  const { id, text_id, wing, room, place: index, start } = row;
  return {
    id,
    content,
    wing,
    room,
    source: texts.source,
    text_id,
    index,
    start,
    content_hash: contentHash(content),
    created_at: unixSeconds(row.created_at),
    duplicate_of: row.of_id,
  };
}

/** The offset basis of 64-bit FNV-1a. */
const FNV_OFFSET = [0xcbf29ce4, 0x84222325] as const;
/** The prime is this and 2^40. */
const FNV_PRIME_LOW = 0x1b3;

/**
 * FNV-1a over the UTF-8 bytes: 64 bits as hexadecimal digits. In two halves, because a `BigInt` for each byte takes
 * most of the time of a list.
 */
export function contentHash(text: string): string {
  let [high, low]: readonly [number, number] = FNV_OFFSET;
  for (const byte of Buffer.from(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * FNV_PRIME_LOW;
    high = (high * FNV_PRIME_LOW + mixed * 2 ** 8 + Math.floor(product / 2 ** 32)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

/** A page in the order of storage, decrypted as its drawers are taken; `next` is the cursor of the next page, null at the end. */
export function listDrawers(
  { views, encryption }: DrawerQueryContext,
  { source, ...page }: Omit<DrawerPage, 'source_key'> & { readonly source?: string | undefined },
) {
  const source_key = source === undefined ? undefined : encryption.fingerprints().exact(source);
  const rows = drawerRows(views, { ...page, source_key });
  const originals = rows.map((row) => originalOf(views, row));
  return {
    drawers: drawerViews(encryption.cipher(), rows, originals),
    count: rows.length,
    total_drawers: totals(views).total_drawers,
    next: rows.length < page.limit ? null : rows.at(-1)!.position,
  };
}

function* drawerViews(
  cipher: TextCipher | null,
  rows: readonly DrawerRow[],
  originals: readonly (DrawerRow | undefined)[],
) {
  for (const [at, row] of rows.entries()) yield drawerView(cipher, row, originals[at]);
}

export interface DrawerSearch {
  readonly text: string;
  readonly k: number;
  readonly wing?: string;
  readonly meaning?: Meaning | undefined;
}

/** Drawers that answer a question, best first. */
export function findDrawers({ views, encryption }: DrawerQueryContext, { text, k, wing, meaning }: DrawerSearch) {
  const cipher = encryption.cipher();
  const query = { text, kind: 'drawer', k: wordCandidates(meaning, k), wing } as const;
  const results: (ReturnType<typeof drawerView> & { readonly similarity: number })[] = [];
  for (const { key, similarity } of blended(searchTexts(encryption.index(), query), meaning, 'drawer')) {
    if (results.length === k) break;
    const row = drawerRow(views, key);
    if (row === undefined || (wing !== undefined && row.wing !== wing)) continue;
    results.push({ ...drawerView(cipher, row, originalOf(views, row)), similarity });
  }
  return results;
}

export function drawerStatistics(views: Views) {
  const { wings, rooms, chunks, exact, near } = drawerStats(views);
  return {
    total_drawers: totals(views).total_drawers,
    wings,
    rooms,
    dedup_hit_rate: chunks === 0 ? 0 : (exact + near) / chunks,
    dedup: { chunks_offered: chunks, exact_hits: exact, near_hits: near, hits: exact + near },
  };
}
