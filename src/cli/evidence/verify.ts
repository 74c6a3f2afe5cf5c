/** `daybook evidence verify`: checks a bundle and reports its first fault. */
import { readFile } from 'node:fs/promises';
import { type VerifiedBundle, verifyBundle } from '../../../web/evidence/verify.js';
import { unreadable } from '../input.ts';
import { counted, print, printable, printJson } from '../text.ts';

interface VerifyOptions {
  readonly vkey?: string;
  readonly checkpoint?: string;
  readonly witness?: readonly string[];
  readonly json?: boolean;
}

export async function verifyEvidence(path: string, { vkey, checkpoint, witness, json }: VerifyOptions): Promise<void> {
  const bytes = await read(path);
  const held = checkpoint === undefined ? undefined : (await read(checkpoint)).toString('utf8');
  const report = await verifyBundle(bytes, vkey?.trim(), { held, witnesses: witness?.map((key) => key.trim()) });
  if (!report.ok) process.exitCode = 1;
  if (json === true) return printJson(report);
  await print(report.ok ? textOf(report) : `NOT ok: ${printable(report.fault.what)}\n`);
}

function read(path: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw unreadable(path, error);
  });
}

function textOf(report: VerifiedBundle): string {
  const { events, erased, size, subject, origin, vkey, isTrusted, keyChanges, files, continues } = report;
  const changes =
    keyChanges === 0 ? '' : `; the key was changed since (${keyChanges}), each time signed by the key before`;
  const lines = [
    isTrusted ? `ok: everything fits the key that you gave${changes}` : 'ok, if the key below is the key of the log',
    `  key: ${vkey}`,
    ...(isTrusted ? [] : ['  Compare it with what the owner of the log gave you, or give it with --vkey.']),
    `  about: ${subject.kind} ${subject.id}, in the log ${origin} when it had ${counted(size, 'event')}`,
    ...(continues === null ? [] : [`  continues: the ${counted(continues.size, 'event')} of your checkpoint`]),
    ...report.cosigned.map(
      ({ vkey: witness, seconds }) =>
        `  cosigned: by ${witness.split('+')[0]}, on ${new Date(seconds * 1_000).toISOString()} by its clock`,
    ),
    `  events: ${events}, the content of ${erased} of them erased`,
    ...report.streams.map(
      ({ stream, events: count, whole }) =>
        `    ${stream}: ${count}${whole ? ', from the first on, without a gap' : ''}`,
    ),
    ...report.related.map(
      ({ stream, position, included }) =>
        `    event ${position} refers to ${stream}${included ? '' : ', which is not in this log'}`,
    ),
    ...(files.listed === 0 ? [] : [`  attached files: ${files.listed} recorded, ${files.included} in the bundle`]),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}
