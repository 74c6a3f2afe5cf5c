/** The statuses of refusals and of errors of ports, whose messages callers see. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { refused } from '../../src/commands/refusal.ts';
import { faultOf } from '../../src/events/fault.ts';
import { announceCause, errorReply, validationMessage } from '../../src/http/server/errors.ts';
import { IndexError } from '../../src/ports/code-index.ts';
import { EmbedderError } from '../../src/ports/embedder.ts';
import { LogKeyTrouble } from '../../src/ports/log-keys.ts';
import { PluginStoreError } from '../../src/ports/plugins.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { VaultTrouble } from '../../src/ports/secret-vault.ts';
import { SpeechUnavailable } from '../../src/ports/speech.ts';

const SENTENCE = 'A sentence for the caller.';
const LATER = { 'retry-after': '5' };

it.each<readonly [error: Error, status: number, headers?: object]>([
  [refused('not_found', SENTENCE), 404],
  [refused('too_many', SENTENCE), 429, LATER],
  [refused('unavailable', SENTENCE), 503],
  [new PortError('unsupported_media', SENTENCE), 415],
  [new PortError('too_large', SENTENCE), 413],
  [new PortError('timed_out', SENTENCE), 504],
  [new EmbedderError('missing_key', SENTENCE), 400],
  [new EmbedderError('unknown', SENTENCE), 400],
  [new EmbedderError('unreachable', SENTENCE), 500],
  [new IndexError('absent', SENTENCE), 404],
  [new IndexError('unusable', SENTENCE), 500],
  [new PluginStoreError(SENTENCE), 400],
  [new SpeechUnavailable(SENTENCE), 503],
  [new VaultTrouble(SENTENCE), 503],
  [new LogKeyTrouble(SENTENCE), 503],
  [new PortError('busy', SENTENCE), 503, LATER],
])('%o is %i', (error, status, headers = {}) => {
  expect(errorReply(error)).toEqual({ status, message: SENTENCE, headers, internal: null });
});

it('an error that no table names is 500 without its text', () => {
  const { status, message, internal } = errorReply(new Error('/home/ada/secret'));
  expect(status).toBe(500);
  expect(message).not.toContain('secret');
  expect(internal).toContain('/home/ada/secret');
});

it('what only the operator may read is announced once for each cause', () => {
  const lines: string[] = [];
  const announce = (line: string) => lines.push(line);
  const lost = Object.assign(new Error('Events were lost.'), { code: 'STORAGE_READ_ONLY' });
  const cause = new Error('EIO');
  const readOnly = () => Object.assign(new Error('Read-only: EIO', { cause }), { code: 'STORAGE_READ_ONLY' });
  for (const error of [lost, lost, readOnly(), readOnly(), refused('not_found', SENTENCE)])
    announceCause(error, announce);
  expect(lines).toEqual(['error: Events were lost.', 'error: Read-only: EIO']);
});

// After an upgrade in place, what the running daemon loads at its first use is gone.
it.each(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'])('%s is 503 with what to do, and without a path', (code) => {
  const error = Object.assign(new Error("Cannot find module '/opt/daybook/a.cjs'"), { code });
  expect(errorReply(error)).toMatchObject({
    status: 503,
    message: 'A file of the program is gone, as after an upgrade. Restart the daemon.',
    internal: error.message,
  });
});

const zChoice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a') }),
  z.object({ kind: z.enum(['b', 'c']) }),
]);

it.each([
  ['body', zChoice, {}, 'Invalid body: kind: must be one of a, b, c'],
  ['body', z.object({ names: z.array(z.string()) }), { names: [1] }, 'Invalid body: names.0: must be a string'],
  [
    'query',
    z.object({ status: z.array(z.enum(['on', 'off'])) }),
    { status: ['x'] },
    'Invalid query: status: must be one of on, off',
  ],
])('a fault of a %s names the field that the sender wrote', (where, schema, value, message) => {
  const { error } = schema.safeParse(value, { error: faultOf });
  expect(error && validationMessage(error, where)).toBe(message);
});
