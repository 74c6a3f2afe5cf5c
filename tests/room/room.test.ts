/** The decider of rooms: a room is created once, and entered once until it is opened again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/commands/refusal.ts';
import { type RoomCommand, room } from '../../src/commands/room.ts';
import type { RoomEvent } from '../../src/events/room.ts';
import { decider } from '../support/given.ts';

const { given } = decider(room);
const created: RoomEvent = { type: 'RoomCreated', data: {} };
const entered: RoomEvent = { type: 'RoomEntered', data: {} };
const reopened: RoomEvent = { type: 'RoomReopened', data: {} };
const open = (peers: number): RoomCommand => ({ type: 'OpenRoom', peers });

describe('a room', () => {
  it('is created on request, or by the first peer', () => {
    given().when(open(0)).thenEvents(created);
    given().when({ type: 'EnterRoom' }).thenEvents(created, entered);
  });

  it('waits for its first peer, and only that one is recorded', () => {
    given(created).when(open(0)).thenNothing();
    given(created).when({ type: 'EnterRoom' }).thenEvents(entered);
    given(created, entered).when({ type: 'EnterRoom' }).thenNothing();
  });

  it('is reopened only without peers', () => {
    given(created, entered).when(open(2)).thenNothing();
    given(created, entered).when(open(0)).thenEvents(reopened);
    given(created, entered, reopened).when(open(0)).thenNothing();
    given(created, entered, reopened).when({ type: 'EnterRoom' }).thenEvents(entered);
  });

  it('must exist for its text to be written', () => {
    given().when({ type: 'WriteRoomText' }).thenRefused('not_found');
    given(created).when({ type: 'WriteRoomText' }).thenNothing();
  });
});

describe('any history', () => {
  const command = fc.constantFrom<RoomCommand>(open(0), open(3), { type: 'EnterRoom' }, { type: 'WriteRoomText' });

  it('makes no second event of the same command, and the state it was given stays as it was', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = room.initial;
        for (const each of commands) {
          for (const isSecond of [false, true]) {
            const before = structuredClone(state);
            const decision = room.decide(each, state, { id: 'an-id', now: 1 });
            expect(state).toEqual(before);
            if (isRefusal(decision)) break;
            if (isSecond) expect(decision).toEqual([]);
            state = decision.reduce((folded, event) => room.evolve(folded, { ...event, at: 1, actor: 'owner' }), state);
          }
        }
      }),
    );
  });
});
