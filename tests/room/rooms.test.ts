/** The rooms in memory: a peer that was refused gives up its own place only. */
import { EMPTY } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { createReplicas } from '../../src/integrations/rooms/replicas.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { Rooms } from '../../src/live/room/rooms.ts';
import type { ReplicasPort } from '../../src/ports/replica.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandHandler, createCommandHandler } from '../../src/streams/command-handler.ts';
import { temporaryFolder } from '../support/folders.ts';

it('a room stays in memory for its peer when an earlier peer is refused late', async () => {
  const { log } = await openStorage({ directory: temporaryFolder('data'), ephemeral: true });
  onTestFinished(() => log.close());
  const handler = createCommandHandler({ log, clock: systemClock, ids: systemIds });
  const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
  let dispatches = 0;
  const dispatch: CommandHandler['dispatch'] = async (...command) => {
    dispatches += 1;
    if (dispatches === 1) await recorded;
    return handler.dispatch(...command);
  };
  const real = createReplicas();
  let opens = 0;
  const replicas: ReplicasPort = {
    async open(history) {
      opens += 1;
      if (opens === 1) throw new Error('the log cannot be read');
      return real.open(history);
    },
  };
  const commandHandler = { ...handler, dispatch };
  const rooms = new Rooms({
    log,
    commandHandler,
    replicas,
    appended$: EMPTY,
    isShared: false,
    announce: () => undefined,
  });
  onTestFinished(() => rooms.close());

  const refused = expect(rooms.acquire('r')).rejects.toThrow('the log cannot be read');
  // The room that cannot be opened leaves memory before its peer is recorded.
  await new Promise(setImmediate);
  const room = await rooms.acquire('r');
  record();
  await refused;
  await new Promise(setImmediate);
  expect(await rooms.acquire('r')).toBe(room);
});
