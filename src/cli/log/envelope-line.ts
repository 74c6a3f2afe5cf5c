/** Prints envelopes as lines of text or JSON, and filters them by stream and type. */
import type { Envelope } from '../../events/envelope.ts';
import { oneLine, terminalColumns } from '../text.ts';

export interface Selection {
  readonly stream?: string;
  readonly type?: string;
}

export function isSelected(envelope: Envelope, { stream, type }: Selection): boolean {
  return (stream === undefined || envelope.stream === stream) && (type === undefined || envelope.type === type);
}

/** Narrower terminals show times without year and milliseconds. All times are UTC. */
const WIDE_COLUMNS = 110;
const TYPE_COLUMNS_MIN = 19;
const TYPE_COLUMNS_MAX = 40;
/** With less room, the data is left out. */
const DATA_COLUMNS_MIN = 8;

export function envelopeLine(envelope: Envelope, json: boolean): string {
  if (json) return `${JSON.stringify(envelope)}\n`;
  const { position, at, stream, version, type } = envelope;
  const columns = terminalColumns();
  const isWide = columns >= WIDE_COLUMNS;
  const utc = new Date(at).toISOString().replace('T', ' ');
  const time = isWide ? utc : `${utc.slice(5, 19)}Z`;
  const source = `${oneLine(stream, 20)} @${version}`.padEnd(24);
  const head = `${String(position).padStart(6)}  ${time}  ${source}  `;
  const typeColumns = Math.min(TYPE_COLUMNS_MAX, Math.max(TYPE_COLUMNS_MIN, columns - head.length));
  const named = `${head}${oneLine(type, typeColumns).padEnd(20)}`;
  const room = columns - named.length - 2;
  const data = envelope.erased === true ? '(erased)' : JSON.stringify(envelope.data);
  return `${room < DATA_COLUMNS_MIN ? named.trimEnd() : `${named}  ${oneLine(data, room)}`}\n`;
}
