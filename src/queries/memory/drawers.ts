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

function drawerView(views: Views, cipher: TextCipher | null, row: DrawerRow) {
  const texts = drawerTexts(cipher, row);
  const original = row.kind === 'exact' && row.of_id !== null ? drawerRow(views, row.of_id) : undefined;
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

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1a over the UTF-8 bytes: 64 bits as hexadecimal digits. */
function contentHash(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16).padStart(16, '0');
}

/** A page in the order of storage; `next` is the cursor of the next page, null at the end. */
export function listDrawers(
  { views, encryption }: DrawerQueryContext,
  { source, ...page }: Omit<DrawerPage, 'source_key'> & { readonly source?: string | undefined },
) {
  const source_key = source === undefined ? undefined : encryption.fingerprints().exact(source);
  const rows = drawerRows(views, { ...page, source_key });
  const cipher = encryption.cipher();
  return {
    drawers: rows.map((row) => drawerView(views, cipher, row)),
    count: rows.length,
    total_drawers: totals(views).total_drawers,
    next: rows.length < page.limit ? null : rows.at(-1)!.position,
  };
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
    results.push({ ...drawerView(views, cipher, row), similarity });
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
