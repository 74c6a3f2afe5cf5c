/** Concurrent editing: real replicas over real sockets converge to one text, which later peers get. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { sharedDaemon } from '../support/daemon.ts';
import { type Client, converge, FILE, join, STEP_1 } from './client.ts';

const daemon = sharedDaemon();
let named = 0;
const fresh = (what: string): string => {
  named += 1;
  return `${what}-${named}`;
};
const room = (): string => fresh('room');
const enter = (of: string, document?: Y.Doc) => join({ ...daemon, room: of, ...(document && { document }) });

interface Edit {
  readonly by: number;
  readonly at: number;
  /** Empty: a piece is deleted. */
  readonly text: string;
  readonly isPause: boolean;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  by: fc.nat(2),
  at: fc.nat(10_000),
  text: fc.string({ maxLength: 5, unit: 'grapheme' }),
  isPause: fc.boolean(),
});

function carryOut(document: Y.Doc, { at, text: written }: Edit): void {
  const text = document.getText(FILE);
  const place = at % (text.length + 1);
  if (written !== '') text.insert(place, written);
  else if (place < text.length) text.delete(place, Math.min(3, text.length - place));
}

/** Everybody has said what they had to say: what a peer sends arrives in order. */
async function settle(clients: readonly Client[]): Promise<void> {
  const mark = fresh('done');
  clients.forEach(({ document }, by) => void document.getMap(mark).set(String(by), true));
  await Promise.all(clients.map((client) => client.until(() => client.document.getMap(mark).size === clients.length)));
}

describe('three replicas', () => {
  it('that write at the same time come to the same text, and a fourth gets all of it', {
    timeout: 120_000,
  }, async () => {
    const history = fc.array(edit, { minLength: 1, maxLength: 60 });
    const property = fc.asyncProperty(history, async (edits) => {
      const of = room();
      const clients = await Promise.all([enter(of), enter(of), enter(of)]);
      for (const each of edits) {
        carryOut(clients[each.by]!.document, each);
        if (each.isPause) await new Promise((resolve) => setImmediate(resolve));
      }
      await settle(clients);
      const states = clients.map(({ document }) => Buffer.from(Y.encodeStateVector(document)).toString('hex'));
      expect(new Set(states).size).toBe(1);
      const text = await converge(clients);
      const late = await enter(of);
      await late.until(() => late.text() === text);
      await Promise.all([...clients, late].map((client) => client.leave()));
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it('that were edited while disconnected exchange their edits when they connect', async () => {
    const of = room();
    const [here, there] = [new Y.Doc(), new Y.Doc()];
    here.getText(FILE).insert(0, 'one ');
    there.getText(FILE).insert(0, 'two ');
    const ann = await enter(of, here);
    const bob = await enter(of, there);
    await settle([ann, bob]);
    const text = await converge([ann, bob]);
    expect([...text.split(' ')].sort()).toEqual(['', 'one', 'two']);
    await Promise.all([ann.leave(), bob.leave()]);
  });
});

describe('what a peer sends', () => {
  it('is not sent back to it, and only it gets the answer to its requests', async () => {
    const of = room();
    const ann = await join({ ...daemon, room: of, isMute: true });
    const bob = await join({ ...daemon, room: of, isMute: true });
    await ann.until(() => ann.texts('peer_joined').length === 1);
    const asking = Buffer.from([STEP_1, 0]);
    ann.sendRaw(asking);
    ann.sendRaw('{"type":"file_opened","file_path":"b.ts"}');
    await bob.until(() => bob.texts('file_opened').length === 1);
    bob.sendRaw('{"type":"file_opened","file_path":"c.ts"}');
    await ann.until(() => ann.texts('file_opened').length === 1);
    const kinds = ({ frames }: Client) => frames.map((frame) => (Buffer.isBuffer(frame) ? [...frame] : frame.type));
    expect(kinds(ann)).toEqual(['welcome', [0, 0], 'peer_joined', [1, 0, 0], 'file_opened']);
    expect(kinds(bob)).toEqual(['welcome', [0, 0], [0, 0], 'file_opened']);
    await Promise.all([ann.leave(), bob.leave()]);
  });

  it('and is garbage is passed on and harms no peer', async () => {
    const of = room();
    const ann = await enter(of);
    const bob = await enter(of);
    // The last three are what the stock provider would send: two numbers before the bytes.
    const garbage = [
      '',
      '09',
      'ff00',
      '00ff',
      '02ff',
      '0201ff',
      '01',
      '7bff',
      '00000100',
      '000203010000',
      '010401020304',
    ].map((hex) => Buffer.from(hex, 'hex'));
    for (const each of garbage) ann.sendRaw(each);
    ann.sendRaw('not JSON');
    ann.sendRaw('{"type":"nonsense"}');
    ann.sendRaw(Buffer.from('{"seen": "as text"}'));
    await bob.until(() => bob.frames.some((frame) => !Buffer.isBuffer(frame) && 'seen' in frame));
    const got = bob.frames.filter((frame) => Buffer.isBuffer(frame)).map((frame) => frame.toString('hex'));
    for (const each of garbage) expect(got).toContain(each.toString('hex'));
    ann.document.getText(FILE).insert(0, 'still here');
    await converge([ann, bob], 'still here');
    const late = await enter(of);
    await late.until(() => late.text() === 'still here');
    await Promise.all([ann, bob, late].map((client) => client.leave()));
  });

  it('is logged at most once a connection when it is invalid', async () => {
    const of = room();
    const ann = await enter(of);
    for (let each = 0; each < 50; each += 1) ann.sendRaw(Buffer.from([9]));
    await settle([ann]);
    await ann.leave();
    expect(daemon.lines.filter((line) => line.includes(`Room ${of}:`))).toHaveLength(1);
  });
});
