/**
 * Turns a text into index terms, each with the blocks of the text that contain it.
 *
 * - Terms are stems, the concepts that words exemplify, and speakers ("Ada: ..." gives `@ada`), all as 32-bit hashes.
 * - A block is a line or a few sentences. A text has at most 32, so one 32-bit mask holds the blocks of a term.
 * - The frequency of a term is the number of its blocks: repetition within a block does not count.
 */
import { hash32, type Word, words } from './words.ts';

export interface Analysed {
  /** Distinct terms, ascending. */
  readonly terms: Uint32Array;
  /** Bit n of mask i: block n holds term i. */
  readonly masks: Uint32Array;
  /** Words of each block, at most 255. */
  readonly blocks: Uint8Array;
  /** Number of words, at most 65 535; 0 when there are none. */
  readonly length: number;
}

export const BLOCKS_MAX = 32;
const BLOCK_CHARACTERS_MAX = 320;
const LENGTH_MAX = 65_535;

const SPEAKER =
  /^\s*(?:\[[^\]\n]{0,60}\]\s*)?((?:[\p{Lu}][\p{L}'’.-]{0,23})(?: [\p{Lu}][\p{L}'’.-]{0,23})?|user|assistant):\s/u;
const SENTENCE_END = /(?<=[.!?…。！？])\s+/u;

/** A line or a piece of one. */
export interface Block {
  readonly words: readonly Word[];
  readonly speaker: string | null;
}

/** All blocks of a text. Their words in order are the words of the text. */
export function* blocksOf(text: string): Generator<Block, void, undefined> {
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const speaker = SPEAKER.exec(line)?.[1] ?? null;
    for (const piece of piecesOf(line)) yield { words: words(piece), speaker };
  }
}

export function analyse(blocks: readonly Block[]): Analysed {
  const sizes = new Uint32Array(Math.min(blocks.length, BLOCKS_MAX));
  let count = 0;
  for (const [index, block] of blocks.entries()) {
    const place = blocks.length <= BLOCKS_MAX ? index : Math.floor((index * BLOCKS_MAX) / blocks.length);
    const set = (term: number): void => {
      if (count === places.length) places = grown(places);
      places[count] = term * BLOCKS_MAX + place;
      count += 1;
    };
    if (block.speaker !== null) for (const name of words(block.speaker)) set(speakerTerm(name.stem));
    for (const word of block.words) {
      set(word.id);
      if (!word.stop) for (const kind of word.kinds) set(kind);
    }
    sizes[place] = sizes[place]! + block.words.length;
  }
  return {
    ...gathered(places.subarray(0, count).sort()),
    blocks: Uint8Array.from(sizes, (size) => Math.min(255, size)),
    length: Math.min(
      LENGTH_MAX,
      sizes.reduce((sum, size) => sum + size, 0),
    ),
  };
}

/** Scratch space for all texts: term and block as one number. */
let places = new Float64Array(1_024);

function grown(list: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(list.length * 2);
  longer.set(list);
  return longer;
}

function gathered(sorted: Float64Array): Pick<Analysed, 'terms' | 'masks'> {
  const terms = new Uint32Array(sorted.length);
  const masks = new Uint32Array(sorted.length);
  let last = -1;
  for (let at = 0; at < sorted.length; at += 1) {
    const term = Math.floor(sorted[at]! / BLOCKS_MAX);
    if (last < 0 || terms[last] !== term) {
      last += 1;
      terms[last] = term;
    }
    masks[last] = masks[last]! | (1 << (sorted[at]! - term * BLOCKS_MAX));
  }
  return { terms: terms.slice(0, last + 1), masks: masks.slice(0, last + 1) };
}

/** The term of blocks in which a speaker of this name speaks. */
export function speakerTerm(stem: string): number {
  return hash32(`@${stem}`);
}

/** Splits a long line at ends of sentences. */
function piecesOf(line: string): readonly string[] {
  if (line.length <= BLOCK_CHARACTERS_MAX) return [line];
  const pieces: string[] = [];
  let piece = '';
  for (const sentence of line.split(SENTENCE_END)) {
    if (piece !== '' && piece.length + sentence.length > BLOCK_CHARACTERS_MAX) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? sentence : `${piece} ${sentence}`;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}
