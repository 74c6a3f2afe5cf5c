/** `daybook log timestamp`: has the newest checkpoint stamped by an RFC 3161 authority, and writes both to files. */
import { z } from 'zod';
import { clientOf } from '../client.ts';
import { CommandError } from '../errors.ts';
import { createNewFile } from '../export-target.ts';
import { print } from '../text.ts';

interface TimestampOptions {
  readonly home?: string;
  readonly authority?: string;
  readonly out?: string;
}

const zTimestamp = z.object({
  authority: z.string(),
  size: z.int(),
  at: z.int(),
  checkpoint: z.string(),
  response: z.base64(),
});

export async function stamp(options: TimestampOptions): Promise<void> {
  const body = options.authority === undefined ? undefined : { authority: options.authority };
  const made = await clientOf(options).request('/v1/log/timestamps', { method: 'POST', body, schema: zTimestamp });
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
