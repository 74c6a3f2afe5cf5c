/** WAV files: writes 16-bit PCM mono, and parses the headers of other formats. */

/** 16-bit samples of one channel. */
export interface Pcm {
  readonly rate: number;
  readonly samples: Int16Array;
}

export interface WavFormat {
  readonly encoding: 'integer' | 'float';
  readonly bits: number;
  readonly channels: number;
  readonly rate: number;
  /** The samples as stored. */
  readonly data: Uint8Array;
}

const HEADER_BYTES = 44;
const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
/** The actual format code is in the first two bytes of a GUID. */
const FORMAT_EXTENSIBLE = 0xfffe;

export function encodeWav({ rate, samples }: Pcm): Buffer {
  const bytes = samples.length * 2;
  const file = Buffer.alloc(HEADER_BYTES + bytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(HEADER_BYTES - 8 + bytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(FORMAT_PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(bytes, 40);
  for (let at = 0; at < samples.length; at += 1) file.writeInt16LE(samples[at]!, HEADER_BYTES + at * 2);
  return file;
}

/**
 * null when the bytes are no WAV file. A program that streams does not know the sizes: it writes 0, or one beyond the
 * end.
 */
export function parseWav(file: Uint8Array): WavFormat | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    return null;
  }
  let format: Omit<WavFormat, 'data'> | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + size);
    if (id === 'fmt ') format = formatOf(body);
    if (id === 'data') return format === null ? null : { ...format, data: size === 0 ? bytes.subarray(at + 8) : body };
    // Chunks are padded to an even length.
    at += 8 + size + (size % 2);
  }
  return null;
}

function formatOf(body: Buffer): Omit<WavFormat, 'data'> | null {
  if (body.length < 16) return null;
  const named = body.readUInt16LE(0);
  const code = named === FORMAT_EXTENSIBLE && body.length >= 26 ? body.readUInt16LE(24) : named;
  if (code !== FORMAT_PCM && code !== FORMAT_FLOAT) return null;
  const encoding = code === FORMAT_FLOAT ? 'float' : 'integer';
  return { encoding, channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
}

/** The samples of a 16-bit PCM mono file; null for any other. */
export function decodePcm(file: Uint8Array): Pcm | null {
  const wav = parseWav(file);
  if (wav === null || wav.encoding !== 'integer' || wav.bits !== 16 || wav.channels !== 1) return null;
  const { data, rate } = wav;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const samples = new Int16Array(data.byteLength >> 1);
  for (let at = 0; at < samples.length; at += 1) samples[at] = view.getInt16(at * 2, true);
  return { rate, samples };
}
