/** A room whose peers are connected to different daemons. */
import { expect, it, onTestFinished } from 'vitest';
import { WebsocketProvider } from 'y-websocket';
import { Doc } from 'yjs';
import { withPostgres } from '../support/postgres.ts';
import { type NodeDaemon, nodeDaemon, until } from './support.ts';

withPostgres('a room over several daemons', (cluster) => {
  function join({ url, token }: NodeDaemon): Doc {
    const document = new Doc();
    const address = `${url.replace('http', 'ws')}/ws/yjs`;
    const provider = new WebsocketProvider(address, 'shared', document, { params: { token }, disableBc: true });
    onTestFinished(() => provider.destroy());
    return document;
  }

  it('shows each peer what the others write, and keeps all of it', async () => {
    const url = await cluster().newLog();
    const [a, b] = await Promise.all([nodeDaemon({ url }), nodeDaemon({ url })]);
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
});
