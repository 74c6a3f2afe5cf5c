/** The tool `write_file`: creates or replaces a whole file in one step. */
import { z } from 'zod';
import { type ConfinedPath, openFile } from './confine.ts';
import { fileMutex, replaceFile } from './replace-file.ts';
import { confined, defineTool, namingPath, succeeded, ToolFailure } from './tool.ts';

export const writeFileTool = defineTool({
  name: 'write_file',
  description:
    'Writes a whole text file in the workspace: makes it, with its directories, or replaces all of its content. ' +
    'To change part of an existing file use edit_file.',
  class: 'edit',
  idempotent: false,
  input: z.strictObject({
    path: z.string().describe('File to write, relative to the workspace.'),
    content: z.string().describe('The complete new content.'),
  }),
  async run(input, context) {
    const content = encode(input.content, context.settings.fileBytesMax);
    const target = await confined(context, input.path, 'write');
    return namingPath(input.path, async () => {
      if (target.exists && (await holds(target, content))) {
        return succeeded(`${target.relative} has exactly this content already.`);
      }
      await fileMutex.run(target.absolute, async () => {
        await replaceFile(target, content, { home: context.place.home, mayChange: context.mayChange });
      });
      const verb = target.exists ? 'Replaced' : 'Created';
      return succeeded(`${verb} ${target.relative} (${content.length} bytes).`, [target.relative]);
    });
  },
});

/** Encodes the content of a file. Throws `ToolFailure` for text that UTF-8 cannot represent or that is too large. */
export function encode(text: string, bytesMax: number): Buffer {
  if (!text.isWellFormed())
    throw new ToolFailure('The content holds half of a surrogate pair and is not writable text.');
  const bytes = Buffer.from(text);
  if (bytes.length > bytesMax) {
    throw new ToolFailure(`The content has ${bytes.length} bytes; a file may have ${bytesMax}.`);
  }
  return bytes;
}

async function holds(target: ConfinedPath, content: Buffer): Promise<boolean> {
  await using handle = await openFile(target.absolute);
  if ((await handle.stat()).size !== content.length) return false;
  return content.equals(await handle.readFile());
}
