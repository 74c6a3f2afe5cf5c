/** Frames and names: parsing, text frames, and the valid names of rooms and peers. */
import { describe, expect, it } from 'vitest';
import { binaryFrame, isSentAsText, readTextFrame } from '../../src/live/room/frames.ts';
import { peerColor, peerName, ROOM_ID_BYTES_MAX, roomIdFault } from '../../src/live/room/names.ts';

describe('text frames', () => {
  const peer = { peer_id: 'a', name: 'n', color: '#ffffff', cursor: null, last_active: 1 };
  const cursor = { file: 'a.ts', line: 0, column: 3, selection_end: [1, 2] };

  it.each([
    { type: 'file_opened', file_path: 'src/a.ts' },
    { type: 'awareness', peer_id: 'a', cursor, timestamp: 1 },
    { type: 'awareness', peer_id: 'a', cursor: null, timestamp: 1.5 },
    { type: 'welcome', room_id: 'r', peer_id: 'a', peers: [peer] },
    { type: 'peer_joined', peer: { ...peer, cursor } },
    { type: 'peer_left', peer_id: 'a' },
    { type: 'error', message: 'm' },
  ])('$type is one', (frame) => expect(readTextFrame(JSON.stringify(frame))).toEqual(frame));

  it('a field more is none of our business', () => {
    expect(readTextFrame('{"type":"file_opened","file_path":"a","by":"me"}')).not.toBeNull();
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '"file_opened"',
    '{}',
    '{"type":"nonsense"}',
    '{"type":"file_opened"}',
    '{"type":"file_opened","file_path":3}',
    '{"type":"awareness","peer_id":"a","cursor":{"file":"x","line":-1,"column":0},"timestamp":1}',
    `{"type":"awareness","peer_id":"a","cursor":{"file":"${'x'.repeat(4_097)}","line":0,"column":0},"timestamp":1}`,
    '{"type":"peer_joined","peer":{}}',
  ])('%.60s is none', (text) => expect(readTextFrame(text)).toBeNull());
});

describe('bytes', () => {
  it('go out as text when they are text that begins with a brace', () => {
    expect(isSentAsText(Buffer.from('{"type":'))).toBe(true);
    expect(isSentAsText(Buffer.from([0x7b, 0xff]))).toBe(false);
    expect(isSentAsText(Buffer.from('x{'))).toBe(false);
    expect(isSentAsText(new Uint8Array())).toBe(false);
  });

  it('are one tag and the rest', () => {
    expect([...binaryFrame(2, Buffer.from([7, 8]))]).toEqual([2, 7, 8]);
  });
});

describe('a room id', () => {
  it.each(['a', '0f3c', 'a/b <i>', 'Zimmer Ä', '...', '%2F', 'x'.repeat(ROOM_ID_BYTES_MAX)])('may be %.20s', (id) =>
    expect(roomIdFault(id)).toBeNull(),
  );

  it.each(['', '.', '..', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(ROOM_ID_BYTES_MAX + 1), 'é'.repeat(101)])(
    'may not be %j',
    (id) => expect(roomIdFault(id)).not.toBeNull(),
  );
});

it.each([
  [null, 'Anonymous'],
  ['', 'Anonymous'],
  [' \n ', 'Anonymous'],
  [' Ann ', 'Ann'],
  ['A\u0007nn', 'Ann'],
  ['<b>Ann</b>', '<b>Ann</b>'],
  ['👩'.repeat(70), '👩'.repeat(64)],
])('a name given as %j is %j', (given, name) => expect(peerName(given)).toBe(name));

it('eight colours follow each other', () => {
  const colors = Array.from({ length: 16 }, (_, ordinal) => peerColor(ordinal));
  expect(new Set(colors).size).toBe(8);
  expect(colors.slice(8)).toEqual(colors.slice(0, 8));
  for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/);
});
