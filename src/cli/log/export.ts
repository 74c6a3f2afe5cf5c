/** `daybook log export`: every envelope up to the head at the start, as JSON Lines. */
import { homeOf } from '../../config/load.ts';
import { standardOutput } from '../export-target.ts';
import { wholeNumber } from '../options.ts';
import { createProgress } from '../progress.ts';
import { newFile } from '../save-file.ts';
import { counted } from '../text.ts';
import { envelopeLine } from './envelope-line.ts';
import { openLogSource } from './source.ts';

interface ExportOptions {
  readonly home?: string;
  readonly out?: string;
  readonly after: string;
}

export async function exportLog(options: ExportOptions): Promise<void> {
  const after = wholeNumber(options.after, '--after');
  await using source = await openLogSource(homeOf(process.env, options));
  const target = options.out === undefined ? standardOutput : newFile(options.out);
  using progress = createProgress('exporting');
  const { position, tree_hash } = await source.head();
  let count = 0;
  for await (const envelope of source.events({ after, through: position })) {
    await target.write(envelopeLine(envelope, true));
    count += 1;
    progress.at(count, position - after);
  }
  await target.end();
  progress.end();
  process.stderr.write(`${counted(count, 'event')} exported; the head is ${position}:${tree_hash}\n`);
}
