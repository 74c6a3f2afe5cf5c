/** The recorded model calls of a run, which a replaying provider answers with. */
import { describe, expect, it } from 'vitest';
import { recordingOf } from '../../src/commands/run/recording.ts';
import type { RecordedRunEvent } from '../../src/commands/run/replay.ts';
import { drive } from '../support/run.ts';

/** A run of two calls, of which the first was repeated after a failure. */
function twoCalls(): { readonly events: readonly RecordedRunEvent[]; readonly hashes: readonly string[] } {
  const driven = drive();
  driven.fail();
  driven.send({ type: 'EndBackoff', call: driven.state.call });
  driven.answer('I look. ', { name: 'read_file', id: 'c1' });
  driven.tool();
  driven.answer('Done.');
  const asked = driven.events.flatMap((event) => (event.type === 'ModelAsked' ? [event.data.request_hash] : []));
  return { events: driven.events, hashes: [...new Set(asked)] };
}

const finish = { type: 'finish', reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } };

/** The events with the `number`-th one of a type changed, counted from 1. */
function changed(
  events: readonly RecordedRunEvent[],
  { type, number }: { readonly type: RecordedRunEvent['type']; readonly number: number },
  change: (event: RecordedRunEvent) => RecordedRunEvent,
): readonly RecordedRunEvent[] {
  const one = events.filter((event) => event.type === type)[number - 1];
  return events.map((event) => (event === one ? change(event) : event));
}

describe('the recording of a run', () => {
  it('has the frames of each finished call by the hash of its request', () => {
    const { events, hashes } = twoCalls();
    const call = { id: 'c1', name: 'read_file', input: {} };
    expect([...recordingOf(events)!.answers]).toEqual([
      [hashes[0], [{ type: 'text', text: 'I look. ' }, { type: 'tool_call', call }, finish]],
      [hashes[1], [{ type: 'text', text: 'Done.' }, finish]],
    ]);
  });

  it('has each model and its settings once, the one asked last first', () => {
    const { events } = twoCalls();
    const other = changed(events, { type: 'ModelAsked', number: 2 }, (event) =>
      event.type === 'ModelAsked' ? { ...event, data: { ...event.data, model: 'other' } } : event,
    );
    const { asked, settings } = recordingOf(other)!;
    expect(asked.map(({ provider, model }) => [provider, model])).toEqual([
      ['rehearsal', 'rehearsal-1'],
      ['rehearsal', 'other'],
    ]);
    expect(settings).toEqual({ tool_transport: 'native', prompt_dialect: 'compact', prompt_cache: false });
  });

  it.each(['ModelAsked', 'ModelFramesReceived', 'ModelAnswered'] as const)(
    'has no answer of a call whose %s is erased, and the others unchanged',
    (type) => {
      const { events, hashes } = twoCalls();
      const whole = recordingOf(events)!.answers;
      const number = events.filter((event) => event.type === type).length;
      const erased = changed(events, { type, number }, (event) => ({ ...event, erased: true }));
      expect([...recordingOf(erased)!.answers]).toEqual([[hashes[0], whole.get(hashes[0]!)]]);
    },
  );

  it('is none without a call', () => {
    expect(recordingOf(drive().events)).toBeUndefined();
  });
});
