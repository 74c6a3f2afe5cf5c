/** `daybook memory import`: a file of any size, in several requests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { daemonHere } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { cliHere } from './support.ts';

/** 100 of them are more than one request takes. */
const entry = (number: number) => ({ memory: `Note ${number}: ${`word${number} `.repeat(400)}` });

async function imported(entries: readonly unknown[], ...words: readonly string[]) {
  const daemon = await daemonHere();
  const file = join(temporaryFolder('import'), 'memories.json');
  writeFileSync(file, `\uFEFF${JSON.stringify({ results: entries })}`);
  const end = await cliHere(['memory', 'import', file, ...words], { home: daemon.home });
  const stats = await cliHere(['memory', '--json'], { home: daemon.home });
  return { ...end, total: (JSON.parse(stats.stdout) as { total_memories: number }).total_memories };
}

test('entries of all requests count, faulty ones by their index in the file', async () => {
  const entries = Array.from({ length: 150 }, (_, number) => entry(number));
  const huge = { memory: 'x'.repeat(1_100_000) };
  const faulty = entries.with(2, { memory: '' }).with(120, { memory: ' ' }).with(130, huge);
  expect(await imported(faulty)).toEqual({
    code: 0,
    stdout: [
      '147 of 150 entries imported.',
      '  entry 2: it has no text',
      '  entry 120: it has no text',
      '  entry 130: it is too large for one request',
      '',
    ].join('\n'),
    stderr: '',
    total: 147,
  });
});

// The account was imported as 9007199254740992.
test('a whole number in the file is kept to its last digit', async () => {
  const { home } = await daemonHere();
  const file = join(temporaryFolder('import'), 'accounts.json');
  writeFileSync(file, '[{"memory":"The account of Ada","metadata":{"account":9007199254740993}}]');
  await cliHere(['memory', 'import', file], { home });
  const { stdout } = await cliHere(['memory', 'export'], { home });
  expect(JSON.parse(stdout)).toMatchObject([{ meta: { account: '9007199254740993' } }]);
});

// Each byte of another encoding was imported as a �.
test('a file that is not UTF-8 is refused', async () => {
  const file = join(temporaryFolder('import'), 'latin.json');
  writeFileSync(file, '[{"content":"café"}]', 'latin1');
  expect(await cliHere(['memory', 'import', file], { home: temporaryFolder('home') })).toEqual({
    code: 1,
    stdout: '',
    stderr: `daybook: ${file} has bytes that are not UTF-8.\n`,
  });
});

// Only the error was printed, then nothing of the request that failed. Who repeated the import had these entries twice.
test('when a request fails, the command says how many entries were imported', async () => {
  const send = globalThis.fetch;
  let requests = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (!String(input).endsWith('/memory/import')) return send(input, init);
    requests += 1;
    return requests === 2 ? Response.json({ error: 'The disk is full.' }, { status: 507 }) : send(input, init);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { code, stdout, stderr, total } = await imported(Array.from({ length: 150 }, (_, number) => entry(number)));
  expect([code, stdout]).toEqual([1, '']);
  expect(total).toBeGreaterThan(0);
  const next = Math.min(total, 150 - total);
  expect(stderr).toBe(
    `daybook: Imported were ${total} of the first ${total}, and perhaps some of the next ${next} entries. ` +
      'The disk is full.\n',
  );
});
