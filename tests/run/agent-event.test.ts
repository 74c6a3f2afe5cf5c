/** How readers of a run's stream take events of other versions. */
import { expect, it } from 'vitest';
import { readAgentEvent } from '../../src/events/run/agent-event.ts';

it('an event is read without fields that this version does not know', () => {
  expect(readAgentEvent({ type: 'chunk', content: 'The parser', tone: 'calm' })).toEqual({
    type: 'chunk',
    content: 'The parser',
  });
});

it('an event of an unknown type is null', () => {
  expect(readAgentEvent({ type: 'heartbeat', content: 7 })).toBeNull();
});

it('an event of a known type with a wrong field is refused', () => {
  expect(() => readAgentEvent({ type: 'chunk', content: 7 })).toThrow('content');
});
