/**
 * The causes and effects of an event, as far as the log has them: its decision, its correlation, and what its stream
 * caused.
 */
import { api, type Envelope } from '../../api.ts';
import { ofCategory, resources } from '../../resource.ts';

/** Events that one command committed together, or one after another of the same type. */
export interface Decision {
  /** In the order of the log. */
  readonly events: readonly Envelope[];
}

export interface Related {
  /** The event that began it all, unless it is among the causes. */
  readonly origin: Decision | null;
  readonly causes: readonly Decision[];
  readonly together: readonly Envelope[];
  readonly effects: readonly Decision[];
  /** The position at which reading stopped before the end of the log; null if it read everything or found enough. */
  readonly lookedTo: number | null;
}

const EVENTS = 40;
const DECISIONS_MAX = 5;

/** The id of a stream follows its category. */
const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

function decisionsOf(events: readonly Envelope[]): readonly Decision[] {
  const decisions: Envelope[][] = [];
  for (const event of events) {
    const last = decisions.at(-1);
    const isSame = last !== undefined && event.causation !== null && last[0]!.causation === event.causation;
    if (isSame || last?.every(({ type }) => type === event.type) === true) last!.push(event);
    else decisions.push([event]);
  }
  return decisions.map((together) => ({ events: together }));
}

const byPosition = (one: Envelope, other: Envelope): number => one.position - other.position;

async function eventsOf(query: Parameters<typeof api.log.list>[0]): Promise<readonly Envelope[]> {
  return (await api.log.list(query)).events;
}

/** The event that began the run that a correlation names. */
async function originOf({ correlation, position }: Envelope): Promise<Envelope | null> {
  if (correlation === null) return null;
  const [first] = await eventsOf({ query: { stream: `run-${correlation}`, limit: 1 } });
  return first !== undefined && first.position < position ? first : null;
}

export async function relatedOf(event: Envelope): Promise<Related> {
  const { position, correlation, causation, stream } = event;
  const id = idOf(stream);
  const [before, after, origin, begun] = await Promise.all([
    correlation === null ? null : api.log.list({ query: { correlation, before: position, limit: EVENTS } }),
    correlation === null ? null : api.log.list({ query: { correlation, after: position, limit: EVENTS } }),
    originOf(event),
    id === correlation ? [] : eventsOf({ query: { correlation: id, after: position, limit: EVENTS } }),
  ]);
  const found = [before?.events ?? [], after?.events ?? [], begun].flat();
  const others = [...new Map(found.map((each) => [each.position, each])).values()].sort(byPosition);
  const isTogether = (each: Envelope): boolean => causation !== null && each.causation === causation;
  const separate = others.filter((each) => !isTogether(each));
  const causes = decisionsOf(separate.filter((each) => each.position < position)).slice(-DECISIONS_MAX);
  const isKnown = causes.some(({ events }) => events.some((each) => each.position === origin?.position));
  return {
    origin: origin === null || isKnown ? null : { events: [origin] },
    causes,
    together: [...others.filter(isTogether), event].sort(byPosition),
    effects: decisionsOf(separate.filter((each) => each.position > position)).slice(0, DECISIONS_MAX),
    lookedTo: causes.length > 0 ? null : (before?.next ?? null),
  };
}

const EVENTS_KEPT = 50;
const isErasure = ofCategory('log');

/** The event at a position, and the size of the log; null if there is no such event. */
export const eventAt = resources(EVENTS_KEPT, (position) => ({
  load: async () => {
    const { events, head } = await api.log.list({ query: { after: Math.max(0, Number(position) - 1), limit: 1 } });
    return { event: events.find((event) => event.position === Number(position)) ?? null, head };
  },
  // The event itself, or an erasure.
  concerns: (event) => event.position === Number(position) || isErasure(event),
}));
