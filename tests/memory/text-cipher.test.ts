/** The cipher of encrypted texts, and the fingerprints by which texts are recognised. */
import { describe, expect, it } from 'vitest';
import { fingerprintsBy, PLAIN_FINGERPRINTS } from '../../src/commands/memory/fingerprints.ts';
import { createTextCipher, keyFromPassphrase, textCiphers } from '../../src/integrations/vault/text-cipher.ts';
import { KEY_BYTES } from '../../src/ports/text-cipher.ts';
import { newKey } from '../../src/reactors/memory/key.ts';

const cipher = createTextCipher(Buffer.alloc(KEY_BYTES, 7));
const otherCipher = createTextCipher(Buffer.alloc(KEY_BYTES, 8));

describe('a text cipher', () => {
  it('opens what it sealed, for the same record and unchanged only', () => {
    const sealed = cipher.seal({ content: 'Ünïcode 😀' }, 'a');
    expect(cipher.open(sealed, 'a')).toEqual({ content: 'Ünïcode 😀' });
    expect(() => cipher.open(sealed, 'b')).toThrow();
    const bytes = Buffer.from(sealed, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    expect(() => cipher.open(bytes.toString('base64'), 'a')).toThrow();
    expect(() => otherCipher.open(sealed, 'a')).toThrow();
  });

  it('seals the same text differently each time', () => {
    expect(cipher.seal('same', 'a')).not.toBe(cipher.seal('same', 'a'));
  });

  it('gets the same key from the same passphrase and salt', async () => {
    const keys = await Promise.all(['aa', 'aa', 'bb'].map((salt) => keyFromPassphrase('correct horse', salt)));
    const [one, two, other] = keys;
    expect(one).toEqual(two);
    expect(one).not.toEqual(other);
  });
});

describe('fingerprints', () => {
  const { loose, exact } = fingerprintsBy(cipher);

  it('ignore what copying changes, unless they are exact', () => {
    expect(loose('A  text.')).toBe(loose('- a text'));
    expect(exact('A  text.')).not.toBe(exact('a text'));
  });

  it('differ with the key, and from those without a key', () => {
    expect(exact('a')).not.toBe(PLAIN_FINGERPRINTS.exact('a'));
    expect(exact('a')).not.toBe(fingerprintsBy(otherCipher).exact('a'));
  });

  /** They are in events and views: homes that exist hold them. */
  it('are these for ever', () => {
    expect(PLAIN_FINGERPRINTS.exact('a')).toBe('25b7c656a5f238d363b7591251f2cf33');
    expect(PLAIN_FINGERPRINTS.loose(' - A. ')).toBe('ca978112ca1bbdcafac231b39a23dc4d');
    expect(exact('a')).toBe('59de9bfd9a065137a37ca5675c78dcd3');
    expect(loose(' - A. ')).toBe('ac294daf5a9fcfda9303cac2a50ace4f');
  });
});

it('a new key needs a passphrase of 8 characters, not of 8 UTF-16 units', async () => {
  const secrets = { get: async () => null, set: async () => {}, remove: async () => false };
  const key = (passphrase: string) => newKey('passphrase', { ciphers: textCiphers, secrets, passphrase });
  await expect(key('😀'.repeat(7))).rejects.toThrow('at least 8 characters');
  expect((await key('😀'.repeat(8))).encryption.key_source).toBe('passphrase');
});
