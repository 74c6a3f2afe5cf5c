/** The converter's path as events: set, replaced, cleared; a repeated setting appends no event. */
import { describe, expect, it } from 'vitest';
import { officeSettings } from '../../src/commands/office.ts';
import { office, officePath } from '../../src/projections/office.ts';
import { openViews } from '../../src/projections/views.ts';
import { decider } from '../support/given.ts';

const { given } = decider(officeSettings);
const set = (path: string) => ({ type: 'OfficePathSet', data: { path } }) as const;
const cleared = { type: 'OfficePathCleared', data: {} } as const;

describe('the decider', () => {
  it('records a path once', () => {
    given().when({ type: 'SetOfficePath', path: '/a' }).thenEvents(set('/a'));
    given(set('/a')).when({ type: 'SetOfficePath', path: '/a' }).thenNothing();
    given(set('/a')).when({ type: 'SetOfficePath', path: '/b' }).thenEvents(set('/b'));
  });

  it('clears what is set and nothing else', () => {
    given().when({ type: 'ClearOfficePath' }).thenNothing();
    given(set('/a')).when({ type: 'ClearOfficePath' }).thenEvents(cleared);
    given(set('/a'), cleared).when({ type: 'ClearOfficePath' }).thenNothing();
    given(set('/a'), cleared).when({ type: 'SetOfficePath', path: '/a' }).thenEvents(set('/a'));
  });

  it('refuses a blank path', () => {
    given().when({ type: 'SetOfficePath', path: ' ' }).thenRefused('unsupported');
  });
});

it.each([
  { events: [], path: null },
  { events: [set('/a')], path: '/a' },
  { events: [set('/a'), set('/b')], path: '/b' },
  { events: [set('/a'), cleared], path: null },
  { events: [set('/a'), cleared, set('/c')], path: '/c' },
])('the view is $path after $events.length events', ({ events, path }) => {
  const views = openViews(null);
  views.exec(office.create);
  for (const [index, event] of events.entries()) {
    const at = index + 1;
    office.on[event.type]!(views, {
      ...event,
      stream: 'settings-office',
      position: at,
      at,
      actor: 'owner',
    });
  }
  expect(officePath(views)).toBe(path);
  views.close();
});
