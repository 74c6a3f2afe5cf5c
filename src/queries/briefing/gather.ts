/**
 * Gathers the facts of a briefing: reads the log of the period, observes git, the index and the store, and folds both.
 *
 * - The last events and the views are read in one turn of the event loop, so that the views are exactly at
 *   `to_position`.
 * - A long period is read in slices, so that requests are answered meanwhile.
 */

import { zoneOf } from '../../commands/briefing/schedule.ts';
import type { BriefingRequest, BriefingSettings } from '../../events/briefing/events.ts';
import type { BriefingFacts } from '../../events/briefing/facts.ts';
import { ownTurn } from '../../lib/slices.ts';
import type { Clock } from '../../ports/clock.ts';
import { lastWritten } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { foldActivity, noActivity } from './activity.ts';
import { factsOf } from './facts.ts';
import { briefingText } from './markdown.ts';
import {
  indexObserved,
  NO_INDEX,
  type Observations,
  type ObservedParts,
  repositoriesObserved,
  storageObserved,
} from './observations.ts';

export interface GatherDependencies extends ObservedParts {
  readonly clock: Clock;
  readonly log: EventLog;
  readonly views: Views;
  viewsUnavailable(): string | null;
}

const HOUR_MS = 3_600_000;
const FIRST_HOURS = 24;
const SLICE_EVENTS = 500;
/** Limit of events that one briefing reads; the newest are read. */
export const EVENTS_MAX = 500_000;

/** The facts, with the headline and markdown that are computed from them. Throws when the views are unavailable. */
export async function gather(deps: GatherDependencies, request: BriefingRequest, signal: AbortSignal) {
  const { log, views, clock } = deps;
  const { settings, scheduled_for } = request;
  const sections = new Set(settings.sections);
  requireViews(deps);
  const to = clock.now();
  const start = await periodStart({ log, views }, { settings, now: to, signal });
  const repositories = sections.has('repositories') ? await repositoriesObserved(deps, settings, { ...start, to }) : [];
  const index = sections.has('index') ? await indexObserved(deps) : NO_INDEX;
  const activity = noActivity();
  let foldedTo = start.from_position - 1;
  for (let left = log.head().position - foldedTo; left > SLICE_EVENTS; left = log.head().position - foldedTo) {
    for (const event of log.readAll({ after: foldedTo, limit: SLICE_EVENTS })) foldActivity(activity, event);
    foldedTo += SLICE_EVENTS;
    await ownTurn();
    signal.throwIfAborted();
  }
  requireViews(deps);
  for (const event of log.readAll({ after: foldedTo })) foldActivity(activity, event);
  const { position: to_position, treeHash: tree_hash } = log.head();
  const observations: Observations = { storage: storageObserved(deps, to), repositories, index };
  const frame = {
    period: { ...start, to_position, tree_hash, to },
    timezone: zoneOf(settings, to),
    scheduled_for,
    late_minutes: scheduled_for === null ? 0 : Math.max(0, Math.floor((to - scheduled_for) / 60_000)),
  };
  const facts = factsOf({ activity, views, settings, observations, frame });
  return { facts, ...briefingText(facts, settings.length) };
}

function requireViews({ viewsUnavailable }: Pick<GatherDependencies, 'viewsUnavailable'>): void {
  const reason = viewsUnavailable();
  if (reason !== null) throw new Error(reason);
}

/** The beginning of the period: `hours` ago if set, else the end of the briefing before, else FIRST_HOURS ago. */
async function periodStart(
  { log, views }: Pick<GatherDependencies, 'log' | 'views'>,
  {
    settings,
    now,
    signal,
  }: { readonly settings: BriefingSettings; readonly now: number; readonly signal: AbortSignal },
): Promise<Omit<BriefingFacts['period'], 'to_position' | 'tree_hash' | 'to'>> {
  const head = log.head().position;
  const { hours } = settings;
  const previous = hours === null ? lastWritten(views, settings) : undefined;
  const since = now - (hours ?? FIRST_HOURS) * HOUR_MS;
  const start = previous === undefined ? await positionAt(log, since, signal) : previous.to_position + 1;
  const from_position = Math.max(start, head - EVENTS_MAX + 1);
  return {
    from_position,
    from: previous?.to ?? since,
    previous: previous?.id ?? null,
    is_cut: from_position > start,
  };
}

/**
 * The position of the first event at or after a moment; one past the head when all are older.
 *
 * - Reads backward until SLICE_EVENTS events in a row are older: a clock that was wrong for a while leaves older times
 *   among newer ones. Reads no more events than a briefing does.
 */
async function positionAt(log: EventLog, moment: number, signal: AbortSignal): Promise<number> {
  const head = log.head().position;
  let first = head + 1;
  for (let after = head; after > 0 && first > head - EVENTS_MAX; ) {
    after = Math.max(0, after - SLICE_EVENTS);
    const found = [...log.readAll({ after, limit: SLICE_EVENTS })].find(({ at }) => at >= moment);
    if (found === undefined) break;
    first = found.position;
    await ownTurn();
    signal.throwIfAborted();
  }
  return first;
}
