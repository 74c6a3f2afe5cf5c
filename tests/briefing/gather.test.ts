/** Where the period of a briefing begins: at the end of the one before, for events and for commits. */
import { beforeEach, expect, it } from 'vitest';
import { BRIEFING_DEFAULTS } from '../../src/commands/briefing/settings.ts';
import type { BriefingEvent } from '../../src/events/briefing/events.ts';
import type { History } from '../../src/ports/git.ts';
import { briefings } from '../../src/projections/briefing.ts';
import type { Seen } from '../../src/projections/projection.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { gather } from '../../src/queries/briefing/gather.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';
import { GATHERED, TEXT } from './support.ts';

const HOUR_MS = 3_600_000;
/** A whole second, because git has no others. */
const ENDED_AT = 1_700_000_000_000;
const settings = { ...BRIEFING_DEFAULTS, sections: ['repositories' as const] };

let views: ViewsStore;
let log: EventLog;

beforeEach(async () => {
  views = openViews(null);
  views.exec(briefings.create);
  ({ log } = await openStorage({ directory: '', ephemeral: true }));
});

/** Events of the log, each so many hours before the end of the briefing before and five seconds. */
async function appendEventsAt(...hoursAgo: readonly number[]): Promise<void> {
  const at = (hours: number): number => ENDED_AT + 5_000 - hours * HOUR_MS;
  for (const [index, hours] of hoursAgo.entries()) {
    await log.append([to('case-1', [{ ...event(index + 1), at: at(hours) }])]);
  }
}

/** Events of the log, an hour apart, the last one five seconds after the end of the briefing before. */
function appendEvents(count: number): Promise<void> {
  return appendEventsAt(...Array.from({ length: count }, (_, index) => count - index - 1));
}

let folded = 0;

/** A written briefing up to a position; null: the event with its facts is erased. */
function writeBriefing(id: string, to_position: number | null): void {
  const events: BriefingEvent[] = [{ type: 'BriefingRequested', data: { scheduled_for: null, settings } }];
  if (to_position !== null) {
    const period = { ...GATHERED.facts.period, to_position, to: ENDED_AT };
    events.push({ type: 'BriefingGathered', data: { ...GATHERED, facts: { ...GATHERED.facts, period } } });
  }
  events.push({ type: 'BriefingWritten', data: TEXT });
  for (const { type, data } of events) {
    folded += 1;
    const seen: Seen = { position: folded, stream: `briefing-${id}`, type, at: ENDED_AT, actor: 'owner', data };
    briefings.on[type]!(views, seen);
  }
}

/** A repository with a commit at each of these times, in seconds after the end of the briefing before. */
function historyOf(...seconds: readonly number[]): History {
  const times = Float64Array.from(seconds, (second) => ENDED_AT / 1_000 + second);
  const count = times.length;
  return {
    ...{ count, authored: times, committed: times, author: new Int32Array(count), traits: new Uint8Array(count) },
    ...{ parentStart: new Int32Array(count + 1), parents: new Int32Array(), authors: ['A'] },
    ...{ mergeSubjects: new Map(), head: count - 1, branches: new Map(), tags: [], isShallow: false, isCut: false },
    hash: (commit) => String(commit),
  };
}

async function nextBriefing(history = historyOf()) {
  const repository = { root: '/work', directory: '/work', isBare: false, history };
  const existing = async () => new Set<string>();
  const touches = async () => ({ files: 0, shared: 0, isCut: false });
  const unasked = (): never => {
    throw new Error('The section index is not in the settings.');
  };
  const { facts } = await gather(
    {
      ...{ log, views, viewsUnavailable: () => null, clock: { now: () => ENDED_AT + HOUR_MS } },
      config: { home: '/home', workspace: '/work' },
      git: { open: async () => ({ ...repository, existing, touches }) },
      ...{ embedders: { selected: unasked }, codeIndex: { list: unasked } },
      storageControl: {
        stats: () => ({ backend: 'cow', events: 0, disk_bytes: 0, failure: null }),
        backups: () => null,
      },
    },
    { scheduled_for: null, settings },
    new AbortController().signal,
  );
  return facts;
}

it('a commit that came while the briefing before was gathered is in the next one, and no commit is in both', async () => {
  await appendEvents(3);
  writeBriefing('a', 3);
  const facts = await nextBriefing(historyOf(-1, 0, 3, 7));
  expect(facts.period).toMatchObject({ from: ENDED_AT, from_position: 4, previous: 'a' });
  expect(facts.repositories).toMatchObject([{ commits: 2 }]);
});

it('a briefing whose facts are erased is not continued: its end is unknown', async () => {
  await appendEvents(40);
  writeBriefing('a', 35);
  writeBriefing('b', null);
  expect((await nextBriefing()).period).toMatchObject({ from_position: 36, previous: 'a' });
});

it.each([
  {
    hoursAgo: [50, 50, 50, 20, 20, 9_999, 9_999, 9_999, 9_999, 0],
    from_position: 4,
    what: 'were recorded under a clock that was behind',
  },
  { hoursAgo: [50, 50], from_position: 3, what: 'are all older than a day' },
  { hoursAgo: [2, 1], from_position: 1, what: 'are all of this day' },
  { hoursAgo: [], from_position: 1, what: 'are none' },
])('the first briefing covers a day, when events $what', async ({ hoursAgo, from_position }) => {
  await appendEventsAt(...hoursAgo);
  expect((await nextBriefing()).period).toMatchObject({ from_position, previous: null, is_cut: false });
});
