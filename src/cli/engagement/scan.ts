/** `daybook engagement scan`: proposes files of the workspace as evidence, by name and path. */
import { resolve } from 'node:path';
import { RequestRefused } from '../client.ts';
import { UsageError } from '../errors.ts';
import { bytes, counted, print, printable, printJson, table, wrapped } from '../text.ts';
import { type ChangeOptions, withEngagement } from './find.ts';

interface ScanOptions extends ChangeOptions {
  readonly path?: string;
  readonly attach?: boolean;
}

const BAD_REQUEST = 400;

export async function scan(nameOrId: string, options: ScanOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { attach, reason } = options;
    const path = options.path === undefined ? undefined : resolve(options.path);
    const answer = await client.api.engagements.scan(id, { path, attach, reason }).catch((error: Error) => {
      const needsPath = path === undefined && error instanceof RequestRefused && error.status === BAD_REQUEST;
      throw needsPath ? new UsageError(`${error.message} Name a folder with --path <dir>.`) : error;
    });
    if (options.json === true) return printJson(answer);
    const { candidates, files_scanned, notes, undetectable } = answer.scan;
    const rows = candidates.map((each) => [each.deliverable_key, bytes(each.bytes), each.path]);
    if (rows.length > 0) await print(table([['DELIVERABLE', 'SIZE', 'FILE'], ...rows], { optional: ['SIZE'] }));
    const found = `${counted(candidates.length, 'proposal')} from ${counted(files_scanned, 'file')}`;
    const attached = answer.attached === null ? 'attach them with --attach' : `${answer.attached} attached`;
    await print(
      candidates.length === 0 ? `No proposals from ${counted(files_scanned, 'file')}.\n` : `${found}; ${attached}.\n`,
    );
    for (const note of notes) await print(wrapped(printable(note), 0));
    if (undetectable.length > 0) await print(wrapped(`Undetectable: ${undetectable.join(', ')}.`, 0));
  });
}
