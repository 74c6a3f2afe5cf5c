/** Erases the payloads of events for good: finds the events that hold a text, and removes it from log and views. */
import type { DrawerRow } from '../../projections/memory/drawers.ts';
import type { FactRow } from '../../projections/memory/facts.ts';
import { dueErasures } from '../../projections/memory/memories.ts';
import { loopPositions } from '../../projections/memory/recalled.ts';
import type { ViewsStore } from '../../projections/views.ts';
import { ERASURES_STREAM, type EventLog, type RecordedEvent } from '../../storage/event-log.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select, uniquePerTurn } from '../../streams/operators.ts';
import type { Projector } from '../../streams/projector.ts';

export interface ErasureParts {
  readonly log: EventLog;
  readonly views: ViewsStore;
  readonly projector: Pick<Projector, 'settle'>;
}

const POSITIONS_PER_ERASURE = 1_000;
/** The recorded answer to a request is searched among this many events after its decision. */
const DECISION_EVENTS_MAX = 16;
/** Types of the events that hold the text of a memory. */
export const MEMORY_TEXT_EVENTS: ReadonlySet<string> = new Set([
  'MemoryAdded',
  'MemoryImported',
  'MemoriesMerged',
  'ReflectionFormed',
  'MemorySealed',
]);

/** Positions of the events that hold a memory's text, and of the recorded answers that repeat it. */
export function memoryTextPositions(log: EventLog, id: string): readonly number[] {
  return [...log.readStream(`memory-${id}`)]
    .filter((event) => event.erased !== true && MEMORY_TEXT_EVENTS.has(event.type))
    .flatMap((event) => [event.position, ...answerPositions(log, event)]);
}

/** The same, and the recorded answers to requests that offered the text as new: all that is erased with the memory. */
export function memoryPositions(parts: Pick<ErasureParts, 'log' | 'views'>, id: string): readonly number[] {
  return [...memoryTextPositions(parts.log, id), ...loopAnswerPositions(parts, id)];
}

/** The same for a fact or a drawer. Its stream may hold many others, so its row names the event with the text. */
export function recordPositions(
  parts: Pick<ErasureParts, 'log' | 'views'>,
  { id, text_position }: Pick<FactRow | DrawerRow, 'id' | 'text_position'>,
): readonly number[] {
  const event = parts.log.at(text_position)!;
  const texts = event.erased === true ? [] : [text_position, ...answerPositions(parts.log, event)];
  return [...texts, ...loopAnswerPositions(parts, id)];
}

/** Positions of the recorded answers to requests that offered this entry's text as new: they describe the entry. */
function loopAnswerPositions({ log, views }: Pick<ErasureParts, 'log' | 'views'>, id: string) {
  return loopPositions(views, id).flatMap((position) => answerPositions(log, log.at(position)!));
}

/** The position of the recorded answer to the request that caused an event, if there is one. */
function answerPositions(log: EventLog, { position, causation }: RecordedEvent): readonly number[] {
  for (let at = position + 1; at <= position + DECISION_EVENTS_MAX; at += 1) {
    const next = log.at(at);
    if (next?.causation !== causation) return [];
    if (next.type === 'RequestAnswered') return [at];
  }
  return [];
}

/** Performs decided erasures that a crash prevented. */
export async function eraseDue({ log, views }: Pick<ErasureParts, 'log' | 'views'>): Promise<void> {
  const due = dueErasures(views).filter((position) => log.at(position)?.erased !== true);
  await eraseInSteps(log, due);
}

async function eraseInSteps(log: EventLog, positions: readonly number[]): Promise<void> {
  for (let at = 0; at < positions.length; at += POSITIONS_PER_ERASURE) {
    await log.erase(positions.slice(at, at + POSITIONS_PER_ERASURE));
  }
}

/**
 * Erases the positions that these events name. So a command that decided nothing erases nothing: a memory that was
 * pinned meanwhile keeps its text.
 */
export async function eraseDecided(parts: ErasureParts, events: readonly RecordedEvent[]): Promise<void> {
  await eraseTexts(
    parts,
    events.flatMap(({ data }) => (data as { readonly positions?: readonly number[] }).positions ?? []),
  );
}

/** Erases payloads in the log and in the free pages of the views. */
export async function eraseTexts(parts: ErasureParts, positions: readonly number[]): Promise<void> {
  await eraseInSteps(parts.log, positions);
  if (positions.length > 0) checkpointViews(parts);
}

/** Writes every change into the file of the views and empties its write-ahead log, which holds older rows. */
export function checkpointViews({ projector, views }: Pick<ErasureParts, 'projector' | 'views'>): void {
  projector.settle();
  views.checkpoint();
}

/** Calls `checkpointViews` after each erasure in the log, also after those of another daemon. */
export function checkpointErasedViews(
  parts: Pick<ErasureParts, 'projector' | 'views'>,
  { folded$ }: Pick<CommittedEvents, 'folded$'>,
): void {
  folded$.pipe(select({ stream: ERASURES_STREAM }), uniquePerTurn()).subscribe(() => {
    try {
      checkpointViews(parts);
    } catch {
      // The views are reported as failing; the next checkpoint removes the texts.
    }
  });
}
