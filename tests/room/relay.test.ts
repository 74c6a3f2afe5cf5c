/** The handling of a frame: its receivers, the answers, and the ends of connections. */
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createReplicas } from '../../src/integrations/rooms/replicas.ts';
import type { Peer } from '../../src/live/room/peer.ts';
import { HARMFUL_UPDATES_MAX, Room } from '../../src/live/room/room.ts';
import type { RoomText } from '../../src/live/room/text.ts';

interface FakePeer extends Peer {
  readonly got: (string | Uint8Array)[];
  readonly dismissed: number[];
  readonly charged: number[];
}

function fakePeer(id: string): FakePeer {
  const got: (string | Uint8Array)[] = [];
  const dismissed: number[] = [];
  const charged: number[] = [];
  return {
    id,
    name: id,
    color: '#000000',
    hasAwareness: false,
    sendAwareness: () => undefined,
    cursor: null,
    lastActive: 1,
    harmfulUpdates: 0,
    got,
    dismissed,
    charged,
    countBytes: (bytes) => charged.push(bytes),
    send: (frame) => got.push(frame),
    closeWithError: (code) => dismissed.push(code),
  };
}

const frame = (tag: number, rest: Uint8Array): Buffer => Buffer.concat([Buffer.from([tag]), rest]);

let room: Room;
let next: Awaited<ReturnType<RoomText['apply']>> | null;
let ann: FakePeer;
let bob: FakePeer;
let cid: FakePeer;

beforeEach(async () => {
  next = null;
  const replica = await createReplicas().open(() => []);
  room = new Room('r', {
    apply: (update) => next ?? replica.apply(update),
    learn: () => null,
    vector: () => replica.vector(),
    missing: (vector) => replica.missing(vector),
    saved: async () => undefined,
    close: async () => true,
  });
  [ann, bob, cid] = ['ann', 'bob', 'cid'].map(fakePeer) as [FakePeer, FakePeer, FakePeer];
  for (const each of [ann, bob, cid]) room.enter(each);
  for (const each of [ann, bob, cid]) each.got.length = 0;
});

const update = (): Uint8Array => {
  const document = new Y.Doc();
  document.getText('a').insert(0, 'hello');
  return Y.encodeStateAsUpdate(document);
};

describe('a peer that enters', () => {
  it('gets the list of peers and a request for missing updates; the others get `peer_joined`', () => {
    const dan = fakePeer('dan');
    room.enter(dan);
    const [welcome, step] = dan.got;
    expect(JSON.parse(welcome as string)).toMatchObject({ type: 'welcome', room_id: 'r', peer_id: 'dan' });
    const { peers } = JSON.parse(welcome as string) as { peers: { peer_id: string }[] };
    expect(peers.map(({ peer_id }) => peer_id)).toEqual(['ann', 'bob', 'cid', 'dan']);
    expect(step).toEqual(new Uint8Array([0, 0]));
    expect(dan.got).toHaveLength(2);
    for (const { got } of [ann, bob, cid]) {
      expect(got.map((each) => JSON.parse(each as string))).toEqual([{ type: 'peer_joined', peer: peers[3] }]);
    }
  });

  it('and leaves is reported to the others once', () => {
    room.leave(bob);
    room.leave(bob);
    expect(ann.got).toEqual(['{"type":"peer_left","peer_id":"bob"}']);
    expect(bob.got).toEqual([]);
    expect([...room.peers]).toEqual([ann, cid]);
  });
});

describe('a binary frame', () => {
  it.each([1, 2])('with the tag %i changes the text and goes to the others as it is', (tag) => {
    const sent = frame(tag, update());
    expect(room.receiveBytes(ann, sent)).toBeNull();
    expect([ann.got, bob.got, cid.got]).toEqual([[], [sent], [sent]]);
    room.receiveBytes(cid, Buffer.from([0, 0]));
    const document = new Y.Doc();
    Y.applyUpdate(document, (cid.got[1] as Uint8Array).subarray(1));
    expect(document.getText('a').toString()).toBe('hello');
  });

  it('that asks is answered to its sender, and goes to the others all the same', () => {
    const sent = Buffer.from([0, 0]);
    room.receiveBytes(ann, sent);
    expect(ann.got).toEqual([new Uint8Array([1, 0, 0])]);
    expect(ann.charged).toEqual([2]);
    expect(bob.got).toEqual([sent]);
  });

  it.each([[''], ['ff'], ['03aabb'], ['7b22'], ['00ff'], ['00'], ['01'], ['02ff'], ['0201ff']])(
    'that is garbage (%s) changes nothing, goes to the others, and is complained about',
    (hex) => {
      const before = room.text.vector();
      const sent = Buffer.from(hex, 'hex');
      expect(room.receiveBytes(ann, sent)).toBeTypeOf('string');
      expect([ann.got, ann.dismissed, bob.got]).toEqual([[], [], [sent]]);
      expect(room.text.vector()).toEqual(before);
    },
  );

  it('whose beginning is not here is asked for, but not when it is the answer to that', () => {
    const document = new Y.Doc();
    const updates: Uint8Array[] = [];
    document.on('update', (each: Uint8Array) => updates.push(each));
    for (const word of ['a', 'b']) document.getText('a').insert(0, word);
    room.receiveBytes(ann, frame(2, updates[1]!));
    expect(ann.got).toEqual([new Uint8Array([0, 0])]);
    room.receiveBytes(ann, frame(1, updates[1]!));
    expect(ann.got).toHaveLength(1);
    expect(bob.got).toHaveLength(2);
  });

  it.each([
    ['updates', 2],
    ['answers', 1],
  ])('that comes before the one it builds on is kept: who comes late reads what the others have (%s)', (_kind, tag) => {
    const author = new Y.Doc();
    const updates: Uint8Array[] = [];
    author.on('update', (each: Uint8Array) => updates.push(each));
    for (const word of ['one ', 'two']) author.getText('a').insert(author.getText('a').length, word);
    room.receiveBytes(ann, frame(tag, updates[1]!));
    room.receiveBytes(ann, frame(tag, updates[0]!));
    const late = new Y.Doc();
    room.receiveBytes(cid, frame(0, Y.encodeStateVector(late)));
    const answer = cid.got.findLast((each) => typeof each !== 'string' && each[0] === 1) as Uint8Array;
    Y.applyUpdate(late, answer.subarray(1));
    expect(late.getText('a').toString()).toBe('one two');
  });

  it('that is kept is charged to its sender with all that is kept', () => {
    const author = new Y.Doc();
    const updates: Uint8Array[] = [];
    author.on('update', (each: Uint8Array) => updates.push(each));
    for (const word of ['one ', 'two ', 'three']) author.getText('a').insert(author.getText('a').length, word);
    room.receiveBytes(ann, frame(2, updates[2]!));
    room.receiveBytes(ann, frame(2, updates[1]!));
    expect(ann.charged).toHaveLength(2);
    expect(ann.charged[1]).toBeGreaterThan(ann.charged[0]!);
    room.receiveBytes(bob, frame(2, updates[0]!));
    expect(bob.charged).toEqual([]);
  });

  it('that breaks the text is passed on, but the text recovers', () => {
    next = { kind: 'harmful' };
    for (let each = 1; each < HARMFUL_UPDATES_MAX; each += 1) room.receiveBytes(ann, frame(2, update()));
    expect([ann.dismissed, bob.got.length]).toEqual([[], HARMFUL_UPDATES_MAX - 1]);
    room.receiveBytes(ann, frame(2, update()));
    expect([ann.dismissed, bob.got.length]).toEqual([[1008], HARMFUL_UPDATES_MAX - 1]);
  });

  it('that makes the text too long is not passed on, and its sender gets an error', () => {
    next = { kind: 'full' };
    room.receiveBytes(ann, frame(2, update()));
    expect([ann.dismissed, bob.got]).toEqual([[1009], []]);
  });
});

describe('a text frame', () => {
  it('of a room goes to the others word for word', () => {
    const sent = ' {"type": "file_opened", "file_path": "a.ts", "more": 1}';
    room.receiveText(ann, sent);
    expect([ann.got, bob.got, cid.got]).toEqual([[], [sent], [sent]]);
  });

  it('that is none is dropped', () => {
    for (const sent of ['', 'hello', '{"type":"nonsense"}']) room.receiveText(ann, sent);
    expect([ann.got, bob.got]).toEqual([[], []]);
  });

  it('moves only the cursor of its sender', () => {
    const cursor = { file: 'a.ts', line: 1, column: 2, selection_end: null };
    const aware = (peer_id: string): string => JSON.stringify({ type: 'awareness', peer_id, cursor, timestamp: 1 });
    room.receiveText(ann, aware('bob'));
    expect([ann.cursor, bob.cursor]).toEqual([null, null]);
    room.receiveText(ann, aware('ann'));
    expect([ann.cursor, bob.cursor]).toEqual([cursor, null]);
    expect(bob.got).toEqual([aware('bob'), aware('ann')]);
  });
});
