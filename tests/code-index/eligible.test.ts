/** Which files are excluded from the index for their content. */
import { describe, expect, it } from 'vitest';
import { textOrReason } from '../../src/integrations/code-index/eligible.ts';

const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';
const KEY = 'A'.repeat(64);

function look(text: string): unknown {
  return textOrReason(Buffer.from(text), 'notes.md');
}

describe('a private key', () => {
  it.each([
    ['without headers', `${BEGIN}\n${KEY}\n`],
    ['with headers', `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0F\n\n${KEY}\n`],
    [
      'with headers that end in CR LF',
      `${BEGIN}\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-256-CBC,0F\r\n\r\n${KEY}\r\n`,
    ],
    ['with headers that end in CR', `${BEGIN}\rProc-Type: 4,ENCRYPTED\r\r${KEY}\r`],
    ['indented', `  ${BEGIN}\n  Proc-Type: 4,ENCRYPTED\n\n  ${KEY}\n`],
  ])('%s is a secret', (_how, text) => {
    expect(look(text)).toEqual({ reason: 'secret' });
  });

  it.each([
    ['only its header', `const HEADER = '${BEGIN}';\n`],
    ['a header with many colons', `${BEGIN}\n${'a: '.repeat(10_000)}\n`],
    ['many headers', `${BEGIN}\n${'a: b\n'.repeat(100_000)}`],
    ['many beginnings in a line', `${BEGIN} a: `.repeat(30_000)],
    ['many beginnings in many lines', `${BEGIN}\na: `.repeat(30_000)],
  ])('%s is none, which is found in linear time', (_what, text) => {
    expect(look(text)).toEqual({ text });
  });
});
