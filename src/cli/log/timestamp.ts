/** `daybook log timestamp`: has the newest checkpoint stamped by an RFC 3161 authority, and writes both to files. */
import { clientOf } from '../client.ts';
import { CommandError } from '../errors.ts';
import { createNewFile } from '../export-target.ts';
import { onlyGiven } from '../options.ts';
import { print } from '../text.ts';

interface TimestampOptions {
  readonly home?: string;
  readonly authority?: string;
  readonly out?: string;
}

export async function stamp(options: TimestampOptions): Promise<void> {
  const made = await clientOf(options).api.tlog.timestamp(onlyGiven({ authority: options.authority }));
  const prefix = options.out ?? `checkpoint-${made.size}`;
  await write(`${prefix}.note`, Buffer.from(made.checkpoint));
  await write(`${prefix}.tsr`, Buffer.from(made.response, 'base64'));
  await print(
    `${made.size} events, stamped ${new Date(made.at).toISOString()} by ${made.authority}\n` +
      `check it: openssl ts -verify -data ${prefix}.note -in ${prefix}.tsr -CAfile <certificates of the authority>\n`,
  );
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const file = createNewFile(path, ({ message }) => new CommandError(`${path} cannot be written: ${message}`));
  await file.write(bytes);
  await file.end();
}
