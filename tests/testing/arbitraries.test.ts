/** Arbitrary events fit their definitions, arbitrary commands and histories their deciders, and all of them shrink. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bookmark } from '../../examples/bookmarks/decide.ts';
import { isRefusal } from '../../src/commands/refusal.ts';
import { erasureEvents } from '../../src/events/erasure.ts';
import { eventTable, resources } from '../../src/resources.ts';
import { daemonEvents } from '../../src/testing/daemon-events.ts';
import {
  arbitraryCommand,
  arbitraryEvent,
  arbitraryHistory,
  arbitraryValue,
  historyOf,
} from '../../src/testing/testing.ts';

const KEYS = resources.flatMap(({ key, deciders }) => (deciders.length > 0 ? [key] : []));

/** What a property fails with at last. */
function shrunk<Value>(of: fc.Arbitrary<Value>, holds: (value: Value) => boolean): Value {
  const { counterexample } = fc.check(fc.property(of, holds), { numRuns: 1_000 });
  return counterexample?.[0] ?? expect.fail('The property holds.');
}

it.each(Object.keys(eventTable))('arbitrary data of %s fits its definition', (type) => {
  const { data: schema } = eventTable[type]!;
  fc.assert(
    fc.property(arbitraryEvent(type), ({ type: made, data }) => {
      expect([made, schema.safeParse(data).error]).toEqual([type, undefined]);
    }),
    { numRuns: 20 },
  );
});

it('the data of an event of the daemon has the type of its definition', () => {
  const renamed = arbitraryEvent('TaskRenamed').map(({ data }): string => data.title);
  fc.assert(fc.property(renamed, (title) => typeof title === 'string'));
  const typed = daemonEvents.flatMap((table) => Object.keys(table));
  expect(typed.sort()).toEqual(Object.keys(eventTable).sort());
});

it('an unknown event, or a resource without commands, is told', () => {
  expect(() => arbitraryEvent('NothingHappened')).toThrow('There is no event type NothingHappened.');
  expect(() => arbitraryHistory('health')).toThrow(
    "no commands of 'health'; there are of run, approval-policy, webhook, task,",
  );
});

it('values keep to formats and lengths', () => {
  const schema = z.object({ url: z.url(), name: z.string().min(2).max(3), few: z.array(z.int()).min(4) });
  fc.assert(fc.property(arbitraryValue(schema), (value) => schema.safeParse(value).success));
});

it('values are what the schema returns, also when it transforms its input', () => {
  const schema = z.object({ title: z.string().trim(), length: z.string().transform((text) => text.length) });
  fc.assert(fc.property(arbitraryValue(schema), ({ length }) => Number.isInteger(length)));
});

describe.each(KEYS)('%s', (key) => {
  const deciders = resources.find((each) => each.key === key)!.deciders;
  /** Several deciders may share a category; then the type of an event tells them apart. */
  const deciderOf = (stream: string, type?: string) =>
    deciders.find(({ category, events }) => {
      return stream.startsWith(`${category}-`) && (type === undefined || events[type] !== undefined);
    })!;

  it('has commands that its deciders understand', () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(arbitraryCommand(key), ({ stream, command }) => {
        const decider = deciderOf(stream);
        const decision = decider.decide(command, decider.initial, { id: 'an-id', now: 1 });
        outcomes.add(isRefusal(decision) ? 'refused' : decision.length === 0 ? 'nothing' : 'events');
      }),
    );
    expect(outcomes).toContain('events');
  });

  it('has histories that its deciders decide, with positions and versions of a log', () => {
    const types = new Set<string>();
    fc.assert(
      fc.property(arbitraryHistory(key), ({ events }) => {
        const versions = new Map<string, number>();
        for (const [index, { stream, version, position, type, data }] of events.entries()) {
          expect([position, version]).toEqual([index + 1, (versions.get(stream) ?? 0) + 1]);
          versions.set(stream, version);
          expect(deciderOf(stream, type).events[type]!.data.safeParse(data).error).toBeUndefined();
          types.add(type);
        }
      }),
      { numRuns: 30 },
    );
    expect(types.size).toBeGreaterThan(0);
  });
});

describe('nothing is left out', () => {
  it('every event type is decided by a decider, but for that of the log itself', () => {
    const decided = new Set(resources.flatMap(({ deciders }) => deciders.flatMap(({ events }) => Object.keys(events))));
    expect(Object.keys(eventTable).filter((type) => !decided.has(type))).toEqual(Object.keys(erasureEvents));
  });

  it('histories have every event type, and accept every command that deciders know', () => {
    const types = new Set<string>();
    const accepted = new Set<string>();
    for (const key of KEYS) {
      const { deciders } = resources.find((each) => each.key === key)!;
      const wanted = deciders.flatMap(({ events }) => Object.keys(events));
      // Rare ones need more histories: those of a run with three failed tools in a row.
      for (let seed = 1; seed <= SEEDS && wanted.some((type) => !types.has(type)); seed += 1) {
        for (const { commands, events } of fc.sample(arbitraryHistory(key, { commandsMax: 60 }), {
          seed,
          numRuns: 100,
        })) {
          for (const { type } of events) types.add(type);
          for (const { command } of commands) accepted.add(command.type);
        }
      }
    }
    const erased = Object.keys(erasureEvents);
    expect(Object.keys(eventTable).filter((type) => !types.has(type) && !erased.includes(type))).toEqual([]);
    expect(commandTypes().filter((type) => !accepted.has(type))).toEqual([]);
  });
});

const SEEDS = 30;

/** As the sources of the deciders name them. */
function commandTypes(): string[] {
  const folder = join(import.meta.dirname, '../../src/commands');
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/readonly type: '([A-Z]\w+)'/g)].map(([, type]) => type!));
  expect(found.length).toBeGreaterThan(100);
  return found;
}

describe('shrinking', () => {
  it('leaves the events that a failure needs', () => {
    const judged = ({ events }: { events: readonly { type: string }[] }) =>
      events.some(({ type }) => type === 'GateJudged');
    const { commands } = shrunk(arbitraryHistory('engagement'), (history) => !judged(history));
    expect(commands.map(({ command }) => command.type)).toEqual([expect.stringMatching(/Open|Seed/), 'JudgeGate']);
  });

  it('leaves the smallest event', () => {
    const { data } = shrunk(arbitraryEvent('TaskRenamed'), (event) => JSON.stringify(event.data) === '{"title":""}');
    expect(data).toEqual({ title: 'a' });
  });

  it('leaves the commands of a decider of one’s own that a failure needs', () => {
    const fields = { url: 'https://example.org', title: 'A' };
    const ids = fc.constantFrom('a', 'b', 'c');
    const command = fc.constantFrom({ type: 'AddBookmark', fields } as const, { type: 'DeleteBookmark' } as const);
    const { commands } = shrunk(historyOf(bookmark, { ids, command }), ({ events }) =>
      events.every(({ type }) => type !== 'BookmarkDeleted'),
    );
    expect(commands.map(({ command }) => command.type)).toEqual(['AddBookmark', 'DeleteBookmark']);
    expect(new Set(commands.map(({ stream }) => stream)).size).toBe(1);
  });
});
