/** A process with input on its standard input, whose output is read as it arrives. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { callMarker } from '../../src/integrations/tools/marker.ts';
import { type ProcessJob, runProcess } from '../../src/integrations/tools/process.ts';
import { temporaryFolder } from '../support/folders.ts';

const cwd = temporaryFolder('process');
const { signal } = new AbortController();

function job(command: string, more: Partial<ProcessJob> = {}): ProcessJob {
  const limits = { timeoutSeconds: 20, outputBytesMax: 1_000, printedBytesMax: 10_000_000 };
  const marker = callMarker(cwd, 'process-streams');
  return { command: ['sh', '-c', command], cwd, env: { PATH: process.env.PATH ?? '' }, marker, ...limits, ...more };
}

it('reads what it is given, to its end', async () => {
  const input = Readable.from([Buffer.from('one '), Buffer.from('two')]);
  const end = await runProcess(job('cat', { input }), signal);
  expect(end).toMatchObject({ kind: 'exited', code: 0, stdout: { head: 'one two' } });
});

it('reads nothing unless it is given something', async () => {
  expect(await runProcess(job('cat'), signal)).toMatchObject({ code: 0, stdout: { head: '' } });
});

it('may end before it read everything', async () => {
  const input = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(65_536)));
  expect(await runProcess(job('head -c 1 >/dev/null; exit 3', { input }), signal)).toMatchObject({ code: 3 });
});

it('tells every byte it printed, also what is not kept', async () => {
  const told = { stdout: 0, stderr: 0 };
  const printed: NonNullable<ProcessJob['printed']> = (stream, chunk) => {
    told[stream] += chunk.length;
  };
  const end = await runProcess(job('head -c 500000 /dev/zero; head -c 7 /dev/zero >&2', { printed }), signal);
  expect(told).toEqual({ stdout: 500_000, stderr: 7 });
  expect(end.stdout.droppedBytes).toBeGreaterThan(400_000);
});

it('says why it was not started', async () => {
  const end = await runProcess(job('true', { cwd: `${cwd}/gone` }), signal);
  expect([end.kind, end.fault]).toEqual(['not_started', 'its folder or /bin/sh is gone']);
});
