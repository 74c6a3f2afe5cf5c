/** `daybook log timestamp`: gets a time stamp of the newest checkpoint (RFC 3161), and writes both to files. */
import type { TlogTimestampAnswer } from '../../client/client.ts';
import { RequestRefused } from '../client.ts';
import { UsageError } from '../errors.ts';
import type { AnswerOptions } from '../options.ts';
import { writeNewFile } from '../save-file.ts';
import { withLog } from '../temporary-daemon.ts';
import { counted, print, printJson } from '../text.ts';

interface TimestampOptions extends AnswerOptions {
  readonly authority?: string;
  readonly out?: string;
}

const BAD_REQUEST = 400;
const NO_AUTHORITY =
  'Name the authority with --authority <url>, or set timestamp_authority (DAYBOOK_TIMESTAMP_AUTHORITY) for the daemon.';

export async function stamp(options: TimestampOptions): Promise<void> {
  const { authority } = options;
  if (authority !== undefined && !/^https?:/.test(URL.parse(authority)?.protocol ?? '')) {
    throw new UsageError('--authority must be an http or https address.');
  }
  await withLog(options, async ({ api }) => {
    const timestamp = await api.tlog.timestamp({ authority }).catch((error: Error) => {
      const isUnnamed = authority === undefined && error instanceof RequestRefused && error.status === BAD_REQUEST;
      throw isUnnamed ? new UsageError(NO_AUTHORITY) : error;
    });
    await save(timestamp, options);
  });
}

async function save(timestamp: TlogTimestampAnswer, options: TimestampOptions): Promise<void> {
  const { size, at, authority } = timestamp;
  const prefix = options.out ?? `checkpoint-${size}`;
  const [note, response] = [`${prefix}.note`, `${prefix}.tsr`];
  await writeNewFile(note, Buffer.from(timestamp.checkpoint));
  await writeNewFile(response, Buffer.from(timestamp.response, 'base64'));
  if (options.json === true) return printJson({ size, at, authority, note, response });
  await print(
    `${counted(size, 'event')}, stamped ${new Date(at).toISOString()} by ${authority}\n` +
      `check it: openssl ts -verify -data ${note} -in ${response} -CAfile <certificates of the authority>\n`,
  );
}
