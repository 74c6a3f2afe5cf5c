/**
 * Recorded runs replay identically without a network, and after an upgrade from the home of an earlier release. The
 * program runs in a network namespace in which every interface is down, the loopback too.
 */
import { execFile, spawnSync } from 'node:child_process';
import { createReadStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { importLines } from '../../src/storage/import.ts';
import { openStorage } from '../../src/storage/open.ts';
import { callsTool, says } from '../fakes/providers/server.ts';
import { ENGINES, IS_DENSE } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { PROGRAM } from '../support/program.ts';
import { benchHere } from './support.ts';

/** As root, and as a user who may make namespaces of their own. */
const CUT = [['--net'], ['--map-root-user', '--net']].find(
  (words) => spawnSync('unshare', [...words, 'true']).status === 0,
);
if (CUT === undefined) console.log('Skipped: this machine lets nobody make a network namespace (unshare --net).');
const cutOff = describe.skipIf(CUT === undefined);

async function withoutNetwork(program: string, ...words: readonly string[]) {
  const { stdout } = await promisify(execFile)('unshare', [...CUT!, program, ...words], { encoding: 'utf8' });
  return stdout;
}

const replay = async (home: string, session: string): Promise<unknown> =>
  JSON.parse(await withoutNetwork(process.execPath, PROGRAM, 'replay', session, '--json', '--home', home));

cutOff('with the network cut', () => {
  it('nothing can be connected to, not even this machine', async () => {
    const attempt = `net.connect(9, '127.0.0.1').on('error', ({ code }) => console.log(code))`;
    expect(await withoutNetwork(process.execPath, '-e', attempt)).toBe('ENETUNREACH\n');
  });

  it('a run of a model of a provider, with tools, a failure and a retry, replays identically', async () => {
    const { daemon, provider, start, events, close } = await benchHere('openai', { DAYBOOK_APPROVAL: 'full-auto' });
    provider.script(
      callsTool({ name: 'write_file', input: { path: 'a.txt', content: 'a' } }),
      callsTool({ name: 'read_file', input: { path: 'none.txt' } }),
      says('Done.'),
    );
    const session = await start({ task: 'Write a file.' });
    await events(session);
    await close();
    expect(await replay(daemon.home, session.slice(0, 10))).toMatchObject({
      ...{ session_id: session, identical: true, divergence: null, effects: 5 },
    });
  });

  it.each(ENGINES)('every run in the home of 0.1.0, in a store of %s, replays identically', async (backend) => {
    const home = temporaryFolder('upgraded');
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    const storage = await openStorage({ directory: join(home, 'data'), backend });
    const golden = join(import.meta.dirname, '../golden/0.1.0');
    await importLines(storage.log, createReadStream(join(golden, 'events.jsonl')));
    const { tree_hash } = JSON.parse(readFileSync(join(golden, 'head.json'), 'utf8')) as { tree_hash: string };
    expect(storage.log.head().treeHash).toBe(tree_hash);
    const streams = new Set([...storage.log.readAll()].map(({ stream }) => stream));
    await storage.close();
    const sessions = [...streams].flatMap((stream) => /^run-(.*)$/.exec(stream)?.slice(1) ?? []);
    expect(sessions.length).toBeGreaterThan(10);
    const tried = IS_DENSE && backend === 'lsm' ? sessions : sessions.slice(0, 2);
    for (const session of tried) {
      expect(await replay(home, session)).toMatchObject({ session_id: session, identical: true, divergence: null });
    }
  });
});
