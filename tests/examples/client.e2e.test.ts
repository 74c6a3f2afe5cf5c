/** The examples of docs/client.md: they run against a daemon, and the page quotes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, follow, judge, run, taskOrNull } from '../../examples/client/calls.ts';
import { goalTitles } from '../../examples/client/observables.ts';
import { write } from '../../examples/client/room.ts';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon();
const before = process.env.DAYBOOK_HOME;
beforeAll(() => {
  process.env.DAYBOOK_HOME = daemon.home;
});
afterAll(() => {
  if (before === undefined) delete process.env.DAYBOOK_HOME;
  else process.env.DAYBOOK_HOME = before;
});

describe('the examples', () => {
  it('start a run and follow it', async () => {
    expect((await run(connect())).at(-1)?.type).toBe('complete');
  });

  it('judge a gate', async () => expect(await judge(connect())).toBe('pass'));

  it('look for a task that is not there', async () => expect(await taskOrNull(connect(), 'nowhere')).toBeNull());

  it('follow the log, as observables too', async () => {
    const client = connect();
    const { position } = await client.log.head();
    const stop = new AbortController();
    const following = follow(client, position, stop.signal);
    const title = firstValueFrom(goalTitles(client));
    await client.goals.create({ title: 'Ship it' });
    expect(await title).toBe('Ship it');
    stop.abort();
    expect(Array.isArray(await following)).toBe(true);
  });

  it('write in a room', async () => expect(await write(connect())).toBe('# Plan'));
});

/** In the repository the examples import the sources of the package. */
const asImported = (source: string): string =>
  source
    .replace("'../../src/client/client.ts'", "'daybook/client'")
    .replace(/'\.\.\/\.\.\/src\/client\/(\w+)\.ts'/, "'daybook/client/$1'");

describe('the page', () => {
  const root = join(import.meta.dirname, '../..');
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  const folder = join(root, 'examples/client');
  const sources = readdirSync(folder).map((file) => asImported(readFileSync(join(folder, file), 'utf8')));
  const quotes = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);

  it.each(quotes)('quotes the compiled code: %#', (code) => {
    expect(sources.some((source) => source.includes(code))).toBe(true);
  });
});
