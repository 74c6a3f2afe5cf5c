/** This Daybook as a witness of other logs (c2sp.org/tlog-witness). The signature in the body is the credential. */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { TRUSTED_LOGS_STREAM_ID, trustedLogs } from '../../commands/tlog/trusted-logs.ts';
import type { Config } from '../../config.ts';
import { parseVerifierKey } from '../../lib/tlog/signed-note.ts';
import { WitnessStateTrouble } from '../../ports/witness-states.ts';
import type { Witness } from '../../reactors/tlog/witness.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { HttpError, zError } from '../server/errors.ts';
import { zBytes } from '../server/request-body.ts';
import { type Answer, type RouteSpec, routesOf, text } from '../server/route.ts';
import { NOTE_TYPE } from './tiles.ts';

const { get, post } = routesOf({ tag: 'tlog', auth: 'public', withoutViews: true });

export interface Dependencies {
  readonly config: Pick<Config, 'tlog_public'>;
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly witness: Pick<Witness, 'add' | 'known'>;
}

/** Enough for a checkpoint with all its signatures, and 63 hashes. */
const BODY_BYTES_MAX = 65_536;
/** For one address: a growing log asks once a second, and again after a 409. */
const REQUESTS_PER_MINUTE = 120;
const SIZE_TYPE = 'text/x.tlog.size';

export function witnessRoutes({ witness, config, commandHandler }: Dependencies): readonly RouteSpec[] {
  return [
    post('/v1/tlog/add-checkpoint', {
      operation: 'addCheckpoint',
      requestsPerMinute: REQUESTS_PER_MINUTE,
      bodyBytesMax: BODY_BYTES_MAX,
      // The Idempotency-Key of an unauthenticated caller writes nothing into the log.
      secretAnswer: true,
      summary: 'Cosigns a checkpoint of a trusted log that continues the one before it (c2sp.org/tlog-witness).',
      body: zBytes,
      rawBody: { types: ['text/plain'] },
      responses: {
        200: { description: 'The signature line of this witness.', type: 'text/plain' },
        403: 'No trusted key of the log signed it, or a signature is wrong.',
        404: 'The log is not trusted here.',
        409: {
          description: 'Another size was cosigned last: the body. Or the Idempotency-Key was used with another body.',
          type: SIZE_TYPE,
          forms: { 'application/json': zError },
        },
        422: 'It does not continue the checkpoint that was cosigned before.',
        503: 'The witness cannot cosign at the moment.',
      },
      async handle({ body }): Promise<Answer> {
        if (!isUtf8(body)) throw new HttpError(400, 'The body is not valid UTF-8.');
        const done = await witness.add(body.toString('utf8'));
        if (done.kind === 'cosigned') return text(NOTE_TYPE, done.lines);
        return { kind: 'text', status: 409, type: SIZE_TYPE, text: `${done.size}\n` };
      },
    }),
    get('/v1/tlog/witness/{origin_hash}/checkpoint', {
      auth: config.tlog_public ? 'public' : 'bearer',
      operation: 'witnessed',
      summary: 'The newest checkpoint of a trusted log that this witness cosigned.',
      params: z.object({ origin_hash: z.string() }),
      responses: {
        200: { description: 'The cosigned note.', type: 'text/plain' },
        404: 'No checkpoint of that log was cosigned.',
        503: 'What was cosigned cannot be read.',
      },
      async handle({ params }): Promise<Answer> {
        const { trusted } = commandHandler.load(trustedLogs, TRUSTED_LOGS_STREAM_ID);
        const origins = trusted.map((vkey) => parseVerifierKey(vkey).name);
        const origin = origins.find((each) => hash('sha256', each) === params.origin_hash);
        const note = origin === undefined ? null : await noteOf(witness, origin);
        if (note === null) throw new HttpError(404, 'No checkpoint of that log was cosigned here.');
        return text(NOTE_TYPE, note);
      },
    }),
  ];
}

async function noteOf(witness: Dependencies['witness'], origin: string): Promise<string | null> {
  try {
    return (await witness.known(origin))?.note ?? null;
  } catch (error) {
    if (!(error instanceof WitnessStateTrouble)) throw error;
    throw new HttpError(503, 'What was cosigned for that log cannot be read.');
  }
}
