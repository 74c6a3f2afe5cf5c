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

export function envelopeLine(envelope: Envelope, json: boolean): string {
  if (json) return `${JSON.stringify(envelope)}\n`;
  const { position, at, stream, version, type } = envelope;
  const time = new Date(at).toISOString().slice(0, 23).replace('T', ' ');
  const source = `${oneLine(stream, 20)} @${version}`.padEnd(24);
  const head = `${String(position).padStart(6)}  ${time}  ${source}  ${oneLine(type, 40).padEnd(20)}  `;
  const data = envelope.erased === true ? '(erased)' : JSON.stringify(envelope.data);
  return `${head}${oneLine(data, Math.max(20, terminalColumns() - head.length))}\n`;
}
