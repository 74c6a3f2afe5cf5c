/** Requests time stamps of checkpoints from a time stamping authority (RFC 3161) and records the responses. */
import { createHash } from 'node:crypto';
import { refused } from '../../commands/refusal.ts';
import { checkpointTimestamp, type RecordTimestamp } from '../../commands/tlog/timestamp.ts';
import { formatTimestampQuery, QUERY_TYPE, TimestampError, timestampIn } from '../../lib/tlog/timestamp.ts';
import type { HttpPost, PostReply } from '../../ports/http-post.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { SendCommand } from '../send-command.ts';
import type { Cosigning } from './cosigning.ts';

export interface TimestampsParts {
  readonly cosigning: Pick<Cosigning, 'published'>;
  readonly post: HttpPost;
  readonly ids: IdGenerator;
}

export interface Timestamped extends Omit<RecordTimestamp, 'type'> {
  /** The time that the authority states, Unix milliseconds. */
  readonly at: number;
}

/** Counts of the time stamps of this process. */
export interface TimestampFigures {
  readonly stamped: number;
  readonly failed: number;
  /** The newest request failed. */
  readonly isFailing: boolean;
  /** The time that the newest time stamp states, Unix milliseconds; null before the first one. */
  readonly last: number | null;
}

const NONCE_BYTES = 8;

export class Timestamps {
  readonly #parts: TimestampsParts;
  #figures: TimestampFigures = { stamped: 0, failed: 0, isFailing: false, last: null };

  constructor(parts: TimestampsParts) {
    this.#parts = parts;
  }

  get figures(): TimestampFigures {
    return this.#figures;
  }

  /** Throws `Refused` when the log is not signed, or when the authority does not answer with a valid time stamp. */
  async stamp(authority: string, send: SendCommand): Promise<Timestamped> {
    try {
      const stamped = await timestamp(authority, this.#parts, send);
      const { stamped: count } = this.#figures;
      this.#figures = { ...this.#figures, stamped: count + 1, isFailing: false, last: stamped.at };
      return stamped;
    } catch (error) {
      this.#figures = { ...this.#figures, failed: this.#figures.failed + 1, isFailing: true };
      throw error;
    }
  }
}

async function timestamp(
  authority: string,
  { cosigning, post, ids }: TimestampsParts,
  send: SendCommand,
): Promise<Timestamped> {
  const { note: checkpoint, size } = await cosigning.published();
  const hash = createHash('sha256').update(checkpoint).digest();
  const query = { hash, nonce: Buffer.from(ids.hex(NONCE_BYTES), 'hex') };
  const reply = await orRefuse(() => post({ url: authority, type: QUERY_TYPE, body: formatTimestampQuery(query) }));
  if (reply.status !== 200) throw refused('bad_output', `The authority answers ${reply.status}.`);
  try {
    const at = timestampIn(reply.body, query);
    const stamped = { authority, size, checkpoint, response: reply.body.toString('base64') };
    await send(checkpointTimestamp, ids.uuid(), { type: 'RecordTimestamp', ...stamped });
    return { ...stamped, at };
  } catch (error) {
    if (!(error instanceof TimestampError)) throw error;
    throw refused('bad_output', error.message);
  }
}

async function orRefuse(post: () => Promise<PostReply>): Promise<PostReply> {
  try {
    return await post();
  } catch (error) {
    throw refused('bad_output', (error as Error).message);
  }
}
