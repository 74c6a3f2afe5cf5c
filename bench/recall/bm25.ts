/** The baseline: plain BM25 (k1 1.2, b 0.75) over Porter stems, without a stop-word list, scoring every document. */
import { stemmer } from 'stemmer';

const K1 = 1.2;
const B = 0.75;

export interface Bm25 {
  /** Indexes of the `k` best documents, best first; equal ones in order. */
  search(text: string, k: number): readonly number[];
}

export function bm25(texts: readonly string[]): Bm25 {
  const lengths: number[] = [];
  const postings = new Map<string, [doc: number, count: number][]>();
  for (const [doc, text] of texts.entries()) {
    const counts = new Map<string, number>();
    const tokens = tokensOf(text);
    lengths.push(tokens.length);
    for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
    for (const [token, count] of counts) {
      const list = postings.get(token);
      if (list === undefined) postings.set(token, [[doc, count]]);
      else list.push([doc, count]);
    }
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length);
  return {
    search(text, k) {
      const scores = new Float64Array(texts.length);
      for (const token of tokensOf(text)) {
        const list = postings.get(token) ?? [];
        const idf = Math.log(1 + (texts.length - list.length + 0.5) / (list.length + 0.5));
        for (const [doc, count] of list) {
          const norm = K1 * (1 - B + (B * lengths[doc]!) / average);
          scores[doc] = scores[doc]! + (idf * count * (K1 + 1)) / (count + norm);
        }
      }
      const order = [...scores.keys()].filter((doc) => scores[doc]! > 0);
      return order.sort((one, other) => scores[other]! - scores[one]! || one - other).slice(0, k);
    },
  };
}

const stems = new Map<string, string>();

function tokensOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    const made = stemmer(word);
    stems.set(word, made);
    return made;
  });
}
