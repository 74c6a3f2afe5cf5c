/** A run: the events of one stream in one append, at consecutive versions and consecutive positions. */
import type { Change, Entry } from '../engine.ts';
import { damaged } from './damage.ts';
import { readNumber, readRunKey, runKey, writeNumber } from './keys.ts';

export interface Run {
  readonly stream: string;
  readonly version: number;
  readonly position: number;
  readonly count: number;
}

const RUN_BYTES = 12;

export function encodeRun({ stream, version, position, count }: Run): Change {
  const value = Buffer.allocUnsafe(RUN_BYTES);
  writeNumber(value, 0, position);
  value.writeUInt32BE(count, 8);
  return { key: runKey(stream, version), value };
}

export function decodeRun({ key, value }: Entry): Run {
  if (key.length < 11 || value.length !== RUN_BYTES) throw damaged('a stream run has a wrong size');
  const { stream, version } = readRunKey(key);
  const count = new DataView(value.buffer, value.byteOffset).getUint32(8);
  const run = { stream, version, position: readNumber(value, 0), count };
  if (run.version < 1 || run.count < 1 || run.position < 1) throw damaged(`a run of stream ${stream} is impossible`);
  return run;
}
