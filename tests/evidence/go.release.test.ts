/**
 * A bundle of a daemon, verified by a program that is not Daybook's: Go's `sumdb/note` and `sumdb/tlog` check the
 * checkpoint and every proof against the events. Skipped without Go unless DAYBOOK_TEST_GO=required, as
 * `tests/tlog/go.release.test.ts`.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { says } from '../fakes/providers/server.ts';
import { type Bench, bench } from '../run/support.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { goProgram, hasGo, isGoRequired } from '../tlog/support.ts';
import { bundleOf, logKeyOf, packed, resigned, unpacked } from './support.ts';

const key = logKeyOf(1);

/** What the program says; rejects with the first thing that is wrong. */
async function goSays(zip: Uint8Array, vkey?: string): Promise<string> {
  const file = join(temporaryFolder('go-bundle'), 'bundle.zip');
  writeFileSync(file, zip);
  const program = await goProgram(resolve('tests/evidence/go'));
  const { stdout } = await promisify(execFile)(program, [file, ...(vkey === undefined ? [] : [vkey])]);
  return stdout;
}

async function smallBundle(): Promise<Buffer> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (const number of [1, 2, 3, 4, 5]) {
    await log.append([to(number % 2 === 0 ? 'other-1' : 'case-7', [event(number, { words: `„said“ ${number}` })])]);
  }
  await log.erase([3]);
  return bundleOf(log, { subject: { kind: 'stream', id: 'case-7' } });
}

describe.skipIf(!hasGo && !isGoRequired)('Go', () => {
  let fixture: Bench;
  beforeAll(async () => {
    fixture = await bench('openai');
  });
  afterAll(() => fixture.close());

  it('accepts the bundle of a run of a daemon, and of everything that the daemon recorded', async () => {
    fixture.provider.script(says('Done.'));
    const run = await fixture.start({ task: 'Say that it is done.' });
    await fixture.events(run);
    const vkey = ((await (await fixture.daemon.request('/v1/log/key')).json()) as { vkey: string }).vkey;
    const { position } = (await (await fixture.daemon.request('/v1/log/head')).json()) as { position: number };
    for (const [path, count] of [
      [`/jobs/${run}/evidence.zip`, /^\d+ events/],
      [`/v1/evidence.zip?positions=1-${position}`, new RegExp(`^${position} events`)],
    ] as const) {
      const zip = Buffer.from(await (await fixture.daemon.request(path)).arrayBuffer());
      expect(await goSays(zip, vkey)).toMatch(count);
    }
  });

  it('accepts an erased payload, and refuses what was changed', async () => {
    const zip = await smallBundle();
    expect(await goSays(zip, key.vkey)).toBe('4 events are in the log as they are here\n');
    expect(await goSays(zip)).toContain('4 events');
    await expect(goSays(zip, logKeyOf(2).vkey)).rejects.toThrow('note has no verifiable signatures');
    const change = (name: string, from: string, by: string) => {
      const files = unpacked(zip);
      files.set(name, Buffer.from(files.get(name)!.toString().replace(from, by)));
      return files;
    };
    await expect(goSays(packed(change('events.jsonl', 'said', 'sold')))).rejects.toThrow('events.jsonl is not the one');
    await expect(goSays(packed(change('manifest.json', '"events":4', '"events":5')))).rejects.toThrow('manifest.json');
    await expect(goSays(resigned(change('events.jsonl', 'said', 'sold'), key))).rejects.toThrow('event 1 was changed');
    await expect(goSays(resigned(change('proofs/5.tlog-proof', '\n6\n', '\n7\n'), key))).rejects.toThrow('event 5');
    const added = unpacked(zip).set('more', Buffer.from('x'));
    await expect(goSays(packed(added))).rejects.toThrow('a file was added');
  });
});
