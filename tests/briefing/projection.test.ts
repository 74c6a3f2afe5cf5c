/** The rows of briefings: progress, outcome, and how many are kept. */
import { beforeEach, describe, expect, it } from 'vitest';
import { BRIEFING_DEFAULTS } from '../../src/commands/briefing/settings.ts';
import type { BriefingEvent, BriefingSettings } from '../../src/events/briefing/events.ts';
import {
  BRIEFINGS_KEPT_MAX,
  briefingRow,
  briefings,
  endedBriefings,
  lastWritten,
  runningBriefing,
  runningBriefingIds,
} from '../../src/projections/briefing.ts';
import type { Seen } from '../../src/projections/projection.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { GATHERED, TEXT } from './support.ts';

let views: ViewsStore;
let position = 0;

beforeEach(() => {
  views = openViews(null);
  views.exec(briefings.create);
  position = 0;
});

function fold(id: string, ...events: readonly BriefingEvent[]): void {
  for (const event of events) {
    position += 1;
    const envelope = { position, version: 1, at: 1_000 + position, actor: 'owner', stream: `briefing-${id}` };
    briefings.on[event.type]!(views, { ...event, ...envelope } as Seen);
  }
}

const requested: BriefingEvent = {
  type: 'BriefingRequested',
  data: { scheduled_for: 7, settings: BRIEFING_DEFAULTS },
};
const started: BriefingEvent = { type: 'BriefingStarted', data: { attempt: 1 } };
const gathered: BriefingEvent = { type: 'BriefingGathered', data: GATHERED };
const written: BriefingEvent = { type: 'BriefingWritten', data: TEXT };
const failed: BriefingEvent = { type: 'BriefingFailed', data: { message: 'The views cannot be read.' } };

describe('a briefing', () => {
  it('shows how far it is', () => {
    const stage = () => runningBriefing(views)?.stage;
    fold('a', requested);
    expect(stage()).toBe('waiting');
    fold('a', started);
    expect(stage()).toBe('gathering');
    fold('a', gathered);
    expect(stage()).toBe('writing');
    fold('a', { type: 'BriefingInterrupted', data: { attempt: 1, reason: 'killed' } });
    expect(stage()).toBe('waiting');
    fold('a', started);
    expect([stage(), runningBriefingIds(views)]).toEqual(['writing', ['a']]);
  });
  it('that is written is where the next goes on; one that failed says why and is not', () => {
    fold('a', requested, started, gathered, written);
    fold('b', requested, started, failed);
    expect(runningBriefing(views)).toBeUndefined();
    const { to_position, to } = GATHERED.facts.period;
    expect(lastWritten(views, BRIEFING_DEFAULTS)).toEqual({ id: 'a', to_position, to });
    expect(endedBriefings(views, 10)).toMatchObject([
      {
        id: 'b',
        status: 'failed',
        error: 'The views cannot be read.',
        markdown: null,
        stage: null,
        finished_at: 1_007,
      },
      { id: 'a', status: 'written', error: null, markdown: TEXT.markdown, scheduled_for: 7, requested_at: 1_001 },
    ]);
  });
});

describe('the briefing that the next one continues', () => {
  const write = (id: string, changes: Partial<BriefingSettings>): void => {
    const settings = { ...BRIEFING_DEFAULTS, ...changes };
    fold(id, { type: 'BriefingRequested', data: { scheduled_for: null, settings } }, started, gathered, written);
  };
  const continued = (changes: Partial<BriefingSettings> = {}) =>
    lastWritten(views, { ...BRIEFING_DEFAULTS, ...changes })?.id;

  it('has the same workspace, at least its sections, and no hours of its own', () => {
    write('whole', {});
    write('storage', { sections: ['storage'] });
    write('folder', { workspace: '/w' });
    write('hour', { hours: 1 });
    expect(continued()).toBe('whole');
    expect(continued({ sections: ['storage'] })).toBe('storage');
    expect(continued({ sections: [] })).toBe('storage');
    expect(continued({ workspace: '/w', sections: ['runs'] })).toBe('folder');
    expect(continued({ workspace: '/v' })).toBeUndefined();
  });
});

it('the oldest leave', () => {
  for (let n = 0; n < BRIEFINGS_KEPT_MAX + 2; n += 1) fold(`b${n}`, requested, started, gathered, written);
  expect(endedBriefings(views, 1_000)).toHaveLength(BRIEFINGS_KEPT_MAX);
  expect([briefingRow(views, 'b1'), briefingRow(views, 'b2')?.status]).toEqual([undefined, 'written']);
});
