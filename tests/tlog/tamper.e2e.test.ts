/**
 * A log of 1 000 events and one checkpoint that somebody else holds: every way to rewrite the log is found by
 * `daybook log verify --checkpoint`, also when the rewritten store is whole and every hash in it was computed anew.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { recompute } from '../../src/cli/log/recompute.ts';
import type { Envelope } from '../../src/events/envelope.ts';
import { formatCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import { formatNote, formatVerifierKey, signingKey, signText, verifierKey } from '../../src/lib/tlog/signed-note.ts';
import type { NewEvent } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { envelopeOf } from '../../src/streams/envelope.ts';
import { cliHere } from '../cli/support.ts';
import { event, idOf, to } from '../storage/log-helpers.ts';
import { memoryFolder, removeFolder } from '../support/folders.ts';

const EVENTS = 1_000;
/** The long run (DAYBOOK_LONG=1) cuts the log after every event. */
const STEP = process.env.DAYBOOK_LONG === '1' ? 1 : 9;
const ORIGIN = 'example.org/log';
const key = signingKey(Buffer.alloc(32, 1));
const vkey = formatVerifierKey(verifierKey(ORIGIN, 1, key.publicKey));

interface Placed {
  readonly stream: string;
  readonly event: NewEvent;
}

const placed = (number: number, data?: NewEvent['data']): Placed => ({
  stream: `stream-${number % 3}`,
  event: event(number, data),
});
const ALL = Array.from({ length: EVENTS }, (_, at) => placed(at + 1));

/** Each event with an id of its own place: what was moved or doubled has no id that gives it away. */
const renumbered = (events: readonly Placed[]): Placed[] =>
  events.map(({ stream, event: each }, at) => ({ stream, event: { ...each, id: idOf(at + 1) } }));

/** A home whose store holds these events, written by the storage itself. */
async function homeOf(events: readonly Placed[], erased: readonly number[] = []): Promise<string> {
  const home = memoryFolder('tamper');
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  const storage = await openStorage({ directory: join(home, 'data') });
  if (events.length > 0) await storage.log.append(events.map(({ stream, event: each }) => to(stream, [each])));
  if (erased.length > 0) await storage.log.erase(erased);
  await storage.close();
  return home;
}

let checkpoint: string;
let root: string;

beforeAll(async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  await log.append(ALL.map(({ stream, event: each }) => to(stream, [each])));
  root = log.treeHash(EVENTS);
  const text = formatCheckpoint({ origin: ORIGIN, size: EVENTS, root: Buffer.from(root, 'hex') });
  checkpoint = join(memoryFolder('held'), 'old.note');
  writeFileSync(checkpoint, formatNote({ text, signatures: [signText(key, ORIGIN, text)] }));
});

async function verify(home: string) {
  const end = await cliHere(['log', 'verify', '--checkpoint', checkpoint, '--vkey', vkey], { home });
  removeFolder(home);
  return end;
}

const OLD = `that the checkpoint was signed for`;

describe('daybook log verify --checkpoint', () => {
  it('accepts the log itself, a longer one, and one of which payloads were erased', async () => {
    const more = Array.from({ length: 50 }, (_, at) => placed(EVENTS + at + 1));
    for (const home of [await homeOf(ALL), await homeOf([...ALL, ...more]), await homeOf(ALL, [1, 500, EVENTS])]) {
      const { code, stdout } = await verify(home);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining('It begins with the 1000 events of the signed checkpoint.'),
      ]);
    }
  });

  it.each([0, 1, 255, 256, 512, 999])(
    'names a log that was cut after %i events, or rolled back to them',
    async (kept) => {
      const { code, stdout } = await verify(await homeOf(ALL.slice(0, kept)));
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining(`${OLD}: the log is shorter than that, it was cut or rolled back to ${kept} events`),
      ]);
    },
  );

  const other = (at: number): Placed => placed(5_000 + at, { of: 'another log', at });
  const REWRITTEN: readonly (readonly [string, (at: number) => readonly Placed[]])[] = [
    ['one letter of an event changed', (at) => ALL.with(at, placed(at + 1, { number: at + 2 }))],
    ['another actor', (at) => ALL.with(at, { ...ALL[at]!, event: { ...ALL[at]!.event, actor: 'system' } })],
    ['a time a millisecond later', (at) => ALL.with(at, { ...ALL[at]!, event: { ...ALL[at]!.event, at: 1 } })],
    ['two neighbours swapped', (at) => ALL.toSpliced(at, 2, ...ALL.slice(at, at + 2).toReversed())],
    ['an event dropped and one added at the end', (at) => [...ALL.toSpliced(at, 1), other(at)]],
    ['an event twice', (at) => ALL.toSpliced(at, 0, ALL[at]!)],
    ['an event of another log in its place', (at) => ALL.with(at, other(at))],
    ['the rest from another log', (at) => [...ALL.slice(0, at), ...ALL.slice(at).map((_, more) => other(at + more))]],
  ];

  it.each(REWRITTEN.flatMap(([name, make]) => [0, 500, 998].map((at) => [name, at, make] as const)))(
    'finds a log that was written anew with %s (%i)',
    async (_, at, make) => {
      const { code, stdout } = await verify(await homeOf(renumbered(make(at))));
      expect([code, stdout]).toEqual([1, expect.stringContaining(`${OLD}: events before that were changed`)]);
    },
  );
});

describe('the events alone', () => {
  const progress = { at: () => undefined };
  let envelopes: readonly Envelope[];
  beforeAll(async () => {
    const { log } = await openStorage({ directory: '', ephemeral: true });
    await log.append(ALL.map(({ stream, event: each }) => to(stream, [each])));
    envelopes = [...log.readAll()].map(envelopeOf);
  });

  async function* sent(events: readonly Envelope[]): AsyncGenerator<Envelope> {
    yield* events;
  }

  const problemsOf = async (events: readonly Envelope[]) => {
    const trusted = { position: EVENTS, tree_hash: root, isSigned: true };
    return (await recompute(sent(events), { trusted, progress, total: 0 })).problems;
  };

  it('cut after any event are found to be cut', async () => {
    expect(await problemsOf(envelopes)).toEqual([]);
    for (let kept = 0; kept < EVENTS; kept += STEP) {
      const [problem] = await problemsOf(envelopes.slice(0, kept));
      expect(problem?.what).toContain(`cut or rolled back to ${kept} events`);
    }
  });
});
