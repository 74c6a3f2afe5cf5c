/** A purge and a consolidation, while other requests change the memories that they have chosen. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memory as decider } from '../../src/commands/memory/decide.ts';
import { PLAIN_FINGERPRINTS } from '../../src/commands/memory/fingerprints.ts';
import { RECALL_STREAM_ID, recalled } from '../../src/commands/memory/recalled.ts';
import { request } from '../../src/commands/request.ts';
import type { Keeping } from '../../src/events/memory/events.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { memoryBody } from '../../src/queries/memory/draft.ts';
import { consolidate, type MaintenanceParts, purgeFaded } from '../../src/reactors/memory/maintenance.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { batchCommand, createCommandHandler } from '../../src/streams/command-handler.ts';
import { steadySystem } from '../support/steady-system.ts';

const OWNER = { actor: 'owner', correlation: null };
const SYSTEM = steadySystem();

let log: EventLog;
let views: ViewsStore;
let parts: MaintenanceParts;

beforeEach(async () => {
  ({ log } = await openStorage({ directory: '', ephemeral: true }));
  views = openViews(null);
  views.exec(memory.create);
  log.onAppended((events) => {
    for (const event of events) memory.on[event.type]?.(views, event);
  });
  parts = {
    ...SYSTEM,
    log,
    views,
    commandHandler: createCommandHandler({ log, ...SYSTEM }),
    projector: { settle: () => undefined },
    encryption: { cipher: () => null, fingerprints: () => PLAIN_FINGERPRINTS, index: () => views },
    wing: () => 'w',
  };
});

afterEach(() => views.close());

async function keep(
  texts: Readonly<Record<string, string>>,
  salience: number,
  how: Keeping = 'MemoryAdded',
): Promise<void> {
  const commands = Object.entries(texts).map(([id, content]) => {
    const body = memoryBody(parts, { id, content, tags: [], meta: {} }, { salience, sector: 'semantic' });
    return batchCommand(decider, id, { type: 'KeepMemory', how, body });
  });
  await parts.commandHandler.dispatchBatch(commands, OWNER);
}

/** Sends a command right before the next batch, whose memories were chosen before. */
function beforeTheNextBatch(id: string, command: Parameters<typeof decider.decide>[0]): void {
  const { commandHandler } = parts;
  let isSent = false;
  parts = {
    ...parts,
    commandHandler: {
      ...commandHandler,
      async dispatchBatch(commands, origin) {
        if (!isSent) await commandHandler.dispatch(decider, id, command, { origin });
        isSent = true;
        return commandHandler.dispatchBatch(commands, origin);
      },
    },
  };
}

/** The texts that the log still has, by memory. */
const textsInLog = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...log.readAll()]
      .filter(({ type, erased }) => type === 'MemoryAdded' && erased !== true)
      .map(({ stream, data }) => [stream, (data as { readonly content: string }).content]),
  );

const ALIKE = {
  a: 'The printer on the second floor needs toner',
  b: 'The printer on the second floor needs toner again',
  c: 'The printer on the second floor needs toner now',
};

it('a memory that is pinned while a purge has chosen it keeps its text', async () => {
  await keep(ALIKE, 0.01);
  beforeTheNextBatch('b', { type: 'PinMemory' });
  expect(await purgeFaded(parts, OWNER)).toEqual({ purged: 2, remaining: 1, decayed: 2 });
  expect(textsInLog()).toEqual({ 'memory-b': ALIKE.b });
});

it('a purge of many memories takes several commits, each of few', async () => {
  await keep(Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`m${index}`, `Note ${index}`])), 0.01);
  expect(await purgeFaded(parts, OWNER)).toMatchObject({ purged: 90, remaining: 0 });
  const decayed = [...log.readAll()].filter(({ type }) => type === 'MemoryDecayed');
  const commits = [...Map.groupBy(decayed, ({ causation }) => causation).values()];
  expect(commits.map(({ length }) => length)).toEqual([40, 40, 10]);
});

it('a memory that is pinned while a consolidation has chosen it is not merged and keeps its text', async () => {
  await keep(ALIKE, 0.3);
  beforeTheNextBatch('b', { type: 'PinMemory' });
  expect(await consolidate(parts, OWNER)).toMatchObject({ consolidated: 1, memories_merged: 2, remaining: 2 });
  expect(textsInLog()).toEqual({ 'memory-b': ALIKE.b });
  const merged = [...log.readAll()].find(({ type }) => type === 'MemoriesMerged');
  expect(merged?.data).toMatchObject({ content: `${ALIKE.a}\n${ALIKE.c}`, from: ['a', 'c'] });
});

it('a purge erases the recorded answers to requests that offered the text again', async () => {
  const { commandHandler } = parts;
  await keep({ a: ALIKE.a }, 0.01);
  const loop = { store: 'memory', id: 'a', kind: 'exact', similarity: 1, via: 'add' } as const;
  const answer = {
    method: 'POST',
    path: '/memory/add',
    status: 200,
    content_type: '',
    body_hash: 'x',
    body: 'its tags',
  };
  const { events } = await commandHandler.dispatch(
    recalled,
    RECALL_STREAM_ID,
    { type: 'RecogniseLoops', loops: [loop] },
    { origin: OWNER, record: () => batchCommand(request, 'k', { type: 'RecordAnswer', data: answer }) },
  );
  expect(events.map(({ type }) => type)).toEqual(['RecallLoopRecognised', 'RequestAnswered']);
  await purgeFaded(parts, OWNER);
  expect(log.at(events[1]!.position)).toMatchObject({ erased: true });
});

it('a reflection is not merged, because it is deleted with the memories that it repeats', async () => {
  await keep(ALIKE, 0.3, 'ReflectionFormed');
  expect(await consolidate(parts, OWNER)).toMatchObject({ consolidated: 0, remaining: 3 });
});

it('a memory that is left alone in its cluster is not replaced', async () => {
  await keep({ a: ALIKE.a, b: ALIKE.b }, 0.3);
  beforeTheNextBatch('b', { type: 'DeleteMemory', positions: [2] });
  expect(await consolidate(parts, OWNER)).toMatchObject({ consolidated: 0, memories_merged: 0, remaining: 1 });
  expect(textsInLog()).toMatchObject({ 'memory-a': ALIKE.a });
});

it('a text that a merged memory has already is not added to it again', async () => {
  const bridge = 'The old bridge over the river is closed for repairs';
  await keep({ a: bridge, b: `${bridge} until May` }, 0.1);
  const merged = async (): Promise<readonly string[]> => {
    await consolidate(parts, OWNER);
    return views.all<{ content: string }>('SELECT content FROM memories').map(({ content }) => content);
  };
  const first = await merged();
  expect(first).toEqual([`${bridge}\n${bridge} until May`]);
  await keep({ c: bridge }, 0.1);
  expect(await merged()).toEqual(first);
});
