/**
 * Properties of every decider: none is missing here, a repeated command has no second effect, deciding changes no
 * state, and no event, however unusual, makes a fold throw.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decider } from '../../src/commands/decider.ts';
import { isRefusal } from '../../src/commands/refusal.ts';
import type { EventTable } from '../../src/events/define.ts';
import { resources } from '../../src/resources.ts';
import { commandOf, type Move, moves, SOURCES } from '../../src/testing/moves.ts';
import { arbitraryOf } from '../../src/testing/schema-values.ts';

const COMMANDS = join(import.meta.dirname, '../../src/commands');
const NAMES = Object.keys(SOURCES);
/** A run goes through many states. */
const MOVES_MAX: Readonly<Record<string, number>> = { run: 80 };

/**
 * Commands that are increments and not wishes, each with its reason: said twice they count twice. Ids that make one of a
 * kind are made by the daemon, for each request anew.
 */
const INCREMENTS: Readonly<Record<string, string>> = {
  ReviseGoal: 'updated_at moves with every PATCH',
  RecordPlan: 'a plan that is made again is a plan of its own',
  LinkGoal: 'a link has its own id',
  LinkStartedRun: 'a link has its own id',
  RecordRoomText: 'the same update may be written twice',
  AttachEvidence: 'an item has its own id',
  AddGate: 'a gate has its own id',
  JudgeGate: 'a judgement has its own time',
  AdvancePhase: 'from the next phase it is the next advance',
  ChunkText: 'the caller says whether the text is there',
  ContinueText: 'the caller says which places are there',
  SealText: 'the caller says which texts are not sealed yet',
  LayWaypoints: 'links are recorded as they are told',
  DigTunnels: 'the caller says which tunnels stand',
  MoveMemoryKey: 'what it erases is named by the caller',
  RecordRecall: 'what was handed out twice was handed out twice',
  RecogniseLoops: 'what came back twice came back twice',
  RecordFrames: 'two equal pieces of an answer are two pieces',
  ExchangePairing: 'a second wrong code is a second attempt',
};

function isIncrement(command: { readonly type: string; readonly code?: unknown }): boolean {
  return command.type in INCREMENTS && (command.type !== 'ExchangePairing' || command.code === 'wrong');
}

/** Events of a decider: of every type, with any data that the definition allows. */
function eventsOf({ events }: { readonly events: EventTable }) {
  const each = Object.entries(events).map(([type, { data }]) =>
    fc.record({ type: fc.constant(type), data: arbitraryOf(data), at: fc.nat() }),
  );
  return fc.oneof(...each);
}

type Folded = Map<string, unknown>;

function stateOf(states: Folded, { of, id }: Move): unknown {
  return states.has(`${of} ${id}`) ? states.get(`${of} ${id}`) : SOURCES[of]!.decider.initial;
}

function decide(states: Folded, move: Move, { command, now = 1 }: { command: unknown; now?: number }) {
  const { decider } = SOURCES[move.of]!;
  const state = stateOf(states, move);
  const decision = decider.decide(command, state, { id: 'an-id', now });
  if (isRefusal(decision)) return decision;
  const after = decision.reduce(
    (folded: unknown, event) => decider.evolve(folded, { ...event, at: now, actor: 'owner' }),
    state,
  );
  states.set(`${move.of} ${move.id}`, after);
  return decision;
}

it('every decider belongs to a resource, and has arbitrary commands', async () => {
  const files = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found: unknown[] = [];
  for (const file of files) {
    const module = (await import(pathToFileURL(join(COMMANDS, file)).href)) as Record<string, unknown>;
    const isDecider = (value: unknown): boolean =>
      typeof value === 'object' && value !== null && 'decide' in value && 'evolve' in value && 'category' in value;
    found.push(...Object.values(module).filter(isDecider));
  }
  expect(new Set(resources.flatMap(({ deciders }) => deciders))).toEqual(new Set(found));
  const played = new Set<unknown>(Object.values(SOURCES).map(({ decider }) => decider));
  const missing = found.filter((decider) => !played.has(decider)) as Decider<never, never, never>[];
  expect(missing.map(({ category }) => category)).toEqual([]);
  expect(new Set(found).size).toBe(played.size);
});

describe.each(NAMES)('%s', (name) => {
  it('makes no second event of the same command', () => {
    const effects = new Set<string>();
    const increments = new Set<string>();
    const kinds = new Set<string>();
    fc.assert(
      fc.property(moves(MOVES_MAX[name] ?? 40, [name]), (history) => {
        const states: Folded = new Map();
        for (const [now, move] of history.entries()) {
          const command = commandOf(move, stateOf(states, move));
          kinds.add(command.type);
          const first = decide(states, move, { command, now });
          if (isRefusal(first) || first.length === 0) continue;
          effects.add(command.type);
          const second = decide(states, move, { command, now });
          if (isRefusal(second) || second.length === 0) continue;
          increments.add(command.type);
          expect([command, isIncrement(command)]).toEqual([command, true]);
        }
      }),
      { numRuns: 300 },
    );
    // Every kind of command took effect somewhere, but those that have none of their own.
    const sorted = [...kinds].sort();
    expect([...effects].sort()).toEqual(sorted.filter((type) => type !== 'WriteRoomText'));
    expect([...increments].sort()).toEqual(sorted.filter((type) => type in INCREMENTS));
  });

  it('decides without changing the state it was given', () => {
    fc.assert(
      fc.property(moves(30, [name]), (history) => {
        const states: Folded = new Map();
        for (const move of history) {
          const given = stateOf(states, move);
          const before = structuredClone(given);
          decide(states, move, { command: commandOf(move, given) });
          expect(given).toEqual(before);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('folds its events without throwing, in any order', () => {
    const { decider } = SOURCES[name]!;
    const events = eventsOf(decider);
    fc.assert(
      fc.property(moves(20, [name]), fc.array(events, { maxLength: 20 }), (history, events) => {
        const states: Folded = new Map();
        for (const move of history) decide(states, move, { command: commandOf(move, stateOf(states, move)) });
        for (let state of [decider.initial, ...states.values()]) {
          for (const event of events) state = decider.evolve(state, event);
          expect(state).toBeDefined();
        }
      }),
      { numRuns: 50 },
    );
  });
});
