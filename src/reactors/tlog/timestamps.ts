/** Requests time stamps of checkpoints from a time stamping authority (RFC 3161) and records the responses. */
import { createHash } from 'node:crypto';
import { refused } from '../../commands/refusal.ts';
import type { RecordTimestamp } from '../../commands/tlog/timestamp.ts';
import { formatTimestampQuery, QUERY_TYPE, TimestampError, timestampIn } from '../../lib/tlog/timestamp.ts';
import type { HttpPost, PostReply } from '../../ports/http-post.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Cosigning } from './cosigning.ts';

export interface TimestampsParts {
  readonly cosigning: Pick<Cosigning, 'published'>;
  readonly post: HttpPost;
  readonly ids: IdGenerator;
}

/** Records a time stamp. `at` is the time that the authority states, Unix milliseconds. */
type Finish<Answer> = (id: string, command: RecordTimestamp, at: number) => Promise<Answer>;

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
  async stamp<Answer>(authority: string, finish: Finish<Answer>): Promise<Answer> {
    try {
      return await timestamp(authority, this.#parts, async (id, command, at) => {
        const answer = await finish(id, command, at);
        this.#figures = { ...this.#figures, stamped: this.#figures.stamped + 1, isFailing: false, last: at };
        return answer;
      });
    } catch (error) {
      this.#figures = { ...this.#figures, failed: this.#figures.failed + 1, isFailing: true };
      throw error;
    }
  }
}

async function timestamp<Answer>(
  authority: string,
  { cosigning, post, ids }: TimestampsParts,
  finish: Finish<Answer>,
): Promise<Answer> {
  const { note: checkpoint, size } = await cosigning.published();
  const hash = createHash('sha256').update(checkpoint).digest();
  const query = { hash, nonce: Buffer.from(ids.hex(NONCE_BYTES), 'hex') };
  const reply = await orRefuse(() => post({ url: authority, type: QUERY_TYPE, body: formatTimestampQuery(query) }));
  if (reply.status !== 200) throw refused('bad_output', `The authority answers ${reply.status}.`);
  try {
    const at = timestampIn(reply.body, query);
    const response = reply.body.toString('base64');
    return await finish(ids.uuid(), { type: 'RecordTimestamp', authority, size, checkpoint, response }, at);
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
