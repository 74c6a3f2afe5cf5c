/** The bundle whose bytes are changed: 1 000 events, and every kind of file that a bundle can hold. */
import { createHash } from 'node:crypto';
import { verifyGuide, verifyPage } from '../../../src/http/evidence/routes.ts';
import type { NewEvent } from '../../../src/storage/event-log.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { event, to } from '../../storage/log-helpers.ts';
import { bundleOf, keyChange, logKeyOf } from '../support.ts';

export const EVENTS = 1_000;
const [given, current] = [logKeyOf(1), logKeyOf(2)];
/** What the reader was given; the log changed its key since. */
export const READER_VKEY = given.vkey;

const STREAM = 'engagement-7';
const PATH = '/work/plan.txt';
const ATTACHED = Buffer.from('A file that was attached.\n');

export async function largeBundle(): Promise<Buffer> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  await log.append([to(STREAM, [attaching(1), event(2, { words: 'to be erased' })])]);
  await log.append([to('settings-log-key', [keyChange(3, [given, current])])]);
  await log.erase([2]);
  const more = Array.from({ length: EVENTS - log.head().position }, (_, at) =>
    event(10 + at, { words: `Number ${at}` }),
  );
  await log.append([to(STREAM, more)]);
  const texts = [
    ['report.md', '# What happened\n\nNothing of note.\n'],
    ['handover.md', '# Handover\n'],
    ['verify.html', verifyPage()],
    ['VERIFY.md', verifyGuide()],
  ] as const;
  const subject = { kind: 'engagement', id: '7' } as const;
  return bundleOf(log, { subject, key: current, files: new Map([[PATH, ATTACHED]]), texts });
}

function attaching(number: number): NewEvent {
  const sha256 = createHash('sha256').update(ATTACHED).digest('hex');
  const file = { path: PATH, sha256, size_bytes: ATTACHED.length };
  const about = { evidence_id: 'e-1', deliverable_id: 'd-1', kind: 'file', label: 'plan', reference: '' };
  return { ...event(number, { ...about, file, reason: '' }), type: 'EvidenceAttached' };
}
