/** `daybook log export`: every envelope as JSON Lines, up to the head as it was at the start. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { homeOf } from '../../config.ts';
import { CommandError } from '../failures.ts';
import { whole } from '../numbers.ts';
import { createProgress } from '../progress.ts';
import { print } from '../text.ts';
import { envelopeLine } from './show.ts';
import { openLogSource } from './source.ts';

interface ExportOptions {
  readonly home?: string;
  readonly out?: string;
  readonly after: string;
}

export async function exportLog(options: ExportOptions): Promise<void> {
  const after = whole(options.after, '--after');
  const source = await openLogSource(homeOf(process.env, options));
  const target = options.out === undefined ? { write: print, end: () => Promise.resolve() } : openFile(options.out);
  const progress = createProgress('exporting');
  try {
    const { position, tree_hash } = await source.head();
    let count = 0;
    for await (const envelope of source.events({ after, through: position })) {
      await target.write(envelopeLine(envelope, true));
      count += 1;
      progress.at(count, position - after);
    }
    await target.end();
    progress.end();
    process.stderr.write(`${count} events exported; the head is ${position}:${tree_hash}\n`);
  } finally {
    progress.end();
    await source.close();
  }
}

interface Target {
  write(text: string): Promise<void>;
  /** Resolves when everything is in the file. */
  end(): Promise<void>;
}

/** Never over an existing file: an export is evidence. */
function openFile(path: string): Target {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let failure: Error | null = null;
  file.on('error', (error) => (failure = error));
  const check = (): void => {
    if (failure !== null) throw new CommandError(`${path} cannot be written: ${failure.message}`);
  };
  return {
    async write(text) {
      check();
      if (!file.write(text)) await once(file, 'drain').catch(() => undefined);
    },
    async end() {
      file.end();
      await finished(file).catch(() => undefined);
      check();
    },
  };
}
