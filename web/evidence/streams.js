// Which streams a bundle holds whole, and to which others these refer.
import { Fault } from './zip.js';

/** A stream that is claimed to be whole has every version from the first. */
export function checkStreams(events, { streams }) {
  const versions = new Map();
  for (const { event } of events) {
    const found = versions.get(event.stream);
    if (found === undefined) versions.set(event.stream, [event.version]);
    else found.push(event.version);
  }
  for (const { stream, events: count, whole } of streams) {
    const found = versions.get(stream) ?? [];
    if (found.length !== count) {
      throw new Fault(
        'form',
        'manifest.json',
        `The table of contents is wrong about how many events of ${stream} there are.`,
      );
    }
    const gap = whole ? found.findIndex((version, at) => version !== at + 1) : -1;
    if (gap < 0) continue;
    const what = `Event number ${gap + 1} of ${stream} was left out when the bundle was made, although it claims to be complete.`;
    throw new Fault('left-out', stream, what);
  }
}

/**
 * The streams that a goal or a run refers to are in the bundle, or it says that the log has none of that name. Bundles of
 * earlier versions of Daybook have no such list.
 */
export function checkRelated(events, { related, streams, subject }) {
  if (related === undefined || (subject.kind !== 'goal' && subject.kind !== 'run')) return;
  const whole = new Set(streams.filter((stream) => stream.whole).map(({ stream }) => stream));
  const listed = new Map(related.map((entry) => [entry.stream, entry]));
  for (const { stream, included } of related) {
    if (!included || whole.has(stream)) continue;
    const what = `The bundle claims to hold all of ${stream}, to which its ${subject.kind} refers, and does not.`;
    throw new Fault('left-out', stream, what);
  }
  const inside = new Set([`${subject.kind}-${subject.id}`, ...listed.keys()]);
  for (const { position, event, isErased } of events) {
    const stream = isErased || !inside.has(event.stream) ? null : referredBy(event);
    if (stream === null || inside.has(stream)) continue;
    const what = `Event ${position} refers to ${stream}, which was left out when the bundle was made.`;
    throw new Fault('left-out', stream, what);
  }
}

/** The run that an event links to a goal, or that a fork started from; null for every other event. */
function referredBy({ type, data }) {
  if (type === 'GoalLinked' && (data.kind === 'session' || data.kind === 'job')) return `run-${data.target_id}`;
  return type === 'RunForked' ? `run-${data.from_session_id}` : null;
}
