/** `report.md`: the status of an engagement, phase by phase. The same engagement gives the same text. */
import { PHASE_FACTS, type PhaseFacts } from '../../commands/engagement/phases.ts';
import type { PhaseReadiness } from '../../commands/engagement/readiness.ts';
import type { Gate, Judgement } from '../../events/engagement/records.ts';
import { percent } from '../../lib/percent.ts';
import { blocks, bullets, cell, code, line, NONE, paragraphs, table, time, words } from '../markdown.ts';
import {
  asOfLabel,
  type DocumentParts,
  erasedContent,
  phaseChanges,
  removedGates,
  standingWords,
  statusChanges,
} from './document-parts.ts';

export function reportMarkdown(parts: DocumentParts): string {
  const { engagement } = parts.document;
  const current = PHASE_FACTS.find(({ phase }) => phase === engagement.current_phase)!;
  const facts = [
    engagement.client !== '' && `**Client:** ${line(engagement.client)}`,
    `**Status:** ${engagement.status}`,
    `**Current phase:** ${current.title} (${current.index + 1} of ${PHASE_FACTS.length})`,
    `**Last change:** ${time(engagement.updated_at)}`,
  ].filter((fact) => fact !== false);
  const text = blocks(
    `# ${line(engagement.name)} — engagement status`,
    asOfLabel(parts.asOf),
    facts.join('  \n'),
    paragraphs(engagement.summary),
    '## Phase summary',
    phaseSummary(parts.phases),
    ...PHASE_FACTS.map((phase) => phaseSection(parts, phase)),
    statusChanges(parts.document.statusChanges),
    phaseChanges(parts.document.moves),
    removedGates(parts.document.removedGates),
    erasedContent(parts.erased),
  );
  return `${text}\n`;
}

function phaseSummary(phases: readonly PhaseReadiness[]): string {
  const head = ['Phase', 'Cadence', 'Accepted', 'In scope', 'Complete', 'Gates pass', 'Gates open', 'Exit'];
  const rows = phases.map(({ title, cadence, deliverables, gates, completion, can_exit }) => [
    title,
    cell(cadence),
    String(deliverables.accepted),
    String(deliverables.total - deliverables.waived),
    percent(completion),
    `${gates.pass}/${gates.total}`,
    String(gates.not_measured + gates.pending + gates.fail),
    can_exit ? 'ready' : 'blocked',
  ]);
  return table(head, rows);
}

function phaseSection(parts: DocumentParts, { phase, title, cadence, purpose, index }: PhaseFacts): string {
  const { document, phases } = parts;
  const gates = document.gates.filter((gate) => gate.phase === phase);
  const { blockers } = phases[index]!;
  return blocks(
    `## ${index + 1} — ${title}`,
    `**Cadence:** ${cadence ?? NONE}`,
    purpose,
    '### Deliverables',
    deliverableTable(parts, index),
    evidenceTable(parts, index),
    '### Gates',
    gates.length === 0 ? 'There are no gates in this phase.' : gates.map(gateEntry).join('\n'),
    `### Blockers (${blockers.length})`,
    blockers.length === 0
      ? 'No blockers: this phase can be left.'
      : bullets(blockers.map(({ kind, detail }) => `${line(detail)} (${words(kind)})`)),
  );
}

function deliverableTable({ document, phases }: DocumentParts, index: number): string {
  const items = document.deliverables.filter(({ phase }) => phase === phases[index]!.phase);
  if (items.length === 0) return 'There are no deliverables in this phase.';
  const rows = items.map(({ title, status, evidence_count, owner, tool_hint }) => [
    cell(title),
    words(status),
    String(evidence_count),
    cell(owner),
    cell(tool_hint),
  ]);
  return table(['Deliverable', 'Status', 'Evidence', 'Owner', 'Produced with'], rows);
}

function evidenceTable({ document, phases, standings }: DocumentParts, index: number): string {
  const titles = new Map(
    document.deliverables
      .filter(({ phase }) => phase === phases[index]!.phase)
      .map(({ id, title }) => [id, cell(title)]),
  );
  const items = document.evidence.filter((item) => titles.has(item.deliverable_id));
  if (items.length === 0) return '';
  const head = ['Deliverable', 'Kind', 'Label', 'Reference', 'Captured', 'Bytes', 'SHA-256', 'File today'];
  const rows = items.map((item) => [
    titles.get(item.deliverable_id)!,
    item.kind,
    cell(item.label),
    cell(item.reference),
    time(item.captured_at),
    item.size_bytes === null ? NONE : String(item.size_bytes),
    item.sha256 === null ? NONE : code(item.sha256),
    standingWords(item, standings.get(item.id)),
  ]);
  return blocks('### Evidence', table(head, rows));
}

function gateEntry(gate: Gate): string {
  const decided =
    gate.decided_at === null ? '' : decision(gate.decided_by ?? gate.judgements.at(-1)!.recorded_by, gate.decided_at);
  const details = [
    gate.criterion.trim() !== '' && `Criterion: ${line(gate.criterion)}`,
    `Measurement: ${line(gate.measurement)}`,
    `Observed: ${gate.observed === null ? '*not recorded*' : line(gate.observed)}`,
    gate.rationale.trim() !== '' && `Rationale: ${line(gate.rationale)}`,
    decided !== '' && `Decided ${decided}`,
    ...gate.judgements.slice(0, -1).map((judgement) => `Earlier verdict: ${earlier(judgement)}`),
  ].filter((detail) => detail !== false);
  return [`- **${line(gate.title)}** — ${code(gate.verdict)}`, ...details.map((detail) => `  - ${detail}`)].join('\n');
}

function earlier({ verdict, observed, rationale, decided_by, recorded_by, at }: Judgement): string {
  const said = [
    observed === null ? '' : `observed: ${line(observed)}`,
    rationale.trim() === '' ? '' : `rationale: ${line(rationale)}`,
  ].filter((text) => text !== '');
  return [`${code(verdict)} ${decision(decided_by ?? recorded_by, at)}`, ...said].join('; ');
}

function decision(who: string, at: number): string {
  return `by ${line(who)} on ${time(at)}`;
}
