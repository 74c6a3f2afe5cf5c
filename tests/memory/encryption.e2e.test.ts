/**
 * Encryption at rest, checked from outside: no word of a memory, a fact or a drawer is in any file of the home, before
 * and after a restart; without the key nothing can be read.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstRows } from '../support/depth.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { dumpViews } from './dump.ts';
import { killableMemoryDaemon, type MemoryClient, memoryDaemon } from './support.ts';

/** A busy machine takes longer than a second for a start. */
const SOON = { timeout: 20_000 };
const PASSPHRASE = 'correct horse battery staple';
const SECRETS = ['wisteria', 'kumquat', 'marmalade', 'obsidian'];

const start = (home: string, env: NodeJS.ProcessEnv = {}) => killableMemoryDaemon({ home, env });

/** For tests that end no daemon by force. */
const startHere = (home: string, env: NodeJS.ProcessEnv = {}) => memoryDaemon({ home, env });

function filesWithSecrets(home: string): readonly string[] {
  return filesWhere(home, (bytes) => {
    const text = bytes.toString('latin1').toLowerCase();
    return SECRETS.some((secret) => text.includes(secret));
  });
}

async function fill({ post, add }: MemoryClient): Promise<void> {
  const id = await add('The wisteria grows over the gate', { tags: ['wisteria'], metadata: { plant: 'wisteria' } });
  await add('The wisteria grows over the old gate');
  await post('/memory/pin', { id });
  const eaten = { subject: 'Ines', predicate: 'eats', object: 'kumquat', valid_from: 10 };
  await post('/memory/fact', eaten, { 'idempotency-key': 'told' });
  await post('/memory/fact', eaten, { 'idempotency-key': 'told again, which changes nothing' });
  await post('/memory/fact', { ...eaten, object: 'figs', valid_from: 20 });
  await post('/memory/chunk', { content: `${'Marmalade '.repeat(300)}done`, source: 'obsidian.md' });
  await post('/memory/context', { query: 'wisteria' });
}

/** What a client sees of the store. */
async function seen({ get }: MemoryClient) {
  const stats = (await get('/memory/stats')).body;
  const { memories } = (await get('/memory/list')).body;
  const { facts } = (await get('/memory/facts')).body;
  const { drawers } = (await get('/memory/drawers?source=obsidian.md')).body;
  return {
    counts: [stats.total_memories, stats.total_facts, stats.total_drawers, stats.total_waypoints],
    memories: memories.map(({ id, content, tags, pinned, sector }) => ({ id, content, tags, pinned, sector })),
    facts,
    text: drawers.reduce((text, { content }, at) => text + content.slice(at === 0 ? 0 : 100), ''),
  };
}

describe('encryption', () => {
  it('switched on leaves no word on the disk, and everything as it was to its owner', async () => {
    const home = temporaryFolder('memory-seal');
    const daemon = await start(home);
    await fill(daemon);
    expect(filesWithSecrets(home)).not.toEqual([]);
    const before = await seen(daemon);
    expect(before.text).toBe(`${'Marmalade '.repeat(300)}done`);
    const weak = await daemon.post('/memory/encryption', { passphrase: 'short' });
    expect([weak.status, weak.body.error.includes('passphrase')]).toEqual([400, true]);
    const done = await daemon.post('/memory/encryption', { passphrase: PASSPHRASE });
    expect(done.body).toEqual({ enabled: true, locked: false, warming: false, key_source: 'passphrase' });
    expect(await seen(daemon)).toEqual(before);
    expect(filesWithSecrets(home)).toEqual([]);
    expect((await daemon.get('/memory/stats')).body.encryption).toBe(true);
    expect((await daemon.get('/health')).body.memory).toMatchObject({ encryption_enabled: true, total_memories: 2 });
    await daemon.add('More wisteria, and obsidian');
    const keyed = { 'idempotency-key': 'sealed' };
    const first = await daemon.post('/memory/add', { content: 'Kumquat jam', tags: ['kumquat'] }, keyed);
    expect(await daemon.post('/memory/add', { content: 'Kumquat jam', tags: ['kumquat'] }, keyed)).toEqual(first);
    const again = await daemon.post('/memory/chunk', {
      content: `${'Marmalade '.repeat(300)}done`,
      source: 'obsidian.md',
    });
    expect(again.body.chunks_created).toBe(0);
    await daemon.post('/memory/fact', { subject: 'Ines', predicate: 'eats', object: 'obsidian', valid_from: 15 });
    expect((await daemon.post('/memory/query', { query: 'wisteria', limit: 5 })).body.results[0]!.content).toMatch(
      /wisteria/i,
    );
    const { total_memories } = (await daemon.get('/memory/stats')).body;
    await daemon.kill('SIGKILL');
    expect(filesWithSecrets(home)).toEqual([]);

    // A repeat after a restart was taken for something new: such answers were kept in memory only.
    const next = await start(home);
    expect((await next.post('/memory/add', { content: 'Kumquat jam', tags: ['kumquat'] }, keyed)).status).toBe(503);
    await next.post('/memory/encryption', { passphrase: PASSPHRASE });
    expect(await next.post('/memory/add', { content: 'Kumquat jam', tags: ['kumquat'] }, keyed)).toEqual(first);
    expect((await next.post('/memory/add', { content: 'Kumquat jelly' }, keyed)).status).toBe(409);
    expect((await next.get('/memory/stats')).body.total_memories).toBe(total_memories);
    await next.kill('SIGTERM');
    expect(filesWithSecrets(home)).toEqual([]);
  });

  it('is locked without the key, opens with it, refuses another one, and outlives a rebuild of the views', async () => {
    const home = temporaryFolder('memory-lock');
    const daemon = await startHere(home, { DAYBOOK_MEMORY_ENCRYPTION: 'true', DAYBOOK_MEMORY_PASSPHRASE: PASSPHRASE });
    await fill(daemon);
    const before = await seen(daemon);
    expect(filesWithSecrets(home)).toEqual([]);
    await daemon.stop();
    const dump = dumpViews(home);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(home, `views.db${suffix}`), { force: true });

    const locked = await startHere(home);
    const refused = await locked.post('/memory/query', { query: 'wisteria' });
    expect([refused.status, refused.body.error.includes('locked')]).toEqual([503, true]);
    expect((await locked.get('/health')).body.memory.status).toBe('locked');
    expect((await locked.post('/memory/encryption', { passphrase: 'another passphrase' })).status).toBe(403);
    expect((await locked.post('/memory/encryption', { passphrase: PASSPHRASE })).body.locked).toBe(false);
    expect(await seen(locked)).toEqual(before);
    expect((await locked.post('/memory/add', { content: 'The wisteria grows over the gate' })).body.recognised).toBe(
      'exact',
    );
    await locked.stop();
    const { memory_loops: _loops, ...rest } = dumpViews(home);
    const { memory_loops: _none, ...expected } = dump;
    expect(rest).toEqual(expected);

    const opened = await startHere(home, { DAYBOOK_MEMORY_PASSPHRASE: PASSPHRASE });
    expect(await seen(opened)).toEqual(before);
    await opened.stop();
  });

  it.each(firstRows(1, ['alone', 'and asked for again']))(
    'whose beginning is cut short is finished at the next start, %s',
    async (how) => {
      const home = temporaryFolder('memory-half');
      const daemon = await start(home);
      // Sealed in three commits of at most a hundred; the second one is the last before the kill.
      const entries = Array.from({ length: 250 }, (_, at) => ({ memory: `Entry ${at} about wisteria and ${at * 7}` }));
      await daemon.post('/memory/import', { content: JSON.stringify(entries) });
      await fill(daemon);
      const before = await seen(daemon);
      const enabling = daemon.post('/memory/encryption', { passphrase: PASSPHRASE }).catch(() => null);
      let sealed = 0;
      await daemon.event(({ type }) => {
        if (type === 'MemorySealed') sealed += 1;
        return sealed > 100;
      });
      await daemon.kill('SIGKILL');
      await enabling;
      expect(filesWithSecrets(home)).not.toEqual([]);
      const again = await start(home, { DAYBOOK_MEMORY_PASSPHRASE: PASSPHRASE });
      if (how === 'alone') await again.event('MemoryEncryptionSettled', { seconds: 60 });
      else expect((await again.post('/memory/encryption')).body).toMatchObject({ enabled: true });
      expect(filesWithSecrets(home)).toEqual([]);
      expect(await seen(again)).toEqual(before);
      await again.kill('SIGTERM');
    },
  );

  it('leaves no word in views that were behind the log at a start', async () => {
    const home = temporaryFolder('memory-behind');
    const daemon = await startHere(home);
    // Sealed in two commits.
    const entries = Array.from({ length: 150 }, (_, at) => ({ memory: `Entry ${at} about wisteria and ${at * 7}` }));
    await daemon.post('/memory/import', { content: JSON.stringify(entries) });
    await fill(daemon);
    await daemon.stop();
    const views = readFileSync(join(home, 'views.db'));
    const env = { DAYBOOK_MEMORY_PASSPHRASE: PASSPHRASE };
    const sealing = await startHere(home, env);
    expect((await sealing.post('/memory/encryption')).body).toMatchObject({ enabled: true });
    await sealing.stop();
    // Views are not synced at every commit: after a power cut they may be as they were before.
    writeFileSync(join(home, 'views.db'), views);
    expect(filesWithSecrets(home)).not.toEqual([]);
    const again = await startHere(home, env);
    await expect.poll(async () => (await again.get('/memory/list')).status, SOON).toBe(200);
    await expect.poll(() => filesWithSecrets(home), SOON).toEqual([]);
    await again.stop();
    expect(filesWithSecrets(home)).toEqual([]);
  });

  it('that is asked for and cannot be had keeps nothing at all', async () => {
    const home = temporaryFolder('memory-refuse');
    const daemon = await startHere(home, {
      DAYBOOK_MEMORY_ENCRYPTION: 'true',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
      // How many a script says that there is none: nothing may be sealed with an empty passphrase.
      DAYBOOK_MEMORY_PASSPHRASE: '',
    });
    expect((await daemon.post('/memory/add', { content: 'wisteria' })).status).toBe(503);
    expect(daemon.lines.join('\n')).toContain('Memories');
    expect((await daemon.get('/memory/encryption')).body.enabled).toBe(false);
    expect((await daemon.post('/memory/encryption', { passphrase: PASSPHRASE })).body.locked).toBe(false);
    expect((await daemon.post('/memory/add', { content: 'wisteria' })).status).toBe(201);
    await daemon.stop();
  });
});
