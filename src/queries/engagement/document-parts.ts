/** What the status report and the handover pack have in common. */
import { phaseFacts } from '../../commands/engagement/phases.ts';
import type { PhaseReadiness } from '../../commands/engagement/readiness.ts';
import type { EngagementDocument, Evidence, PhaseMove, RemovedGate } from '../../events/engagement/records.ts';
import type { AsOf } from '../../http/engagement/schemas.ts';
import type { FileStanding } from '../../ports/evidence-files.ts';
import { blocks, bullets, cell, code, counted, line, NONE, table, time } from '../markdown.ts';

/** Everything a document is made of: the same parts give the same text. */
export interface DocumentParts {
  readonly document: EngagementDocument;
  readonly phases: readonly PhaseReadiness[];
  /** How attached files stand today, by evidence id; empty for a document about the past. */
  readonly standings: ReadonlyMap<string, FileStanding>;
  readonly asOf: AsOf | null;
}

/** Says that a document is about the past, and how to check it. */
export function asOfLabel(asOf: AsOf | null): string {
  if (asOf === null) return '';
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

/** A file that could not be read when it was attached has nothing to be compared with: that is said too. */
export function standingWords({ kind, file_path }: Evidence, standing: FileStanding | undefined): string {
  if (kind === 'file' && file_path === null) return 'no file recorded';
  return standing === undefined ? NONE : STANDINGS[standing];
}

/** `[kind] label — reference`, and for a file its size, hash and standing. */
export function evidenceLine(item: Evidence, standing: FileStanding | undefined): string {
  const said = [line(item.label), line(item.reference)].filter((text) => text !== '').join(` ${NONE} `);
  const file = [
    item.size_bytes === null ? '' : counted(item.size_bytes, 'byte'),
    item.sha256 === null ? '' : `SHA-256 \`${item.sha256}\``,
    standingWords(item, standing),
  ].filter((text) => text !== '' && text !== NONE);
  return `[${item.kind}] ${said || 'no label'}${file.length === 0 ? '' : ` (${file.join(', ')})`}`;
}

/** Every change of phase, and what forced ones and those made by hand overrode. Empty while nothing has moved. */
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

/** Gates that were deleted, with the verdicts they had. Empty while there are none. */
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

const HOW: Readonly<Record<PhaseMove['kind'], string>> = {
  advanced: 'advanced',
  forced: '**forced advance**',
  set: '**set by hand**',
};
