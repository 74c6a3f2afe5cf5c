/**
 * A log of 1 000 events in each engine, and one checkpoint that somebody else holds: `daybook log verify --checkpoint`
 * detects every way to rewrite the log, even when the rewritten store is valid and all its hashes were computed anew.
 * Changes of single events are tried at many positions, with DAYBOOK_LONG=1 at every one.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { recompute } from '../../src/cli/log/recompute.ts';
import type { Envelope } from '../../src/events/envelope.ts';
import { signingKey } from '../../src/lib/tlog/signed-note.ts';
import { backupStorage } from '../../src/storage/backup.ts';
import type { NewEvent } from '../../src/storage/event-log.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { envelopeOf } from '../../src/streams/envelope.ts';
import { cliHere } from '../cli/support.ts';
import { event, idOf, to } from '../storage/log-helpers.ts';
import { byDepth, ENGINES, firstRows, IS_LONG } from '../support/depth.ts';
import { memoryFolder, removeFolder } from '../support/folders.ts';
import { EVENTS, noteOf } from './store-trial.ts';

const STEP = byDepth({ sample: 997, dense: 331, long: 1 });
const CUT_STEP = byDepth({ sample: 249, dense: 41, long: 1 });
vi.setConfig({ testTimeout: IS_LONG ? 600_000 : 60_000 });

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
async function homeOf(
  backend: DiskBackend,
  events: readonly Placed[],
  erased: readonly number[] = [],
): Promise<string> {
  const home = memoryFolder('tamper');
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  const storage = await openStorage({ directory: join(home, 'data'), backend });
  if (events.length > 0) await storage.log.append(events.map(({ stream, event: each }) => to(stream, [each])));
  if (erased.length > 0) await storage.log.erase(erased);
  await storage.close();
  return home;
}

async function rootOf(events: readonly Placed[]): Promise<string> {
  return (await envelopesOf(events)).root;
}

async function envelopesOf(events: readonly Placed[]) {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  await log.append(events.map(({ stream, event: each }) => to(stream, [each])));
  return { root: log.treeHash(events.length), envelopes: [...log.readAll()].map(envelopeOf) };
}

let checkpoint: string;
let vkey: string;
let root: string;

beforeAll(async () => {
  root = await rootOf(ALL);
  ({ path: checkpoint, vkey } = noteOf(root));
});

async function verify(home: string, note = checkpoint) {
  const end = await cliHere(['log', 'verify', '--checkpoint', note, '--vkey', vkey], { home });
  removeFolder(home);
  return end;
}

const OLD = `that the checkpoint was signed for`;

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

describe.each(ENGINES)('daybook log verify --checkpoint, on a store of %s,', (backend) => {
  it('accepts the log itself, a longer one, and one of which payloads were erased', async () => {
    const more = Array.from({ length: 50 }, (_, at) => placed(EVENTS + at + 1));
    const homes = [await homeOf(backend, ALL), await homeOf(backend, [...ALL, ...more])];
    for (const home of [...homes, await homeOf(backend, ALL, [1, 500, EVENTS])]) {
      const { code, stdout } = await verify(home);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining('It begins with the 1000 events of the signed checkpoint.'),
      ]);
    }
  });

  it.each([0, 256, 999])('names a log that was cut after %i events', async (kept) => {
    const { code, stdout } = await verify(await homeOf(backend, ALL.slice(0, kept)));
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(`${OLD}: the log is shorter than that, it was cut or rolled back to ${kept} events`),
    ]);
  });

  it('names a log that was rolled back to a backup, and one that went on differently from there', async () => {
    const home = await homeOf(backend, ALL.slice(0, 600));
    const storage = await openStorage({ directory: join(home, 'data') });
    await backupStorage(storage, join(home, 'backup'));
    await storage.close();
    removeFolder(join(home, 'data'));
    renameSync(join(home, 'backup'), join(home, 'data'));
    const forked = await openStorage({ directory: join(home, 'data') });
    const grown = memoryFolder('grown');
    await backupStorage(forked, join(grown, 'data'));
    await forked.close();
    expect((await verify(home)).stdout).toContain('it was cut or rolled back to 600 events');
    const more = await openStorage({ directory: join(grown, 'data') });
    await more.log.append(ALL.slice(600).map((_, at) => to('stream-1', [other(600 + at).event])));
    await more.close();
    expect((await verify(grown)).stdout).toContain(`${OLD}: events before that were changed`);
  });

  it.each(firstRows(2, REWRITTEN))('finds a log that was written anew with %s', async (_, make) => {
    const { code, stdout } = await verify(await homeOf(backend, renumbered(make(500))));
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${OLD}: events before that were changed`)]);
  });

  it('finds a fork: of two readers, each with a checkpoint of the key, one holds another history', async () => {
    const theirs = ALL.with(700, other(700));
    const note = noteOf(await rootOf(theirs)).path;
    expect(await verify(await homeOf(backend, theirs), note)).toMatchObject({ code: 0 });
    expect((await verify(await homeOf(backend, theirs))).stdout).toContain(`${OLD}: events before that were changed`);
    expect((await verify(await homeOf(backend, ALL), note)).stdout).toContain(
      `${OLD}: events before that were changed`,
    );
  });

  it('refuses a log that was signed anew with another key', async () => {
    const theirs = ALL.with(700, other(700));
    const note = noteOf(await rootOf(theirs), signingKey(Buffer.alloc(32, 2))).path;
    const { code, stderr } = await verify(await homeOf(backend, theirs), note);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Nobody with the key ${vkey} signed it.`)]);
  });
});

describe('the events alone', () => {
  const progress = { at: () => undefined };
  let envelopes: readonly Envelope[];
  beforeAll(async () => {
    ({ envelopes } = await envelopesOf(ALL));
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
    for (let kept = 0; kept < EVENTS; kept += CUT_STEP) {
      const [problem] = await problemsOf(envelopes.slice(0, kept));
      expect(problem?.what).toContain(`cut or rolled back to ${kept} events`);
    }
  });

  it.each(REWRITTEN)('written anew with %s, at any event', async (_, make) => {
    for (let at = 0; at < EVENTS - 1; at += STEP) {
      const rewritten = await envelopesOf(renumbered(make(at)));
      const [problem] = await problemsOf(rewritten.envelopes);
      expect([at, problem?.what]).toEqual([at, expect.stringContaining(`${OLD}: events before that were changed`)]);
    }
  });
});
