/** The input of the status report and of the handover pack, and the sections they share. */
import { phaseFacts } from '../../commands/engagement/phases.ts';
import { type PhaseReadiness, readiness } from '../../commands/engagement/readiness.ts';
import type {
  EngagementDocument,
  Evidence,
  PhaseMove,
  RemovedGate,
  StatusChange,
} from '../../events/engagement/records.ts';
import type { EvidenceFiles, FileStanding } from '../../ports/evidence-files.ts';
import { ERASURES_STREAM, type EventLog, type RecordedEvent } from '../../storage/event-log.ts';
import type { AsOf } from '../as-of/past-views.ts';
import { blocks, bullets, cell, code, counted, line, NONE, table, time } from '../markdown.ts';
import { documentAsOf, type EngagementSources, streamOf } from './as-of.ts';
import { fileStandings } from './evidence.ts';

/** The input of a document: equal parts give equal text. */
export interface DocumentParts {
  readonly document: EngagementDocument;
  readonly phases: readonly PhaseReadiness[];
  /** How attached files compare with the disk, by evidence id; empty for a past state. */
  readonly standings: ReadonlyMap<string, FileStanding>;
  readonly asOf: AsOf | null;
  /** Events of the engagement whose payloads are erased. */
  readonly erased: readonly RecordedEvent[];
}

/** Reads the parts. Files are compared with the disk only when `at` is absent. Throws `Refused`. */
export async function documentParts(
  sources: EngagementSources & { readonly evidenceFiles: EvidenceFiles },
  id: string,
  at: string | undefined,
): Promise<DocumentParts> {
  const { document, asOf } = await documentAsOf(sources, id, at);
  // Read before the files: what is erased meanwhile is still in the document.
  const erased = erasedEvents(sources.log, id, asOf?.position ?? Number.POSITIVE_INFINITY);
  const standings = await fileStandings(sources.evidenceFiles, asOf === null ? document.evidence : []);
  return { document, phases: readiness(document), standings, asOf, erased };
}

/** A log without erasures needs no reading of the stream. */
function erasedEvents(log: EventLog, id: string, until: number): readonly RecordedEvent[] {
  if (log.streamVersion(ERASURES_STREAM) === 0) return [];
  return [...log.readStream(streamOf(id))].filter(({ position, erased }) => erased === true && position <= until);
}

/** A note that a document describes a past state, and how to verify it. */
export function asOfLabel(asOf: AsOf | null): string {
  if (asOf === null || asOf.at === null) return '';
  const { asked, position, at, leaf_hash } = asOf;
  return (
    `> **As of ${line(asked)}:** computed from the log up to its event ${position} of ${time(at)} ` +
    `(leaf hash \`${leaf_hash}\`). This is not the present state.`
  );
}

const STANDINGS: Readonly<Record<FileStanding, string>> = {
  same: 'unchanged',
  changed: '**changed since**',
  missing: '**missing since**',
  unchecked: 'not checked',
};

/** A file that was unreadable when it was attached cannot be compared; the text has a note. */
export function standingWords({ kind, file_path }: Evidence, standing: FileStanding | undefined): string {
  if (kind === 'file' && file_path === null) return 'no file recorded';
  return standing === undefined ? NONE : STANDINGS[standing];
}

/** `[kind] label — reference`, and for a file its size, hash and standing. */
export function evidenceLine(item: Evidence, standing: FileStanding | undefined): string {
  const labelAndReference = [line(item.label), line(item.reference)].filter((text) => text !== '').join(` ${NONE} `);
  const file = [
    item.size_bytes === null ? '' : counted(item.size_bytes, 'byte'),
    item.sha256 === null ? '' : `SHA-256 \`${item.sha256}\``,
    standingWords(item, standing),
  ].filter((text) => text !== '' && text !== NONE);
  return `[${item.kind}] ${labelAndReference || 'no label'}${file.length === 0 ? '' : ` (${file.join(', ')})`}`;
}

/** Every change of the status, among them each close and reopening; empty without any. */
export function statusChanges(changes: readonly StatusChange[]): string {
  if (changes.length === 0) return '';
  const rows = changes.map(({ at, from, to, by, reason }) => [time(at), from, to, cell(by), cell(reason)]);
  return blocks('## Status changes', table(['When', 'From', 'To', 'By', 'Reason'], rows));
}

/** Every change of phase, with the blockers that forced changes and changes by hand overrode; empty without changes. */
export function phaseChanges(moves: readonly PhaseMove[]): string {
  if (moves.length === 0) return '';
  const rows = moves.map((move) => [
    time(move.at),
    phaseFacts(move.from).title,
    phaseFacts(move.to).title,
    HOW[move.kind],
    String(move.blockers.length),
    cell(move.by),
    cell(move.reason),
  ]);
  const overridden = moves.filter(({ kind, blockers }) => kind !== 'advanced' && blockers.length > 0);
  return blocks(
    '## Phase changes',
    table(['When', 'From', 'To', 'How', 'Blockers outstanding', 'By', 'Reason'], rows),
    ...overridden.map((move) =>
      blocks(
        `### Overridden on ${time(move.at)}: ${phaseFacts(move.from).title} (${counted(move.blockers.length, 'blocker')})`,
        bullets(move.blockers.map(({ detail }) => line(detail))),
      ),
    ),
  );
}

/** Deleted gates with their last verdicts; empty without any. */
export function removedGates(gates: readonly RemovedGate[]): string {
  if (gates.length === 0) return '';
  const rows = gates.map((gate) => [
    time(gate.at),
    phaseFacts(gate.phase).title,
    cell(gate.title),
    code(gate.verdict),
    cell(gate.by),
    cell(gate.reason),
  ]);
  return blocks('## Removed gates', table(['When', 'Phase', 'Gate', 'Last verdict', 'By', 'Reason'], rows));
}

/** Events that the document does not count, because their payloads are erased; empty without any. */
export function erasedContent(events: readonly RecordedEvent[]): string {
  if (events.length === 0) return '';
  const rows = events.map(({ at, type, actor, position }) => [time(at), code(type), cell(actor), String(position)]);
  return blocks(
    '## Erased content',
    `The content of ${counted(events.length, 'event')} is erased for good. What it changed is missing from this ` +
      'document: a title, a status or a verdict is the one before.',
    table(['When', 'Event', 'By', 'Position'], rows),
  );
}

const HOW: Readonly<Record<PhaseMove['kind'], string>> = {
  advanced: 'advanced',
  forced: '**forced advance**',
  set: '**set by hand**',
};
