/** `handover.md`: the delivered items, the undelivered ones, and those that were waived. */
import { PHASE_FACTS, type PhaseFacts } from '../../commands/engagement/phases.ts';
import type { Deliverable } from '../../events/engagement/records.ts';
import { blocks, bullets, counted, line, NONE, paragraphs, time, words } from '../markdown.ts';
import {
  asOfLabel,
  type DocumentParts,
  erasedContent,
  evidenceLine,
  phaseChanges,
  removedGates,
  statusChanges,
} from './document-parts.ts';

export function handoverMarkdown(parts: DocumentParts): string {
  const { engagement, moves } = parts.document;
  const client = engagement.client === '' ? 'the client' : line(engagement.client);
  const text = blocks(
    `# ${line(engagement.name)} — handover pack`,
    asOfLabel(parts.asOf),
    `This pack is for the people at ${client} who take over. It lists what is needed to operate the system, everything ` +
      'that was delivered with its evidence, what was not delivered, and what was waived by agreement. Files carry the ' +
      'size and SHA-256 they had when they were attached. ' +
      `The engagement was last changed on ${time(engagement.updated_at)}.`,
    '## Operating the system',
    ...operating(parts),
    '## Everything delivered',
    ...delivered(parts),
    '## Not delivered',
    ...outstanding(parts),
    waived(parts),
    statusChanges(parts.document.statusChanges),
    phaseChanges(moves),
    removedGates(parts.document.removedGates),
    erasedContent(parts.erased),
    proof(engagement.id),
  );
  return `${text}\n`;
}

function proof(id: string): string {
  return blocks(
    '## Proof',
    `What was recorded about this engagement can be checked without Daybook: \`/engagements/${id}/evidence.zip\`, or ` +
      `\`daybook evidence export ${id} --to evidence.zip\`, is one signed file with all its events.`,
  );
}

const NO_ARTIFACT = '**No artifact is attached to this deliverable.**';

function operating(parts: DocumentParts): readonly string[] {
  const items = parts.document.deliverables.filter(({ phase }) => phase === 'operate');
  if (items.length === 0) return ['No deliverable describes the operation of the system.'];
  return items.map((item) => {
    const evidence = evidenceOf(parts, item);
    return blocks(
      `### ${line(item.title)}`,
      paragraphs(item.description),
      standing(item),
      evidence.length === 0 ? NO_ARTIFACT : bullets(evidence),
    );
  });
}

function standing({ status, owner }: Deliverable): string {
  return `Status: ${words(status)}. Owner: ${owner === null ? 'not named' : line(owner)}.`;
}

/** Phases without an accepted deliverable are left out. */
function delivered(parts: DocumentParts): readonly string[] {
  const sections = PHASE_FACTS.map((phase) => {
    const accepted = itemsOf(parts, phase).filter(({ status }) => status === 'accepted');
    if (accepted.length === 0) return '';
    const items = accepted.map((item) => {
      const shown = evidenceOf(parts, item);
      const evidence = (shown.length === 0 ? [NO_ARTIFACT] : shown).map((text) => `  - ${text}`);
      return [`- **${line(item.title)}** (${counted(item.evidence_count, 'evidence item')})`, ...evidence].join('\n');
    });
    return blocks(`### ${phase.title}`, items.join('\n'));
  });
  return sections.some((section) => section !== '') ? sections : ['Nothing has been accepted yet.'];
}

/** An accepted deliverable without evidence counts as delivered; `delivered` notes the missing evidence. */
function outstanding({ phases }: DocumentParts): readonly string[] {
  const sections = phases.map(({ title, blockers }) => {
    const open = blockers.filter(({ kind }) => kind !== 'deliverable_without_evidence');
    return open.length === 0 ? '' : blocks(`### ${title}`, bullets(open.map(({ detail }) => line(detail))));
  });
  return sections.some((section) => section !== '') ? sections : ['Nothing is outstanding.'];
}

function waived({ document }: DocumentParts): string {
  const items = [
    ...document.deliverables
      .filter(({ status }) => status === 'waived')
      .map(({ title, notes }) => because(`**${line(title)}**`, notes)),
    ...document.gates
      .filter(({ verdict }) => verdict === 'waived')
      .map(({ title, rationale }) => because(`**${line(title)}** (gate)`, rationale)),
  ];
  return items.length === 0 ? '' : blocks('## Waived by agreement', bullets(items));
}

function because(what: string, why: string): string {
  return `${what} ${NONE} ${line(why) || 'no reason recorded'}`;
}

function itemsOf({ document }: DocumentParts, { phase }: PhaseFacts): readonly Deliverable[] {
  return document.deliverables.filter((item) => item.phase === phase);
}

function evidenceOf({ document, standings }: DocumentParts, { id }: Deliverable): readonly string[] {
  return document.evidence
    .filter((item) => item.deliverable_id === id)
    .map((item) => evidenceLine(item, standings.get(item.id)));
}
