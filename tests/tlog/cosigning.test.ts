/** When witnesses are asked again, with posts and timers that the test controls. */
import { expect, it } from 'vitest';
import { logWitnesses, WITNESSES_STREAM_ID, type WitnessCommand } from '../../src/commands/tlog/witnesses.ts';
import { NewerEventError } from '../../src/events/decode.ts';
import { openCheckpointStore } from '../../src/integrations/tlog/checkpoint-store.ts';
import { Cosigning } from '../../src/reactors/tlog/cosigning.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { movableClock } from '../http/clock.ts';
import { event, to } from '../storage/log-helpers.ts';
import { steadySystem } from '../support/steady-system.ts';

const CHECKPOINT = { origin: 'o', size: 0, at: 1, note: 'a note', witnesses: [] };

async function emptyLog() {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const commandHandler = createCommandHandler({ log, ...steadySystem() });
  const change = (command: WitnessCommand) =>
    commandHandler.dispatch(logWitnesses, WITNESSES_STREAM_ID, command, {
      origin: { actor: 'owner', correlation: null },
    });
  return { log, commandHandler, change };
}

it('a witness that is removed while it is asked is not waited for', async () => {
  const { log, commandHandler, change } = await emptyLog();
  await change({ type: 'AddWitness', url: 'http://slow', vkey: 'slow' });
  await change({ type: 'AddWitness', url: 'http://away', vkey: 'away' });
  const slow = Promise.withResolvers<never>();
  const time = movableClock();
  const waits: { ms: number; end: () => void }[] = [];
  const asked: string[] = [];
  const cosigning = new Cosigning({
    ...{ log, commandHandler, clock: time.clock, announce: () => undefined },
    checkpoints: { newest: async () => CHECKPOINT, onSigned: () => undefined },
    store: openCheckpointStore(null, () => undefined),
    post({ url }) {
      asked.push(url);
      return url.startsWith('http://slow') ? slow.promise : Promise.reject(new Error('no answer'));
    },
    after(ms, end) {
      waits.push({ ms, end });
      return () => undefined;
    },
    isOnDuty: () => true,
    quorum: undefined,
  });
  const first = cosigning.start();
  await expect.poll(() => asked.length).toBe(2);
  await change({ type: 'RemoveWitness', vkey: 'slow' });
  const changed = cosigning.changed();
  slow.reject(new Error('no answer within 10 s'));
  await Promise.all([first, changed]);
  for (const pause of [5_000, 10_000, 20_000]) {
    const { ms, end } = waits.at(-1)!;
    expect(ms).toBe(pause);
    time.advance(ms);
    end();
    const known = waits.length;
    await expect.poll(() => waits.length).toBeGreaterThan(known);
  }
});

it('a removed witness does not vouch for an older checkpoint', async () => {
  const { log, commandHandler, change } = await emptyLog();
  const store = openCheckpointStore(null, () => undefined);
  for (const [size, witness] of [
    [5, 'kept'],
    [8, 'removed'],
    [9, null],
  ] as const) {
    store.add({ origin: 'o', size, at: size, note: `note ${size}\n` });
    if (witness !== null) store.addCosignature({ origin: 'o', size, witness, line: `by ${witness}\n` });
  }
  const cosigning = new Cosigning({
    ...{ log, commandHandler, store, clock: movableClock().clock, announce: () => undefined },
    checkpoints: { newest: async () => store.newest('o')!, onSigned: () => undefined },
    post: () => Promise.reject(new Error('no answer')),
    after: () => () => undefined,
    isOnDuty: () => true,
    quorum: undefined,
  });
  await change({ type: 'AddWitness', url: 'http://kept', vkey: 'kept' });
  await change({ type: 'AddWitness', url: 'http://removed', vkey: 'removed' });
  await change({ type: 'RemoveWitness', vkey: 'removed' });
  const sizes = [(await cosigning.published(3)).size, (await cosigning.published(6)).size];
  expect(sizes).toEqual([5, 9]);
});

it('a witness that failed is asked again after its pause, also when the clock is set back by years', async () => {
  const { log, commandHandler, change } = await emptyLog();
  await change({ type: 'AddWitness', url: 'http://away', vkey: 'away' });
  const time = movableClock();
  let asked = 0;
  let endWait = (): void => undefined;
  const cosigning = new Cosigning({
    ...{ log, commandHandler, clock: time.clock, announce: () => undefined },
    checkpoints: { newest: async () => CHECKPOINT, onSigned: () => undefined },
    store: openCheckpointStore(null, () => undefined),
    post() {
      asked += 1;
      return Promise.reject(new Error('no answer'));
    },
    after(_ms, end) {
      endWait = end;
      return () => undefined;
    },
    isOnDuty: () => true,
    quorum: undefined,
  });
  await cosigning.start();
  time.advance(-1_000 * 86_400_000);
  endWait();
  await expect.poll(() => asked).toBe(2);
});

it('asks no witness while a newer program has changed them, and publishes nothing', async () => {
  const { log } = await emptyLog();
  const commandHandler = createCommandHandler({ log, ...steadySystem(), unknownTypes: 'refuse' });
  const cosigning = new Cosigning({
    ...{ log, commandHandler, clock: movableClock().clock, announce: () => undefined },
    checkpoints: { newest: async () => CHECKPOINT, onSigned: () => undefined },
    store: openCheckpointStore(null, () => undefined),
    post: () => Promise.reject(new Error('nobody is to be asked')),
    after: () => () => undefined,
    isOnDuty: () => true,
    quorum: undefined,
  });
  const dreamt = { ...event(1), type: 'WitnessDreamt' };
  await log.append([to(`${logWitnesses.category}-${WITNESSES_STREAM_ID}`, [dreamt])]);
  await cosigning.start();
  expect(cosigning.quorum()).toEqual({ needed: 0, cosigned: 0, isMissing: false });
  await expect(cosigning.published()).rejects.toThrow(NewerEventError);
});
