/** The tool `edit_file`: replaces exact text in a file, and refuses when the text does not identify one place. */
import type { BigIntStats } from 'node:fs';
import { z } from 'zod';
import { type ConfinedPath, openFile } from './confine.ts';
import { fileMutex, replaceFile } from './replace-file.ts';
import { confined, defineTool, namingPath, succeeded, type ToolContext, ToolFailure } from './tool.ts';
import { encode } from './write-file.ts';

const zEdit = z.strictObject({
  path: z.string().describe('File to change, relative to the workspace.'),
  old_string: z.string().min(1).describe('The exact text to replace.'),
  new_string: z.string().describe('What to put in its place; empty deletes it.'),
  replace_all: z.boolean().optional().describe('Change every place instead of exactly one.'),
});

export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces text in a file of the workspace. old_string must be in the file exactly as given, with its spaces ' +
    'and line breaks, and only once; give more of the lines around it when it is not unique, or set replace_all ' +
    'to change every place.',
  class: 'edit',
  idempotent: false,
  input: zEdit,
  async run(input, context) {
    if (input.old_string === input.new_string) throw new ToolFailure('old_string and new_string are the same.');
    const target = await confined(context, input.path, 'write');
    return namingPath(input.path, () => fileMutex.run(target.absolute, () => editFile(target, input, context)));
  },
});

async function editFile(target: ConfinedPath, input: z.infer<typeof zEdit>, context: ToolContext) {
  const { fileBytesMax: bytesMax } = context.settings;
  const { text, stats } = await readText(target.absolute, bytesMax);
  const edit = withLineEndingsOf(text, { old: input.old_string, new: input.new_string });
  const lines = linesOf(text, edit.old);
  if (lines.length === 0) throw new ToolFailure(notFound(target.relative, text));
  if (lines.length > 1 && input.replace_all !== true) throw new ToolFailure(ambiguous(target.relative, lines));
  const count = countApart(text, edit.old);
  // Checked before the text is built: many matches in a short file can make a text that exceeds the memory.
  const grown = text.length + count * (edit.new.length - edit.old.length);
  if (grown > bytesMax) throw new ToolFailure(`The file would become too large; it may have ${bytesMax} bytes.`);
  const content = encode(
    text.replaceAll(edit.old, () => edit.new),
    bytesMax,
  );
  const { place, mayChange } = context;
  await replaceFile(target, content, { home: place.home, expected: stats, mayChange });
  const places = count === 1 ? `1 place (line ${lines[0]})` : `${count} places`;
  return succeeded(`Replaced ${places} in ${target.relative}.`, [target.relative]);
}

interface Edit {
  readonly old: string;
  readonly new: string;
}

const LINES_NAMED_MAX = 10;
const MATCHES_COUNTED_MAX = 1_000;

async function readText(absolute: string, bytesMax: number): Promise<{ text: string; stats: BigIntStats }> {
  await using handle = await openFile(absolute);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.size > bytesMax) throw new ToolFailure(`The file has ${stats.size} bytes; ${bytesMax} can be edited.`);
    const bytes = await handle.readFile();
    if (bytes.includes(0)) throw new ToolFailure('The file is binary, not text.');
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), stats };
  } catch (error) {
    if (error instanceof TypeError) throw new ToolFailure('The file is not UTF-8 text; editing it would damage it.');
    throw error;
  }
}

const LONE_LF = /(?<!\r)\n/;

/** Models write LF; in a file with CR LF only, the edit is converted. */
function withLineEndingsOf(text: string, edit: Edit): Edit {
  const crlfOnly = text.includes('\r\n') && !LONE_LF.test(text);
  if (!crlfOnly || /\r/.test(edit.old) || /\r/.test(edit.new)) return edit;
  return { old: edit.old.replaceAll('\n', '\r\n'), new: edit.new.replaceAll('\n', '\r\n') };
}

/** Line numbers of all matches; overlapping ones count, because the text is not unique then. */
function linesOf(text: string, searched: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) {
    if (lines.length === MATCHES_COUNTED_MAX) break;
    for (; counted < at; counted++) if (text.charCodeAt(counted) === 0x0a) line++;
    lines.push(line);
  }
  return lines;
}

/** Number of matches that a replacement of all changes; overlapping ones count once. */
function countApart(text: string, searched: string): number {
  let count = 0;
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + searched.length)) count++;
  return count;
}

function notFound(path: string, text: string): string {
  const mixed = text.includes('\r\n') && LONE_LF.test(text);
  const hint = mixed ? ' Some of its lines end with CR LF and others with LF: change them one by one.' : '';
  return `old_string is nowhere in ${path}. It must match exactly, including spaces and line breaks; read it again.${hint}`;
}

function ambiguous(path: string, lines: readonly number[]): string {
  const named = lines.slice(0, LINES_NAMED_MAX).join(', ');
  const more = lines.length > LINES_NAMED_MAX ? ', …' : '';
  const atLeast = lines.length === MATCHES_COUNTED_MAX ? 'at least ' : '';
  return (
    `old_string is in ${path} ${atLeast}${lines.length} times (lines ${named}${more}). ` +
    'Give more of the text around it, or set replace_all.'
  );
}
