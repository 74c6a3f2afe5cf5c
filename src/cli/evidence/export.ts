/** `daybook evidence export`: has the daemon make a bundle, and writes it into a new file. */
import { clientOf } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { createNewFile } from '../export-target.ts';
import { print } from '../text.ts';

interface ExportOptions {
  readonly home?: string;
  readonly stream?: string;
  readonly positions?: string;
  readonly to: string;
  readonly withFiles?: boolean;
}

export async function exportEvidence(id: string | undefined, options: ExportOptions): Promise<void> {
  const { stream, positions, to, withFiles = false } = options;
  const subjects = Object.entries({ of: id, stream, positions }).flatMap(([field, value]): [string, string][] =>
    value === undefined ? [] : [[field, value]],
  );
  if (subjects.length !== 1) {
    throw new UsageError('Name one of these: an engagement, a run or a goal; --stream; --positions.');
  }
  const query = new URLSearchParams([...subjects, ['with_files', withFiles ? '1' : '0']]);
  const zip = await clientOf(options).bytes(`/v1/evidence.zip?${query}`);
  const file = createNewFile(to, ({ message }) => new CommandError(`${to} cannot be written: ${message}`));
  await file.write(zip);
  await file.end();
  await print(`${to}: ${zip.length} bytes. Anybody can check it: daybook evidence verify, or verify.html inside it.\n`);
}
