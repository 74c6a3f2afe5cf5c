/** Temporal facts as events record them and as answers show them. */
import { factLine } from '../../commands/memory/lines.ts';
import type { FactBody } from '../../events/memory/facts.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import { type FactPage, type FactRow, factCount, factRows } from '../../projections/memory/facts.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from './encryption.ts';
import { unixSeconds } from './memories.ts';
import { type FactTexts, factTexts, textFields } from './texts.ts';

type Fingerprinting = Pick<MemoryEncryption, 'cipher' | 'fingerprints'>;

/** The key of all facts with one subject and one predicate; their stream is `fact-<key>`. */
export function factKey(
  encryption: Pick<MemoryEncryption, 'fingerprints'>,
  { subject, predicate }: Pick<FactTexts, 'subject' | 'predicate'>,
): string {
  return encryption.fingerprints().exact(JSON.stringify([subject, predicate]));
}

export function factBody(
  encryption: Fingerprinting,
  texts: FactTexts,
  { id, valid_from, confidence }: Pick<FactBody, 'id' | 'valid_from' | 'confidence'>,
): FactBody {
  const { loose, exact } = encryption.fingerprints();
  return {
    id,
    ...textFields(encryption.cipher(), texts, { id, empty: { subject: '', predicate: '', object: '' } }),
    object_key: exact(texts.object),
    line_key: loose(factLine(texts)),
    valid_from,
    confidence,
  };
}

export function factView(cipher: TextCipher | null, row: FactRow) {
  const { id, valid_from, valid_to, confidence } = row;
  return { id, ...factTexts(cipher, row), valid_from, valid_to, confidence, recorded_at: unixSeconds(row.recorded_at) };
}

/** The facts are decrypted as they are taken. */
export function listFacts(views: Views, cipher: TextCipher | null, page: FactPage) {
  const rows = factRows(views, page);
  return { facts: factViews(cipher, rows), count: rows.length, total: factCount(views, page.valid_at) };
}

function* factViews(cipher: TextCipher | null, rows: readonly FactRow[]) {
  for (const row of rows) yield factView(cipher, row);
}
