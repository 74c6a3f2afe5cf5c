/** The formats of C2SP: their published vectors, and what readers must refuse. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddCheckpoint, parseAddCheckpoint } from '../../src/lib/tlog/add-checkpoint.ts';
import { formatCheckpoint, parseCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import { checkCosignature, cosign } from '../../src/lib/tlog/cosignature.ts';
import { formatTlogProof } from '../../src/lib/tlog/proof.ts';
import {
  COSIGNATURE,
  checkText,
  ED25519,
  formatNote,
  formatVerifierKey,
  isKeyName,
  NoteError,
  parseNote,
  parseVerifierKey,
  SIGNATURES_MAX,
  signingKey,
  signText,
  verifierKey,
  verifyNote,
} from '../../src/lib/tlog/signed-note.ts';
import { hasTile, parseTilePath, TILE_HASHES, type Tile } from '../../src/lib/tlog/tile.ts';

/** c2sp.org/signed-note, the example. */
const EXAMPLE = {
  vkey: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  note: `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`,
};

/** Verifier keys in the documentation and tests of golang.org/x/mod/sumdb/note. */
const GO_VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);

/** c2sp.org/tlog-checkpoint, the example. */
const CHECKPOINT = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;

const seed = (byte: number): Uint8Array => Buffer.alloc(32, byte);
const key = signingKey(seed(1));
const vkeyOf = (name: string, type = ED25519) => verifierKey(name, type, key.publicKey);

describe('signed notes', () => {
  it('the published example verifies, and no changed byte of it does', () => {
    const known = parseVerifierKey(EXAMPLE.vkey);
    expect(formatVerifierKey(known)).toBe(EXAMPLE.vkey);
    const note = parseNote(EXAMPLE.note);
    expect(formatNote(note)).toBe(EXAMPLE.note);
    expect(verifyNote(note, [known], checkText)).toEqual([known]);
    const accepted: number[] = [];
    const bytes = Buffer.from(EXAMPLE.note);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      try {
        if (verifyNote(parseNote(changed.toString('utf8')), [known], checkText).length > 0) accepted.push(at);
      } catch (error) {
        expect(error).toBeInstanceOf(NoteError);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('a key of Go’s tests has Go’s verifier key', () => {
    const { publicKey } = signingKey(GO_SEED);
    expect(formatVerifierKey(verifierKey('PeterNeumann', ED25519, publicKey))).toBe(GO_VKEY);
  });

  it('refuses every part of a verifier key that is not the whole', () => {
    for (let from = 0; from < GO_VKEY.length; from += 1) {
      for (let to = from + 1; to <= GO_VKEY.length; to += 1) {
        if (to - from === GO_VKEY.length) continue;
        expect(() => parseVerifierKey(GO_VKEY.slice(from, to))).toThrow(NoteError);
      }
    }
    for (let at = 0; at < GO_VKEY.length; at += 1) {
      const changed = GO_VKEY.slice(0, at) + String.fromCharCode(GO_VKEY.charCodeAt(at) + 1) + GO_VKEY.slice(at + 1);
      expect(() => parseVerifierKey(changed)).toThrow(NoteError);
    }
    // From Go's tests: a key of another length, and an unknown algorithm, each with a fitting hash.
    expect(() =>
      parseVerifierKey('PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='),
    ).toThrow();
    expect(() => parseVerifierKey('PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')).toThrow(
      '0x65',
    );
    expect(() => parseVerifierKey(GO_VKEY, [COSIGNATURE])).toThrow('0x04');
  });

  it.each(['', 'a b', 'a+b', 'a\u00a0b', 'a\u2003b', 'a\u0085b', 'a\tb', 'a\ud800'])('%j names no key', (name) => {
    expect(isKeyName(name)).toBe(false);
    expect(() => verifierKey(name, ED25519, key.publicKey)).toThrow(NoteError);
  });

  it.each([
    ['no signature', 'text\n\n'],
    ['no empty line', 'text\n— a AAAAAAA=\n'],
    ['no last newline', 'text\n\n— a AAAAAAA='],
    ['another dash', 'text\n\n- a AAAAAAA=\n'],
    ['no name', 'text\n\n—  AAAAAAA=\n'],
    ['a plus sign in the name', 'text\n\n— a+b AAAAAAA=\n'],
    ['no base64', 'text\n\n— a AAAA*AA=\n'],
    ['base64 with another end', 'text\n\n— a AAAAAAB=\n'],
    ['a key id alone', 'text\n\n— a AAAAAA==\n'],
    ['a control character', 'te\rxt\n\n— a AAAAAAA=\n'],
    ['an empty line between signatures', 'text\n\n— a AAAAAAA=\n\n'],
    ['too many signatures', `text\n\n${'— a AAAAAAA=\n'.repeat(SIGNATURES_MAX + 1)}`],
    ['a megabyte', `${'x'.repeat(1_000_001)}\n\n— a AAAAAAA=\n`],
  ])('with %s is no note', (_, note) => {
    expect(() => parseNote(note)).toThrow(NoteError);
  });

  it('a text may have empty lines; the last one separates', () => {
    const text = 'one\n\ntwo\n';
    const note = parseNote(formatNote({ text, signatures: [signText(key, 'a', text)] }));
    expect(note.text).toBe(text);
    expect(verifyNote(note, [vkeyOf('a')], checkText)).toHaveLength(1);
  });

  it('ignores unknown keys, and refuses a note on which a known key signed wrongly', () => {
    const text = 'text\n';
    const [right, other] = [signText(key, 'a', text), signText(signingKey(seed(2)), 'b', text)];
    expect(verifyNote({ text, signatures: [other, right] }, [vkeyOf('a')], checkText)).toHaveLength(1);
    expect(verifyNote({ text, signatures: [other] }, [vkeyOf('a')], checkText)).toEqual([]);
    const wrong = { ...right, signature: other.signature };
    expect(() => verifyNote({ text, signatures: [wrong, other] }, [vkeyOf('a')], checkText)).toThrow(NoteError);
    expect(verifyNote({ text, signatures: [{ ...wrong, id: 7 }, right] }, [vkeyOf('a')], checkText)).toHaveLength(1);
  });
});

describe('checkpoints', () => {
  it('the published example is read and written alike', () => {
    const { text, signatures } = parseNote(CHECKPOINT);
    const checkpoint = parseCheckpoint(text);
    expect([checkpoint.origin, checkpoint.size]).toEqual(['example.com/behind-the-sofa', 20_852_163]);
    expect(formatCheckpoint(checkpoint)).toBe(text);
    expect(formatNote({ text, signatures })).toBe(CHECKPOINT);
  });

  const root = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
  it.each([
    '',
    `\n1\n${root}\n`,
    `o\n01\n${root}\n`,
    `o\n-1\n${root}\n`,
    `o\n1.0\n${root}\n`,
    `o\n9007199254740993\n${root}\n`,
    `o\n\n${root}\n`,
    'o\n1\nAAAA\n',
    `o\n1\n${root}`,
    `o\n1\n${root}\n\nx\n`,
    `o\n1\n${root.slice(0, -1)}\n`,
  ])('%j is none', (text) => {
    expect(() => parseCheckpoint(text)).toThrow(NoteError);
  });

  it('has extension lines, which are left alone', () => {
    expect(parseCheckpoint(`o\n0\n${root}\nmore\n`)).toMatchObject({ origin: 'o', size: 0 });
  });
});

describe('cosignatures', () => {
  const text = parseNote(CHECKPOINT).text;
  const witness = verifierKey('witness.example.com/w1', COSIGNATURE, key.publicKey);

  it('sign the header, the time and the checkpoint', () => {
    const { signature } = cosign(key, { name: witness.name, seconds: 1_679_315_147 }, text);
    const signed = `cosignature/v1\ntime 1679315147\n${text}`;
    expect(Buffer.from(signature.subarray(8)).equals(key.sign(Buffer.from(signed)))).toBe(true);
    expect(Buffer.from(signature).readBigUInt64BE(0)).toBe(1_679_315_147n);
    expect(checkCosignature(witness, text, signature)).toBe(true);
  });

  it('hold for no other time, text or key, and are no signature of the other type', () => {
    const { signature } = cosign(key, { name: witness.name, seconds: 5 }, text);
    const later = Buffer.from(signature);
    later.writeBigUInt64BE(6n);
    expect(checkCosignature(witness, text, later)).toBe(false);
    expect(checkCosignature(witness, `${text}more\n`, signature)).toBe(false);
    expect(checkCosignature({ ...witness, publicKey: signingKey(seed(3)).publicKey }, text, signature)).toBe(false);
    expect(checkCosignature(witness, text, signature.subarray(1))).toBe(false);
    expect(checkText(witness, text, signature.subarray(8))).toBe(false);
    const never = cosign(key, { name: witness.name, seconds: 0 }, text);
    expect(checkCosignature(witness, text, never.signature)).toBe(false);
  });

  it('the published example names its key and its time', () => {
    const line =
      'jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==';
    const { signatures } = parseNote(`${CHECKPOINT}— witness.example.com/w1 ${line}\n`);
    expect(signatures[1]!.signature).toHaveLength(72);
    expect(Buffer.from(signatures[1]!.signature).readBigUInt64BE(0)).toBe(1_679_315_147n);
  });
});

describe('tiles', () => {
  /** The path that names a tile. */
  function tilePath({ level, index, width }: Tile): string {
    const digits = String(index);
    const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
    const number = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/');
    return `${level}/${number}${width === TILE_HASHES ? '' : `.p/${width}`}`;
  }

  /** c2sp.org/tlog-tiles: the example of a number, and the tiles of a tree of 70 000 and of 256. */
  it('the published example of a path', () => {
    const tile: Tile = { level: 0, index: 1_234_067, width: 256 };
    expect(tilePath(tile)).toBe('0/x001/x234/067');
    expect(parseTilePath('0/x001/x234/067')).toEqual(tile);
  });

  it('the published examples of trees', () => {
    const tilesOf = (size: number): string[] => {
      const found: string[] = [];
      for (let level = 0; level < 4; level += 1) {
        for (let index = 0; hasTile(size, { level, index, width: 1 }); index += 1) {
          const widths = Array.from({ length: 256 }, (_, at) => 256 - at);
          const width = widths.find((each) => hasTile(size, { level, index, width: each }))!;
          found.push(tilePath({ level, index, width }));
        }
      }
      return found;
    };
    const large = tilesOf(70_000);
    expect(large.filter((path) => /^0\/\d+$/.test(path))).toHaveLength(273);
    expect(large.slice(273)).toEqual(['0/273.p/112', '1/000', '1/001.p/17', '2/000.p/1']);
    expect(tilesOf(256)).toEqual(['0/000', '1/000.p/1']);
    expect(tilesOf(0)).toEqual([]);
  });

  it.each([
    '',
    '0',
    '0/',
    '0/0',
    '0/00',
    '0/x001',
    '0/001/002',
    '0/x1/002',
    '00/001',
    '64/001',
    '0/001.p/0',
    '0/001.p/256',
  ])('%j names none', (path) => expect(parseTilePath(path)).toBeNull());

  it.each(['0/001.p/01', '0/001.p', '0/x000/001', 'entries/001', '0/001/', '-1/001', '0/x999/x999/x999/x999/x999/999'])(
    '%j names none',
    (path) => expect(parseTilePath(path)).toBeNull(),
  );

  it('every tile has one path', () => {
    const tiles = fc.record({
      level: fc.integer({ min: 0, max: 63 }),
      index: fc.maxSafeNat(),
      width: fc.integer({ min: 1, max: 256 }),
    });
    const isReadAgain = (tile: Tile): void => expect(parseTilePath(tilePath(tile))).toEqual(tile);
    fc.assert(fc.property(tiles, (tile) => void isReadAgain(tile)));
  });
});

describe('proofs and requests', () => {
  const hashes = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));

  it('are read as they are written', () => {
    const request = { old: 20_852_014, proof: hashes, checkpoint: CHECKPOINT };
    expect(parseAddCheckpoint(formatAddCheckpoint(request))).toEqual(request);
  });

  it('a proof is a header, the index, the path and the checkpoint', () => {
    const proof = { index: 73_894, path: hashes, checkpoint: CHECKPOINT };
    const path = hashes.map((hash) => `${hash.toString('base64')}\n`).join('');
    expect(formatTlogProof(proof)).toBe(`c2sp.org/tlog-proof@v1\nindex 73894\n${path}\n${CHECKPOINT}`);
    expect(formatTlogProof({ ...proof, index: 0, path: [] })).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${CHECKPOINT}`);
  });

  /** The request in c2sp.org/tlog-witness. */
  it('the published example of a request is read', () => {
    const body = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

${CHECKPOINT}`;
    const { old, proof, checkpoint } = parseAddCheckpoint(body);
    expect([old, proof.length, checkpoint]).toEqual([20_852_014, 4, CHECKPOINT]);
    expect(formatAddCheckpoint({ old, proof, checkpoint })).toBe(body);
  });
});
