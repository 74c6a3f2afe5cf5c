/** Splits a file into the chunks that are embedded: programs at their definitions, everything else by lines. */
import type { Language } from './languages.ts';
import { byLines, mergeSmall, type Piece } from './pieces.ts';
import { bySyntax } from './syntax.ts';

export interface Chunk {
  readonly text: string;
  readonly symbol: string | null;
  /** Counted from 1; both ends are included. */
  readonly startLine: number;
  readonly endLine: number;
}

/** The chunks in order; joined they are the text. An empty text has none. */
export async function chunksOf(text: string, language: Language | null): Promise<readonly Chunk[]> {
  const whole: Piece = { start: 0, end: text.length, symbol: null };
  const grammar = language?.grammar ?? null;
  const pieces = (grammar === null ? null : await bySyntax(text, grammar)) ?? byLines(text, whole);
  return numbered(text, mergeSmall(pieces));
}

function numbered(text: string, pieces: readonly Piece[]): readonly Chunk[] {
  let line = 1;
  return pieces.map(({ start, end, symbol }) => {
    const part = text.slice(start, end);
    const breaks = part.split('\n').length - 1;
    const chunk = { text: part, symbol, startLine: line, endLine: line + breaks - (part.endsWith('\n') ? 1 : 0) };
    line += breaks;
    return chunk;
  });
}
