/** Routes for the owner: the witnesses that this log asks, and the logs that it witnesses. */
import { z } from 'zod';
import { TRUSTED_LOGS_STREAM_ID, trustedLogs } from '../../commands/tlog/trusted-logs.ts';
import { logWitnesses, WITNESSES_STREAM_ID } from '../../commands/tlog/witnesses.ts';
import { zFork } from '../../events/tlog.ts';
import {
  COSIGNATURE,
  ED25519,
  formatVerifierKey,
  NoteError,
  PUBLIC_KEY_BYTES,
  parseVerifierKey,
  verifierKey,
} from '../../lib/tlog/signed-note.ts';
import { WitnessStateTrouble } from '../../ports/witness-states.ts';
import type { Cosigning } from '../../reactors/tlog/cosigning.ts';
import { type LogKeys, witnessVkeyOf } from '../../reactors/tlog/log-keys.ts';
import type { Witness } from '../../reactors/tlog/witness.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { unsigned } from './settings.ts';

const { get, post, del } = routesOf({ tag: 'tlog', withoutViews: true });

export interface Dependencies {
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly logKeys: LogKeys;
  readonly cosigning: Cosigning;
  readonly witness: Pick<Witness, 'known'>;
}

/** A verifier key with this signature type. */
function zVerifierKey(type: number) {
  const example = formatVerifierKey(verifierKey('example.org/log', type, new Uint8Array(PUBLIC_KEY_BYTES).fill(7)));
  const isKey = (text: string, context: z.core.$RefinementCtx<string>): void => {
    try {
      parseVerifierKey(text, [type]);
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
  return z
    .string()
    .max(1_024)
    .superRefine(isKey)
    .meta({ examples: [example] });
}

/** The address without `/add-checkpoint` and without a trailing slash. */
const zWitnessUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(2_048)
  .refine((text) => !/[?#]|\/\/[^/]*@/.test(text), 'must have no user, query or fragment')
  .transform((text) => text.replace(/\/+$/, '').replace(/\/add-checkpoint$/, ''));

const zWitnesses = z.object({
  witness_vkey: z.string(),
  quorum: z
    .object({ needed: z.int(), cosigned: z.int(), missing: z.boolean() })
    .describe('The number of witnesses that signed, and that have to.'),
  witnesses: z
    .array(
      z.object({
        url: z.string().describe('Address of the witness, without `/add-checkpoint`.'),
        vkey: z.string(),
        size: z.int().describe('Events of the newest checkpoint that it signed; 0 before one.'),
        error: z.string().nullable().describe('Why it did not sign the newest checkpoint; null when it did.'),
      }),
    )
    .describe('The witnesses that this log asks.'),
  trusted: z.array(
    z.object({
      vkey: z.string(),
      size: z.int().nullable().describe('Events of the newest checkpoint that this daemon cosigned; null before one.'),
      offered: z
        .int()
        .nullable()
        .describe(
          'Events of the newest checkpoint that the log offered since the start of the daemon; null before one.',
        ),
      rolled_back: z.boolean(),
      error: z.string().nullable().describe('Why its state cannot be read; null when it can.'),
    }),
  ),
  forks: z.array(zFork),
});
const zByKey = z.object({ vkey: z.string().max(1_024) });
const done = ok('The present settings.', zWitnesses, unsigned);
const full = { 409: 'The limit of their number is reached.' };

export function witnessSettingsRoutes(deps: Dependencies): readonly RouteSpec[] {
  const answer = async () => value(await settingsOf(deps));
  return [...askedRoutes(deps, answer), ...trustedRoutes(answer)];
}

/** The witnesses that this log asks. */
function askedRoutes({ cosigning }: Dependencies, answer: () => Promise<Answer>): readonly RouteSpec[] {
  return [
    get('/v1/log/witnesses', {
      operation: 'witnesses',
      summary: 'The witnesses that this log asks, the logs that it witnesses, and the forks that it saw.',
      responses: done,
      handle: answer,
    }),
    post('/v1/log/witnesses', {
      operation: 'addWitness',
      summary: 'Adds a witness by its address and verifier key, and asks it.',
      body: z.strictObject({
        url: zWitnessUrl.describe('Address of the witness; `/add-checkpoint` at its end is dropped.'),
        vkey: zVerifierKey(COSIGNATURE),
      }),
      responses: { ...done, ...full },
      async handle({ body, dispatch }) {
        await dispatch(logWitnesses, WITNESSES_STREAM_ID, { type: 'AddWitness', ...body });
        await cosigning.changed();
        return answer();
      },
    }),
    del('/v1/log/witnesses', {
      operation: 'removeWitness',
      summary: 'Removes a witness.',
      query: zByKey,
      responses: done,
      async handle({ query: { vkey }, dispatch }) {
        await dispatch(logWitnesses, WITNESSES_STREAM_ID, { type: 'RemoveWitness', vkey });
        await cosigning.changed();
        return answer();
      },
    }),
  ];
}

/** The logs that this Daybook witnesses. */
function trustedRoutes(answer: () => Promise<Answer>): readonly RouteSpec[] {
  return [
    post('/v1/log/trusted', {
      operation: 'trustLog',
      summary: 'Trusts a log: its checkpoints are cosigned here.',
      body: z.strictObject({ vkey: zVerifierKey(ED25519) }),
      responses: { ...done, ...full },
      async handle({ body: { vkey }, dispatch }) {
        await dispatch(trustedLogs, TRUSTED_LOGS_STREAM_ID, { type: 'TrustLog', vkey });
        return answer();
      },
    }),
    del('/v1/log/trusted', {
      operation: 'distrustLog',
      summary: 'Removes a trusted log. The record of what was cosigned for it stays.',
      query: zByKey,
      responses: done,
      async handle({ query: { vkey }, dispatch }) {
        await dispatch(trustedLogs, TRUSTED_LOGS_STREAM_ID, { type: 'DistrustLog', vkey });
        return answer();
      },
    }),
  ];
}

async function settingsOf({ commandHandler, logKeys, cosigning, witness }: Dependencies) {
  const keys = await logKeys.open();
  const { trusted, forks } = commandHandler.load(trustedLogs, TRUSTED_LOGS_STREAM_ID);
  const { needed, cosigned, isMissing } = cosigning.quorum();
  return {
    witness_vkey: witnessVkeyOf(keys.origin, keys.witness),
    quorum: { needed, cosigned, missing: isMissing },
    witnesses: cosigning.status(keys.origin),
    trusted: await Promise.all(trusted.map((vkey) => trustedLog(vkey, witness))),
    forks,
  };
}

/** `rolled_back`: the log offered a smaller checkpoint than the one that was cosigned. */
async function trustedLog(vkey: string, witness: Dependencies['witness']) {
  try {
    const known = await witness.known(parseVerifierKey(vkey).name);
    const [size, offered] = [known?.size ?? null, known?.offered ?? null];
    return { vkey, size, offered, rolled_back: size !== null && offered !== null && offered < size, error: null };
  } catch (error) {
    if (!(error instanceof WitnessStateTrouble)) throw error;
    return { vkey, size: null, offered: null, rolled_back: false, error: error.message };
  }
}
