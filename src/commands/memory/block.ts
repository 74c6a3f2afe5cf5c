/**
 * The text of the context block, which precedes the prompt of a model.
 *
 * - A quoted text cannot end the block: `quoted` removes the marks of the block from it.
 */
import { BLOCK_BEGIN, BLOCK_END, LINE_CHARACTERS, quoted, VERBATIM_CHARACTERS } from './lines.ts';

export interface BlockLayers {
  readonly essential: readonly string[];
  readonly scoped: readonly BlockEntry[];
  readonly deep: readonly BlockEntry[];
  readonly drawers: readonly BlockEntry[];
  readonly facts: readonly string[];
}

export interface BlockEntry {
  /** The sector of a memory, or the room of a drawer. */
  readonly label: string;
  readonly content: string;
}

const TOKEN_CHARACTERS = 4;

export function contextBlock(layers: BlockLayers): string {
  const sections = [
    section('Essential', layers.essential),
    section('Related here', entries(layers.scoped, LINE_CHARACTERS)),
    section('Related elsewhere', entries(layers.deep, LINE_CHARACTERS)),
    section('Word for word', entries(layers.drawers, VERBATIM_CHARACTERS)),
    section(
      'Facts',
      layers.facts.map((line) => quoted(line, LINE_CHARACTERS)),
    ),
  ];
  return [BLOCK_BEGIN, ...sections.flat(), BLOCK_END].join('\n');
}

/** Whole lines in order, up to the first that exceeds the budget. Bullets and line ends count. */
export function withinBudget(texts: readonly string[], tokens: number): readonly string[] {
  let charactersLeft = tokens * TOKEN_CHARACTERS;
  const lines: string[] = [];
  for (const text of texts) {
    const line = quoted(text, LINE_CHARACTERS);
    charactersLeft -= line.length + '- \n'.length;
    if (charactersLeft < 0) break;
    lines.push(line);
  }
  return lines;
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading}`, ...lines.map((line) => `- ${line}`)];
}

function entries(of: readonly BlockEntry[], characters: number): readonly string[] {
  return of.map(({ label, content }) => `[${label}] ${quoted(content, characters)}`);
}
