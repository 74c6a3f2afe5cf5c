/** The tool `list_directory`: the entries of one directory, sorted and marked by kind. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { z } from 'zod';
import { openDirectory } from './confine.ts';
import { linesThatFit, onOneLine } from './text.ts';
import { confined, defineTool, namingPath, succeeded } from './tool.ts';

export const listDirectoryTool = defineTool({
  name: 'list_directory',
  description:
    'Lists one directory of the workspace, hidden entries too, sorted by name. Directories end with "/", symbolic ' +
    'links with "@", other special files with "?". It does not go into directories; search_files with a glob ' +
    'does.',
  class: 'read',
  idempotent: true,
  input: z.strictObject({
    path: z
      .string()
      .optional()
      .describe('Directory to list, relative to the workspace; the workspace itself by default.'),
  }),
  async run(input, context) {
    const path = input.path ?? '.';
    const target = await confined(context, path, 'read');
    return namingPath(path, async () => {
      const { names, truncated } = await readNames(target.absolute, context.settings.listEntriesMax);
      if (names.length === 0) return succeeded('[the directory is empty]');
      const shown = linesThatFit(names, context.settings.outputBytesMax - NOTE_BYTES_MAX);
      const text = shown.join('\n');
      if (truncated)
        return succeeded(
          `${text}\n[${shown.length} of more entries, whichever the disk gave first; ${GLOB_FINDS_THEM}]`,
        );
      return succeeded(shown.length < names.length ? `${text}\n[more entries follow; ${GLOB_FINDS_THEM}]` : text);
    });
  },
});

const NOTE_BYTES_MAX = 128;
const GLOB_FINDS_THEM = 'search_files with a glob finds them';

/** At most `entriesMax` names, sorted. Of a larger directory, the first names in the order of the disk are read. */
async function readNames(absolute: string, entriesMax: number): Promise<{ names: string[]; truncated: boolean }> {
  await using directory = await openDirectory(absolute);
  const names: string[] = [];
  let truncated = false;
  for await (const entry of await opendir(directory.path)) {
    truncated = names.length === entriesMax;
    if (truncated) break;
    names.push(marked(entry));
  }
  // By code unit, so that the order is the same on every machine.
  return { names: names.sort((a, b) => (a < b ? -1 : 1)), truncated };
}

function marked(entry: Dirent): string {
  const name = onOneLine(entry.name);
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name}@`;
  return entry.isFile() ? name : `${name}?`;
}
