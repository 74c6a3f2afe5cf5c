/** The decider of rooms: a room is created once, and entered once until it is opened again. */
import { describe, it } from 'vitest';
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
