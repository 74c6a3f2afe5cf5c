/**
 * Work with a connector, such as a probe, ends when that connector is disabled or removed, but not with another one.
 */
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type ConnectorCommand, connector, connectorStreamId } from '../../src/commands/connector/decide.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { whileEnabled } from '../../src/reactors/connector/while-enabled.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import type { EventBatch } from '../../src/streams/committed-events.ts';

const OWNER = { actor: 'owner', correlation: null };
const SCOPE = { root: '/work', key: 'key' };

/** Two connectors, and work with the first of them that goes on until its signal ends it. */
async function working() {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const appended$ = new Subject<EventBatch>();
  log.onAppended((events) => appended$.next(events));
  const handler = createCommandHandler({ log, clock: systemClock, ids: systemIds });
  const send = (id: string, command: ConnectorCommand) =>
    handler.dispatch(connector, connectorStreamId(SCOPE.key, id), command, { origin: OWNER });
  for (const id of ['mine', 'other']) {
    const own = { catalog_id: null, title: id, command: 'x', args: [], credential_names: [] };
    await send(id, { type: 'AddConnector', workspace: SCOPE.root, id, ...own });
  }
  const caller = new AbortController();
  const work = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const ended = whileEnabled({ appended$ }, { scope: SCOPE, id: 'mine' }, { signal: caller.signal, work });
  return { send, caller, ended: ended.catch((error: Error) => error.message), appended$ };
}

const of = (id: string) => ({ workspace: SCOPE.root, id });

describe('work with a connector', () => {
  it('ends when the connector is removed', async () => {
    const { send, ended, appended$ } = await working();
    await send('other', { type: 'RemoveConnector', ...of('other') });
    await send('mine', { type: 'RemoveConnector', ...of('mine') });
    expect(await ended).toMatch(/'mine'/);
    expect(appended$.observed).toBe(false);
  });

  it('ends when the connector is disabled', async () => {
    const { send, ended } = await working();
    await send('other', { type: 'ToggleConnector', ...of('other'), enabled: false });
    await send('mine', { type: 'ToggleConnector', ...of('mine'), enabled: false });
    expect(await ended).toBe("The connector 'mine' is disabled.");
  });

  it('goes on while another one is removed, and ends with its caller', async () => {
    const { send, ended, caller } = await working();
    await send('other', { type: 'RemoveConnector', ...of('other') });
    caller.abort(new Error('The client is gone.'));
    expect(await ended).toBe('The client is gone.');
  });
});
