/** The deciders of briefings: settings, turns, and that every briefing ends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BRIEFING_STARTS_MAX,
  type BriefingCommand,
  type BriefingState,
  briefing,
} from '../../src/commands/briefing/decide.ts';
import { BRIEFING_DEFAULTS, briefingSettings, KEEP_MAX, settingsWith } from '../../src/commands/briefing/settings.ts';
import { BRIEFING_TURN_ID, briefingPolicy, briefingTurn } from '../../src/commands/briefing/turn.ts';
import { isRefusal, refused } from '../../src/commands/refusal.ts';
import type { BriefingChanges, BriefingEvent, BriefingSettingsEvent } from '../../src/events/briefing/events.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { decider } from '../support/given.ts';
import { steadySystem } from '../support/steady-system.ts';
import { GATHERED, TEXT } from './support.ts';

const DAY = 86_400_000;

describe('briefing settings', () => {
  const { given } = decider(briefingSettings);
  const change = (changes: BriefingChanges) => ({ type: 'ChangeBriefingSettings', changes }) as const;
  const changed = (changes: BriefingChanges): BriefingSettingsEvent => {
    return { type: 'BriefingSettingsChanged', data: { changes } };
  };

  it('record only what became different, and nothing twice', () => {
    given()
      .when(change({ enabled: true, time: '07:00' }))
      .thenEvents(changed({ enabled: true }));
    given(changed({ enabled: true }))
      .when(change({ enabled: true }))
      .thenNothing();
    given().when(change({})).thenNothing();
  });
  it('take a provider and a model together, and clear them together', () => {
    const both = { provider: 'openai', model: 'gpt' };
    given().when(change(both)).thenEvents(changed(both));
    given(changed(both))
      .when(change({ provider: '', model: '' }))
      .thenEvents(changed({ provider: null, model: null }));
    given(changed(both))
      .when(change({ provider: null, model: null }))
      .thenEvents(changed({ provider: null, model: null }));
  });
  it('trim the names of a provider and a model', () => {
    given()
      .when(change({ provider: ' openai', model: 'gpt ' }))
      .thenEvents(changed({ provider: 'openai', model: 'gpt' }));
  });
  it('count the characters of a name, not its UTF-16 units', () => {
    const both = { provider: 'p', model: '😀'.repeat(200) };
    given().when(change(both)).thenEvents(changed(both));
  });
  it.each<[about: RegExp, changes: BriefingChanges]>([
    [/^time /, { time: '7:00' }],
    [/^time /, { time: '24:00' }],
    [/^time /, { time: '12:60' }],
    [/^time /, { time: '107:00' }],
    [/^time /, { time: '07:000' }],
    [/^days /, { days: [] }],
    [/^sections /, { sections: [] }],
    [/^timezone /, { timezone: 'Europe/Atlantis' }],
    [/^timezone /, { timezone: '+02:00' }],
    [/^timezone /, { timezone: '' }],
    [/^language /, { language: 'not a language' }],
    [/^language /, { language: '' }],
    [/^language /, { language: `en-x-${'abcdefgh-'.repeat(3)}abcd` }],
    [/^workspace and repositories /, { workspace: 'relative/path' }],
    [/^workspace and repositories /, { workspace: './x:/y' }],
    [/^workspace and repositories /, { workspace: '/work\0' }],
    [/^workspace and repositories /, { workspace: 'CD:/work' }],
    [/^workspace and repositories /, { workspace: 'C:work' }],
    [/^workspace and repositories /, { repositories: ['/work', 'relative'] }],
    [/^repositories .* 20\.$/, { repositories: Array.from({ length: 21 }, (_, at) => `/r${at}`) }],
    [/^keep .* 365\.$/, { keep: KEEP_MAX + 1 }],
    [/^hours .* 8760,/, { hours: 8_761 }],
    [/^provider and model .* 200 /, { provider: 'p'.repeat(201), model: 'm' }],
    [/^provider and model .* 200 /, { provider: 'p', model: 'm'.repeat(201) }],
    [/^provider and model .* 200 /, { provider: 'p', model: '😀'.repeat(201) }],
    [/^provider and model .* sent together/, { provider: 'p' }],
    [/^provider and model .* sent together/, { model: 'm' }],
    [/^provider and model .* sent together/, { provider: '' }],
    [/^provider and model .* sent together/, { model: null }],
    [/^provider and model .* both/, { provider: '', model: 'm' }],
    [/^provider and model .* both/, { provider: 'p', model: null }],
    [/^provider and model .* both/, { provider: 'p', model: ' ' }],
  ])('refuse with a message about %s: %j', (about, changes) => {
    given().when(change(changes)).thenRefused('invalid');
    expect(settingsWith(BRIEFING_DEFAULTS, changes)).toMatchObject({ message: expect.stringMatching(about) });
  });
  it.each([
    { time: '00:00' },
    { time: '23:59' },
    { timezone: 'Europe/Berlin' },
    { language: 'pt-BR' },
    { language: `en-x-${'abcdefgh-'.repeat(3)}abc` },
    { workspace: 'C:\\work' },
    { workspace: 'c:/work' },
    { repositories: Array.from({ length: 20 }, (_, at) => `/r${at}`) },
    { keep: KEEP_MAX },
    { hours: 8_760 },
    { provider: 'p'.repeat(200), model: 'm'.repeat(200) },
  ] satisfies BriefingChanges[])('take %j', (changes) => {
    given().when(change(changes)).thenEvents(changed(changes));
  });
  it('keep days in the order of the week, and everything once', () => {
    given()
      .when(change({ days: ['sun', 'mon', 'sun'], sections: ['goals', 'runs', 'goals'] }))
      .thenEvents(changed({ days: ['mon', 'sun'], sections: ['goals', 'runs'] }));
    given()
      .when(change({ repositories: ['/b', '/a', '/b'] }))
      .thenEvents(changed({ repositories: ['/b', '/a'] }));
  });
  it('count the schedule from when it was set, not from other changes', () => {
    const at = (event: BriefingSettingsEvent, when: number) => ({ ...event, at: when, actor: 'owner' });
    const first = briefingSettings.evolve(briefingSettings.initial, at(changed({ enabled: true }), 50));
    expect(first.scheduleSince).toBe(50);
    expect(briefingSettings.evolve(first, at(changed({ keep: 3 }), 60)).scheduleSince).toBe(50);
    const timed = [{ enabled: false }, { time: '08:00' }, { days: ['mon' as const] }, { timezone: null }];
    for (const changes of timed) {
      expect(briefingSettings.evolve(first, at(changed(changes), 70)).scheduleSince).toBe(70);
    }
  });
});

describe('the turn', () => {
  const { given } = decider(briefingTurn);
  const take = (briefing_id: string, scheduled_for: number | null) =>
    ({ type: 'TakeTurn', briefing_id, scheduled_for }) as const;
  const taken = (briefing_id: string, scheduled_for: number | null) =>
    ({ type: 'BriefingTurnTaken', data: { briefing_id, scheduled_for } }) as const;

  it('is taken once for a scheduled time, also when the clock was set back', () => {
    given()
      .when(take('a', 10 * DAY), 10 * DAY)
      .thenEvents(taken('a', 10 * DAY));
    given(taken('a', 10 * DAY))
      .when(take('b', 10 * DAY), 10 * DAY)
      .thenRefused('conflict');
    given(taken('a', 10 * DAY))
      .when(take('b', 10 * DAY), 9.99 * DAY)
      .thenRefused('conflict');
    given(taken('a', 10 * DAY), taken('c', null))
      .when(take('b', 10 * DAY), 10.1 * DAY)
      .thenRefused('conflict');
  });
  it('says nothing about a time that was taken under a wrong clock, far ahead', () => {
    given(taken('a', 900 * DAY))
      .when(take('b', 10 * DAY), 10 * DAY)
      .thenEvents(taken('b', 10 * DAY));
  });
  it('is not taken again for a time after a start with a clock that was years behind', () => {
    given(taken('a', 10_000 * DAY), taken('b', 10 * DAY))
      .when(take('c', 10_000 * DAY), 10_000 * DAY)
      .thenRefused('conflict');
    given(taken('a', 10_000 * DAY), taken('b', 10 * DAY))
      .when(take('c', 10_001 * DAY), 10_001 * DAY)
      .thenEvents(taken('c', 10_001 * DAY));
  });
  it('is free for a request without a time, also after a scheduled one', () => {
    given(taken('a', 10 * DAY))
      .when(take('b', null), 10 * DAY)
      .thenEvents(taken('b', null));
  });
  it('is not given twice', () => {
    given(taken('a', null)).when(take('a', null)).thenNothing();
  });

  it('waits for the briefing that has it, by id, and continues when that has ended', async () => {
    const { log } = await openStorage({ directory: '', ephemeral: true });
    const { dispatch, load } = createCommandHandler({ log, ...steadySystem() });
    const send = (id: string, command: BriefingCommand) =>
      dispatch(briefing, id, command, { origin: { actor: 'owner', correlation: null }, policy: briefingPolicy });
    const request = { type: 'RequestBriefing', scheduled_for: null, settings: BRIEFING_DEFAULTS } as const;
    await send('old', request);
    const { position } = log.head();
    await expect(send('new', request)).rejects.toEqual(refused('conflict', 'A briefing is being made: old.'));
    expect([log.head().position, load(briefingTurn, BRIEFING_TURN_ID).last]).toEqual([position, 'old']);
    await send('old', { type: 'FailBriefing', message: 'no' });
    const { events } = await send('new', request);
    expect(events.map(({ stream, type }) => `${stream} ${type}`)).toEqual([
      'briefing-new BriefingRequested',
      'briefing_turn-all BriefingTurnTaken',
    ]);
    expect(load(briefingTurn, BRIEFING_TURN_ID).last).toBe('new');
    await log.close();
  });
});

const REQUESTED: BriefingEvent = {
  type: 'BriefingRequested',
  data: { scheduled_for: null, settings: BRIEFING_DEFAULTS },
};
const started = (attempt: number): BriefingEvent => ({ type: 'BriefingStarted', data: { attempt } });
const GATHERED_EVENT: BriefingEvent = { type: 'BriefingGathered', data: GATHERED };
const ASKED = { provider: 'p', model: 'm', request_hash: 'h' };

describe('a briefing', () => {
  const { given } = decider(briefing);

  it('is requested, started, gathered and written', () => {
    given().when({ type: 'RequestBriefing', scheduled_for: null, settings: BRIEFING_DEFAULTS }).thenEvents(REQUESTED);
    given(REQUESTED).when({ type: 'StartBriefing' }).thenEvents(started(1));
    given(REQUESTED, started(1)).when({ type: 'RecordFacts', gathered: GATHERED }).thenEvents(GATHERED_EVENT);
    given(REQUESTED, started(1)).when({ type: 'WriteBriefing', text: TEXT }).thenNothing();
    given(REQUESTED, started(1), GATHERED_EVENT)
      .when({ type: 'WriteBriefing', text: TEXT })
      .thenEvents({ type: 'BriefingWritten', data: TEXT });
  });
  it('keeps its facts when it is cut off while it is written', () => {
    const left = given(REQUESTED, started(1), GATHERED_EVENT).when({ type: 'RecoverBriefing', reason: 'killed' });
    left.thenTypes('BriefingInterrupted');
    expect(left.after()).toMatchObject({ status: 'running', gathered: GATHERED, underWay: false });
  });
  it(`is given up after it was cut off ${BRIEFING_STARTS_MAX} times; once gathered, the facts are the briefing`, () => {
    given(REQUESTED, started(BRIEFING_STARTS_MAX))
      .when({ type: 'RecoverBriefing', reason: 'killed' })
      .thenTypes('BriefingInterrupted', 'BriefingFailed');
    given(REQUESTED, started(BRIEFING_STARTS_MAX), GATHERED_EVENT)
      .when({ type: 'RecoverBriefing', reason: 'killed' })
      .thenTypes('BriefingInterrupted', 'BriefingWritten');
    given(REQUESTED).when({ type: 'RecoverBriefing', reason: 'killed' }).thenNothing();
  });
  it('takes an answer only to the call that is open', () => {
    const asked: BriefingEvent = { type: 'BriefingModelAsked', data: { call: 1, ...ASKED } };
    const base = [REQUESTED, started(1), GATHERED_EVENT] as const;
    given(base).when({ type: 'AskBriefingModel', asked: ASKED }).thenEvents(asked);
    const failed = (call: number) =>
      ({ type: 'RecordBriefingModelFailure', failed: { call, kind: 'fatal', message: 'no', status: 500 } }) as const;
    given(base, asked).when(failed(2)).thenNothing();
    given(base, asked).when(failed(1)).thenTypes('BriefingModelFailed');
    given(base).when(failed(0)).thenNothing();
  });

  const usage = { input_tokens: 1, output_tokens: 1 };
  const often: readonly BriefingCommand[] = [
    { type: 'RequestBriefing', scheduled_for: null, settings: BRIEFING_DEFAULTS },
    { type: 'StartBriefing' },
    { type: 'RecordFacts', gathered: GATHERED },
    { type: 'AskBriefingModel', asked: ASKED },
    { type: 'RecordBriefingAnswer', answered: { call: 1, frames: [], finish_reason: 'stop', usage } },
    { type: 'RecordBriefingModelFailure', failed: { call: 1, kind: 'transient', message: 'busy', status: null } },
  ];
  const seldom: readonly BriefingCommand[] = [
    { type: 'WriteBriefing', text: TEXT },
    { type: 'FailBriefing', message: 'broken' },
    { type: 'RecoverBriefing', reason: 'restarted' },
  ];
  const command = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...often) },
    { weight: 1, arbitrary: fc.constantFrom(...seldom) },
  );

  it('makes no second event of the same command, and after its end none at all', () => {
    const effects = new Set<string>();
    fc.assert(
      fc.property(fc.array(command, { minLength: 10, maxLength: 40 }), (commands) => {
        let state: BriefingState = briefing.initial;
        for (const each of commands) {
          for (const time of ['first', 'second']) {
            const decision = briefing.decide(each, state, { id: 'an-id', now: 1 });
            if (isRefusal(decision)) throw new Error(decision.message);
            if (time === 'second' || state.status === 'ended') expect(decision).toEqual([]);
            if (decision.length > 0) effects.add(each.type);
            state = decision.reduce(
              (folded: BriefingState, event) => briefing.evolve(folded, { ...event, at: 1, actor: 'owner' }),
              state,
            );
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(effects.size).toBe(9);
  });

  it('always ends: as often as it is cut off, it is written or failed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('work', 'kill'), { minLength: 2 * BRIEFING_STARTS_MAX }), (moves) => {
        let state: BriefingState = briefing.evolve(briefing.initial, { ...REQUESTED, at: 1, actor: 'owner' });
        const send = (each: BriefingCommand): void => {
          const decision = briefing.decide(each, state, { id: 'an-id', now: 1 });
          if (isRefusal(decision)) return;
          state = decision.reduce(
            (folded: BriefingState, event) => briefing.evolve(folded, { ...event, at: 1, actor: 'owner' }),
            state,
          );
        };
        for (const move of moves) {
          send({ type: 'StartBriefing' });
          if (move === 'kill') send({ type: 'RecoverBriefing', reason: 'killed' });
          else if (state.status === 'running' && state.gathered === null)
            send({ type: 'RecordFacts', gathered: GATHERED });
          else send({ type: 'WriteBriefing', text: TEXT });
        }
        expect(state.status).toBe('ended');
      }),
      { numRuns: 200 },
    );
  });
});
