/**
 * The present program reads the log of every released version: every hash, every event through its upcasts, every
 * decider, every read model, every recorded run. The files of a release are never written again; `views.json` changes
 * only when a read model is changed on purpose (`npx vitest run tests/golden --update`).
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { replayRun } from '../../src/commands/run/replay.ts';
import { decodeEvent, decodeEvents, type StoredOf } from '../../src/events/decode.ts';
import { runEvents } from '../../src/events/run/events.ts';
import { createTools } from '../../src/integrations/tools/tools.ts';
import { openViews } from '../../src/projections/views.ts';
import { describeTools } from '../../src/commands/run/request.ts';
import { eventTable, resources } from '../../src/resources.ts';
import type { EventLog, RecordedEvent } from '../../src/storage/event-log.ts';
import { importLines } from '../../src/storage/import.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { Projector } from '../../src/streams/projector.ts';
import { SOURCES } from '../../src/testing/moves.ts';
import { steadySystem } from '../support/steady-system.ts';
import { temporaryFolder } from '../support/folders.ts';
import { dumpTables, viewsText } from './dump.ts';

interface Release {
  readonly version: string;
  /** How many event types it had. */
  readonly types: number;
  /** Types of which every event lost its payload, each with its reason. */
  readonly erased: Readonly<Record<string, string>>;
  /** Deciders that came after it, each by its first event type. */
  readonly later: readonly string[];
}

const RELEASES: readonly Release[] = [
  {
    version: '0.1.0',
    types: 131,
    erased: { MemoryEncryptionEnabled: 'MemoryKeyMoved erases it, and has its schema' },
    later: ['ApprovalPolicySet', 'CheckpointTimestamped', 'LogKeyRotated', 'LogTrusted', 'WitnessAdded'],
  },
];

const PROJECTIONS = resources.flatMap(({ projections }) => projections);
const ALL = Object.values(SOURCES).map(({ decider }) => decider);

it('every golden folder is read', () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name)).toEqual(RELEASES.map(({ version }) => version));
});

describe.each(RELEASES)('a log of $version', ({ version, types, erased, later }) => {
  const folder = join(import.meta.dirname, version);
  let log: EventLog;
  let events: readonly RecordedEvent[];

  beforeAll(async () => {
    const storage = await openStorage({ directory: '', ephemeral: true });
    await importLines(storage.log, createReadStream(join(folder, 'events.jsonl')));
    log = storage.log;
    events = [...log.readAll()];
  });

  it('has the head that was noted, and every hash is right', async () => {
    const { position, tree_hash } = JSON.parse(readFileSync(join(folder, 'head.json'), 'utf8'));
    expect(log.head()).toMatchObject({ position, treeHash: tree_hash });
    expect(await log.verify()).toMatchObject({ ok: true, errors: [] });
  });

  it('holds every event type of its release, with a payload', () => {
    expect(new Set(events.map(({ type }) => type)).size).toBe(types);
    const live = new Set(events.filter((event) => event.erased !== true).map(({ type }) => type));
    const missing = events.map(({ type }) => type).filter((type) => !live.has(type));
    expect([...new Set(missing)]).toEqual(Object.keys(erased));
  });

  it('is decoded: every event is of a known type, and its data becomes what today’s schema asks for', () => {
    for (const event of events) {
      const decoded = decodeEvent(eventTable, event);
      const { data, whenErased } = eventTable[event.type]!;
      expect(decoded.kind).toBe(event.erased === true && whenErased === undefined ? 'erased' : 'event');
      if (decoded.kind === 'event') expect(decoded.event.data).toEqual(data.parse(decoded.event.data));
    }
  });

  it('is folded by every decider that has a stream in it', () => {
    const handler = createCommandHandler({ log, ...steadySystem() });
    const loaded = new Set<unknown>();
    for (const stream of new Set(events.map((event) => event.stream))) {
      const types = new Set(events.filter((event) => event.stream === stream).map(({ type }) => type));
      for (const decider of ALL) {
        if (
          !stream.startsWith(`${decider.category}-`) ||
          !Object.keys(decider.events).some((type) => types.has(type))
        ) {
          continue;
        }
        expect(handler.load(decider, stream.slice(decider.category.length + 1))).toBeDefined();
        loaded.add(decider);
      }
    }
    const missing = ALL.filter((decider) => !loaded.has(decider)).map(({ events }) => Object.keys(events)[0]);
    expect(missing.sort()).toEqual(later);
  });

  it('is folded into the read models that were noted; after a change of tables: vitest run tests/golden --update', async () => {
    const path = join(temporaryFolder('golden'), 'views.db');
    const store = openViews(path);
    const failures: string[] = [];
    const report = (line: string): void => void failures.push(line);
    const projector = new Projector({ log, store, projections: PROJECTIONS, events: eventTable, report });
    await projector.catchUp();
    projector.close();
    store.close();
    expect(failures).toEqual([]);
    await expect(viewsText(dumpTables(path))).toMatchFileSnapshot(join(folder, 'views.json'));
  });

  it('holds runs that are replayed: the same effects and events, whatever tools and prompts are today', () => {
    const runs = runsIn(log, events);
    expect(runs.length).toBeGreaterThan(10);
    for (const recorded of runs) expect([recorded[0]!.stream, divergenceOf(recorded)]).toEqual([recorded[0]!.stream, null]);
  });

  it('holds runs that are replayed as complete when their last answer was cut off, as the release ended them', () => {
    const ended = runsIn(log, events).filter((recorded) => {
      const [answer, end] = recorded.slice(-2);
      return answer?.type === 'ModelAnswered' && end?.type === 'RunCompleted';
    });
    expect(ended.length).toBeGreaterThan(3);
    for (const recorded of ended) {
      const cut = recorded.map((event) =>
        event.type === 'ModelAnswered' ? { ...event, data: { ...event.data, finish_reason: 'length' as const } } : event,
      );
      expect([recorded[0]!.stream, divergenceOf(cut)]).toEqual([recorded[0]!.stream, null]);
    }
  });
});

type RunOnRecord = readonly StoredOf<typeof runEvents, RecordedEvent>[];

function runsIn(log: EventLog, events: readonly RecordedEvent[]): readonly RunOnRecord[] {
  const streams = new Set(events.filter(({ stream }) => stream.startsWith('run-')).map(({ stream }) => stream));
  return [...streams].map((stream) => [...decodeEvents(runEvents, log.readStream(stream))]);
}

/** The first difference of a replay apart from the hashes of questions, which change with tools and prompts. */
function divergenceOf(recorded: RunOnRecord) {
  const tools = describeTools(createTools({ home: temporaryFolder('golden'), env: {} }).specs);
  let asked = recorded;
  for (;;) {
    const { divergence } = replayRun(asked, tools);
    if (divergence?.field !== 'data.request_hash') return divergence;
    const { position, replayed } = divergence;
    asked = asked.map((event) => (event.position === position ? askedWith(event, replayed as string) : event));
  }
}

/** A recorded question with the hash that today's tools and prompt give it. */
function askedWith(event: StoredOf<typeof runEvents, RecordedEvent>, request_hash: string): typeof event {
  return event.type === 'ModelAsked' ? { ...event, data: { ...event.data, request_hash } } : event;
}
