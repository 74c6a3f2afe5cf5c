/** `daybook log timestamp`: gets a time stamp of the newest checkpoint (RFC 3161), and writes both to files. */
import { clientOf } from '../client.ts';
import { omitUndefined } from '../options.ts';
import { writeNewFile } from '../save-file.ts';
import { print } from '../text.ts';

interface TimestampOptions {
  readonly home?: string;
  readonly authority?: string;
  readonly out?: string;
}

export async function stamp(options: TimestampOptions): Promise<void> {
  const { authority } = options;
  const timestamp = await clientOf(options).api.tlog.timestamp(omitUndefined({ authority }));
  const prefix = options.out ?? `checkpoint-${timestamp.size}`;
  await writeNewFile(`${prefix}.note`, Buffer.from(timestamp.checkpoint));
  await writeNewFile(`${prefix}.tsr`, Buffer.from(timestamp.response, 'base64'));
  await print(
    `${timestamp.size} events, stamped ${new Date(timestamp.at).toISOString()} by ${timestamp.authority}\n` +
      `check it: openssl ts -verify -data ${prefix}.note -in ${prefix}.tsr -CAfile <certificates of the authority>\n`,
  );
}
