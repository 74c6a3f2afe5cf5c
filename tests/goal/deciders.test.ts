/** The deciders of goals, pins and titles. */
import { describe, expect, it } from 'vitest';
import { type GoalCommand, goal, LINKS_MAX } from '../../src/commands/goal/decide.ts';
import { goalPins, PIN_SLOTS_MAX } from '../../src/commands/goal/pins.ts';
import { goalTitle, titleKey } from '../../src/commands/goal/title.ts';
import type { GoalChanges, GoalEvent, GoalPinEvent, GoalTitleEvent } from '../../src/events/goal.ts';
import { decider } from '../support/given.ts';
import { fields, PLAN } from './support.ts';

const created: GoalEvent = { type: 'GoalCreated', data: fields({ statement: 'Now', success_criteria: ['works'] }) };
const planned: GoalEvent = { type: 'GoalPlanned', data: { plan: PLAN, provider: 'p', model: 'm' } };
const deleted: GoalEvent = { type: 'GoalDeleted', data: {} };
const link = { type: 'LinkGoal', link_id: 'l', kind: 'note', target_id: 'x', note: null } as const;
const basis = { statement: 'Now', success_criteria: ['works'] };

describe('a goal', () => {
  const { given } = decider(goal);

  it('is created once, active, with what was sent', () => {
    const created = given().when({ type: 'CreateGoal', fields: fields({ title: '  kept as sent ' }) }, 7);
    created.thenEvents({ type: 'GoalCreated', data: fields({ title: '  kept as sent ' }) });
    expect(given(created.events()).state).toMatchObject({ life: 'alive', status: 'active', isPlanned: false });
    given(created.events()).when({ type: 'CreateGoal', fields: fields() }).thenRefused('conflict');
  });

  it.each([
    ['blank', '', 'invalid'],
    ['only spaces of many kinds', ' \t\u00a0\u2003\n', 'invalid'],
    ['only characters that nobody sees', '\u200b\u2060\0', 'invalid'],
    ['120 characters', 'x'.repeat(120), null],
    ['121 characters', 'x'.repeat(121), 'invalid'],
    ['120 characters beyond the first plane', '𝕏'.repeat(120), null],
    ['121 characters beyond the first plane', '𝕏'.repeat(121), 'invalid'],
    ['120 characters and spaces around them', ` ${'x'.repeat(120)} `, null],
  ] as const)('may have a title that is %s: %3$s', (_, title, refusal) => {
    const commands: GoalCommand[] = [
      { type: 'CreateGoal', fields: fields({ title }) },
      { type: 'ReviseGoal', changes: { title } },
    ];
    for (const [index, command] of commands.entries()) {
      const when = given(index === 0 ? [] : [created]).when(command);
      if (refusal === null) when.thenTypes(index === 0 ? 'GoalCreated' : 'GoalRevised');
      else when.thenRefused(refusal);
    }
  });

  it('records a revision always, with just what differs', () => {
    given(created)
      .when({ type: 'ReviseGoal', changes: { title: 'Ship it', tags: ['new'], status: 'active' } })
      .thenEvents({ type: 'GoalRevised', data: { changes: { tags: ['new'] }, plan_cleared: false } });
    given(created)
      .when({ type: 'ReviseGoal', changes: {} })
      .thenEvents({ type: 'GoalRevised', data: { changes: {}, plan_cleared: false } });
  });

  it.each([
    ['the statement differs', { statement: 'Later' }, true],
    ['a criterion is added', { success_criteria: ['works', 'is fast'] }, true],
    ['the criteria change order', { success_criteria: [] }, true],
    ['the statement is sent again', { statement: 'Now' }, false],
    ['the criteria are sent again', { success_criteria: ['works'] }, false],
    ['only the rest changes', { title: 'Other', tags: ['t'], status: 'done', workspace: '/w' }, false],
  ] satisfies readonly [string, GoalChanges, boolean][])('when %s its plan is cleared: %3$s', (_, changes, falls) => {
    const after = given(created, planned).when({ type: 'ReviseGoal', changes }).after();
    expect(after.isPlanned).toBe(!falls);
    given(created)
      .when({ type: 'ReviseGoal', changes: { statement: 'Later' } })
      .thenEvents({ type: 'GoalRevised', data: { changes: { statement: 'Later' }, plan_cleared: false } });
  });

  it('keeps a plan only for the words it was made for', () => {
    const command = { type: 'RecordPlan', plan: PLAN, provider: 'p', model: 'm', basis } as const;
    given(created).when(command).thenEvents(planned);
    given(created, { type: 'GoalRevised', data: { changes: { statement: 'Later' }, plan_cleared: false } })
      .when(command)
      .thenRefused('conflict');
    given(created, { type: 'GoalRevised', data: { changes: { title: 'Other' }, plan_cleared: false } })
      .when(command)
      .thenTypes('GoalPlanned');
  });

  it('is linked as often as one likes, up to a limit', () => {
    const linked: GoalEvent = { type: 'GoalLinked', data: { link_id: 'l', kind: 'note', target_id: 'x', note: null } };
    given(created, linked).when(link).thenEvents(linked);
    given(created)
      .when({ ...link, target_id: ' ' })
      .thenRefused('invalid');
    given(
      created,
      Array.from({ length: LINKS_MAX - 1 }, () => linked),
    )
      .when(link)
      .thenTypes('GoalLinked');
    given(
      created,
      Array.from({ length: LINKS_MAX }, () => linked),
    )
      .when(link)
      .thenRefused('conflict');
  });

  it.each<GoalCommand>([
    { type: 'ReviseGoal', changes: {} },
    { type: 'RecordPlan', plan: PLAN, provider: 'p', model: 'm', basis },
    link,
    { type: 'DeleteGoal' },
  ])('that is not there, or no more, is not found: $type', (command) => {
    given().when(command).thenRefused('not_found');
    given(created, deleted).when(command).thenRefused('not_found');
  });

  it('stays deleted, whatever is still written to it', () => {
    const { state } = given(created, deleted, { type: 'GoalLinked', data: link }, created);
    expect(state.life).toBe('deleted');
    given(created, deleted).when({ type: 'CreateGoal', fields: fields() }).thenRefused('conflict');
  });
});

describe('pins', () => {
  const { given } = decider(goalPins);
  const pinned = (workspace: string | null, goal_id: string): GoalPinEvent => {
    return { type: 'GoalPinned', data: { workspace, goal_id } };
  };

  it('hold one goal a slot, replaced at once, said once', () => {
    given(pinned(null, 'a')).when({ type: 'PinGoal', workspace: null, goal_id: 'b' }).thenEvents(pinned(null, 'b'));
    given(pinned(null, 'a')).when({ type: 'PinGoal', workspace: null, goal_id: 'a' }).thenNothing();
    given(pinned(null, 'a')).when({ type: 'PinGoal', workspace: '/w', goal_id: 'a' }).thenEvents(pinned('/w', 'a'));
  });

  it('are emptied by slot, or by goal wherever it is', () => {
    const all = [pinned(null, 'a'), pinned('/w', 'a'), pinned('/v', 'b')];
    const unpinned = (workspace: string | null): GoalPinEvent => ({
      type: 'GoalUnpinned',
      data: { workspace, goal_id: 'a' },
    });
    given(all).when({ type: 'EmptySlot', workspace: '/w' }).thenEvents(unpinned('/w'));
    given(all).when({ type: 'EmptySlot', workspace: '/nothing' }).thenNothing();
    const gone = given(all).when({ type: 'UnpinGoal', goal_id: 'a' });
    gone.thenEvents(unpinned(null), unpinned('/w'));
    expect([...gone.after()]).toEqual([['/v', 'b']]);
  });

  it('of another path of the same folder are emptied', () => {
    const slot = { workspace: '/real', aliases: ['/link', '/none'] };
    const unpinned: GoalPinEvent = { type: 'GoalUnpinned', data: { workspace: '/link', goal_id: 'a' } };
    const pin = { type: 'PinGoal', ...slot, goal_id: 'b' } as const;
    given(pinned('/link', 'a')).when(pin).thenEvents(unpinned, pinned('/real', 'b'));
    given(pinned('/link', 'a'), pinned('/real', 'b')).when(pin).thenEvents(unpinned);
    given(pinned('/link', 'a'))
      .when({ type: 'EmptySlot', ...slot })
      .thenEvents(unpinned);
  });

  it('are many, not endless', () => {
    const full = Array.from({ length: PIN_SLOTS_MAX }, (_, n) => pinned(`/${n}`, 'a'));
    const state = new Map(full.map(({ data }) => [data.workspace, data.goal_id] as const));
    const decide = (workspace: string, aliases: readonly string[] = []) =>
      goalPins.decide({ type: 'PinGoal', workspace, aliases, goal_id: 'b' }, state, { id: 'an-id', now: 1 });
    expect(decide('/one more')).toMatchObject({ kind: 'conflict' });
    expect(decide('/7')).toEqual([pinned('/7', 'b')]);
    expect(decide('/one more', ['/7'])).toHaveLength(2);
  });
});

describe('a title', () => {
  const { given } = decider(goalTitle);
  const claimed: GoalTitleEvent = { type: 'GoalTitleClaimed', data: { goal_id: 'a' } };
  const released: GoalTitleEvent = { type: 'GoalTitleReleased', data: { goal_id: 'a' } };

  it('is held by one goal until that goal gives it back', () => {
    given().when({ type: 'ClaimTitle', goal_id: 'a' }).thenEvents(claimed);
    given(claimed).when({ type: 'ClaimTitle', goal_id: 'a' }).thenNothing();
    given(claimed).when({ type: 'ClaimTitle', goal_id: 'b' }).thenRefused('conflict');
    given(claimed).when({ type: 'ReleaseTitle', goal_id: 'b' }).thenNothing();
    given(claimed).when({ type: 'ReleaseTitle', goal_id: 'a' }).thenEvents(released);
    given(claimed, released).when({ type: 'ClaimTitle', goal_id: 'b' }).thenTypes('GoalTitleClaimed');
  });

  it('is another in another workspace, case or spelling', () => {
    const keys = [
      titleKey({ workspace: null, title: 'a' }),
      titleKey({ workspace: 'null', title: 'a' }),
      titleKey({ workspace: '', title: 'a' }),
      titleKey({ workspace: '/w', title: 'a' }),
      titleKey({ workspace: '/w","a', title: '' }),
      titleKey({ workspace: null, title: 'A' }),
      titleKey({ workspace: null, title: 'a ' }),
      titleKey({ workspace: null, title: 'é' }),
      titleKey({ workspace: null, title: 'e\u0301' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
