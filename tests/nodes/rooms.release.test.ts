/** A room whose peers are connected to different daemons. */
import { expect, it, onTestFinished } from 'vitest';
import { WebsocketProvider } from 'y-websocket';
import { Doc } from 'yjs';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type NodeHere, nodeHere } from './support.ts';

withPostgres('a room over several daemons', (cluster) => {
  function join({ url, token }: NodeHere): Doc {
    const document = new Doc();
    const address = `${url.replace('http', 'ws')}/ws/yjs`;
    const provider = new WebsocketProvider(address, 'shared', document, { params: { token }, disableBc: true });
    onTestFinished(() => provider.destroy());
    return document;
  }

  it('shows each peer what the others write, and keeps all of it', async () => {
    const url = await cluster().newLog();
    const [a, b] = await Promise.all([nodeHere({ url }), nodeHere({ url })]);
    const [first, second] = [join(a), join(b)];
    const [one, two] = [first.getText('text'), second.getText('text')];
    one.insert(0, 'from a ');
    await until(() => two.toString() === 'from a ', 'b has what a wrote');
    two.insert(two.length, 'from b');
    await until(() => one.toString() === 'from a from b', 'a has what b wrote');
    const late = join(a).getText('text');
    await until(() => late.toString() === 'from a from b', 'a later peer has all of it');
    expect(two.toString()).toBe('from a from b');
  });

  it('is never recorded as a whole state, which could lack what another daemon appended just before', async () => {
    const url = await cluster().newLog();
    const [a, b] = await Promise.all([nodeHere({ url }), nodeHere({ url })]);
    const [one, two] = [join(a).getText('text'), join(b).getText('text')];
    // A daemon with a log of its own records the whole state after 256 KiB of updates.
    for (let piece = 1; piece <= 3; piece += 1) {
      one.insert(one.length, `${piece}`.repeat(120_000));
      await until(() => two.length === piece * 120_000, `b has piece ${piece}`);
    }
    const text = `SELECT type, sum(octet_length(record))::int AS bytes FROM ${new URL(url).searchParams.get('schema')}.events
      WHERE stream LIKE 'room%' GROUP BY type`;
    let rows: { type: string; bytes: number }[] = [];
    await until(async () => {
      rows = await cluster().query<{ type: string; bytes: number }>(text);
      return rows.some(({ type, bytes }) => type === 'RoomTextChanged' && bytes > 360_000);
    }, 'all of it is recorded');
    expect(rows.map(({ type }) => type)).not.toContain('RoomTextCompacted');
    const late = join(b).getText('text');
    await until(() => late.length === 360_000, 'a later peer has all of it');
  });
});
