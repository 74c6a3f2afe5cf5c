/** The settings of the signed log, for its owner: its key, its witnesses, the logs that it witnesses, time stamps. */
import { z } from 'zod';
import { LOG_KEY_STREAM_ID, logKey } from '../../commands/tlog/log-key.ts';
import { checkpointTimestamp } from '../../commands/tlog/timestamp.ts';
import type { Config } from '../../config.ts';
import { decodeEvents } from '../../events/decode.ts';
import { logKeyEvents, zTimestamp } from '../../events/tlog.ts';
import type { Checkpoints } from '../../reactors/tlog/checkpoints.ts';
import { type LogKeys, vkeyOf, witnessVkeyOf } from '../../reactors/tlog/log-keys.ts';
import type { Timestamps } from '../../reactors/tlog/timestamps.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { HttpError } from '../server/errors.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { get, post } = routesOf({ tag: 'tlog', withoutViews: true });

export interface Dependencies {
  readonly config: Pick<Config, 'timestamp_authority'>;
  readonly log: Pick<EventLog, 'readStream'>;
  readonly logKeys: LogKeys;
  readonly checkpoints: Pick<Checkpoints, 'newest'>;
  readonly timestamps: Pick<Timestamps, 'stamp'>;
}

export const unsigned = { 503: 'The key of the log cannot be used; says why.' };

const zRotation = z.object({
  from: z.string().describe('The key before.'),
  to: z.string().describe('The key after.'),
  statement: z.string().describe('A signed note that names both keys, with a signature of each.'),
});
const zKey = z.object({
  vkey: z.string(),
  origin: z.string(),
  log_id: z.string().length(64).describe('Names the log for good, 64 hexadecimal digits; a new key keeps it.'),
  witness_vkey: z.string(),
  rotations: z.array(zRotation).describe('Every change of the key, oldest first.'),
});
const zUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_048);

export function logKeyRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { log, logKeys, checkpoints } = deps;
  return [
    get('/v1/log/key', {
      operation: 'key',
      summary: 'The verifier key of the log, that of this Daybook as a witness, and every change of the key.',
      responses: ok('Public keys only.', zKey, unsigned),
      async handle() {
        const keys = await logKeys.openToSign();
        const stream = log.readStream(`${logKey.category}-${LOG_KEY_STREAM_ID}`);
        return value({
          vkey: vkeyOf(keys.origin, keys.log),
          origin: keys.origin,
          log_id: keys.logId,
          witness_vkey: witnessVkeyOf(keys.origin, keys.witness),
          rotations: [...decodeEvents(logKeyEvents, stream)].map(({ data: { from, to, statement } }) => {
            return { from, to, statement };
          }),
        });
      },
    }),
    post('/v1/log/key/rotate', {
      operation: 'rotateKey',
      summary: 'Replaces the key of the log; the change is recorded, signed by the old key and the new one.',
      responses: ok(
        'The new verifier key.',
        { vkey: z.string() },
        {
          409: 'The key was replaced meanwhile.',
          ...unsigned,
        },
      ),
      async handle({ answerAfter }) {
        const vkey = await logKeys.rotate((command) =>
          answerAfter(logKey, LOG_KEY_STREAM_ID, command, () => value({ vkey: command.to })),
        );
        await checkpoints.newest();
        return value({ vkey });
      },
    }),
    post('/v1/log/timestamps', {
      operation: 'timestamp',
      summary: 'Has the newest checkpoint stamped by an RFC 3161 authority and records the response.',
      body: z.strictObject({ authority: zUrl.optional() }).optional(),
      responses: ok('What was stamped, the time, and the response in Base64.', zTimestamp.extend({ at: z.int() }), {
        502: 'The authority does not answer, or answers something else.',
        ...unsigned,
      }),
      async handle({ body, answerAfter }) {
        const authority = body?.authority ?? deps.config.timestamp_authority;
        if (authority === undefined) throw new HttpError(400, 'Name an authority, or set timestamp_authority.');
        return deps.timestamps.stamp(authority, (id, { type, ...stamped }, at) =>
          answerAfter(checkpointTimestamp, id, { type, ...stamped }, () => value({ ...stamped, at })),
        );
      },
    }),
  ];
}
