/** Finds the bytes of a text in the files of a folder, in every encoding that a program might use. */
import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { filesWhere } from '../support/folders.ts';

interface Form {
  readonly name: string;
  readonly bytes: Buffer;
}

/** UTF-8, UTF-16, JSON with escapes, Base64 at each of its three alignments; as it is, in small and in capital letters. */
export function formsOf(word: string): readonly Form[] {
  return [...new Set([word, word.toLowerCase(), word.toUpperCase()])].flatMap((text) => [
    { name: 'utf-8', bytes: Buffer.from(text) },
    { name: 'utf-16', bytes: Buffer.from(text, 'utf16le') },
    { name: 'utf-16 big-endian', bytes: Buffer.from(text, 'utf16le').swap16() },
    { name: 'json', bytes: Buffer.from(escaped(text)) },
    { name: 'hex', bytes: Buffer.from(Buffer.from(text).toString('hex')) },
    ...[0, 1, 2].flatMap((shift) => [
      { name: `base64 at ${shift}`, bytes: base64At(text, shift, 'base64') },
      { name: `base64url at ${shift}`, bytes: base64At(text, shift, 'base64url') },
    ]),
  ]);
}

function escaped(text: string): string {
  return text.replace(/[^ -~]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The digits that stand for whole bytes of the text, when so many bytes are before it. */
function base64At(text: string, shift: number, encoding: 'base64' | 'base64url'): Buffer {
  const digits = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
    .toString(encoding)
    .replace(/=+$/, '');
  return Buffer.from(digits.slice(Math.ceil((shift * 8) / 6), -2));
}

/** `file: form` of each place. Compressed parts of files are searched too. */
export function tracesIn(folder: string, words: readonly string[]): readonly string[] {
  const forms = words.flatMap(formsOf);
  const found = new Set<string>();
  filesWhere(folder, (bytes, path) => {
    for (const [kind, content] of [['', bytes] as const, ...unpackedParts(bytes)]) {
      for (const { name, bytes: wanted } of forms) {
        if (content.includes(wanted)) found.add(`${path.slice(folder.length + 1)}${kind}: ${name}`);
      }
    }
    return false;
  });
  return [...found].sort();
}

const COMPRESSED = [
  { kind: ' (gzip)', magic: Buffer.from('1f8b08', 'hex'), unpack: gunzipSync },
  { kind: ' (zlib)', magic: Buffer.from('789c', 'hex'), unpack: inflateSync },
  { kind: ' (zstd)', magic: Buffer.from('28b52ffd', 'hex'), unpack: zstdDecompressSync },
];

function unpackedParts(bytes: Buffer): readonly (readonly [kind: string, content: Buffer])[] {
  return COMPRESSED.flatMap(({ kind, magic, unpack }) => {
    const parts: (readonly [string, Buffer])[] = [];
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
      try {
        parts.push([kind, unpack(bytes.subarray(at), { finishFlush: 2 })]);
      } catch {
        // Bytes that look like the beginning of a compressed part.
      }
    }
    return parts;
  });
}
