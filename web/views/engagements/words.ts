/** A change of an engagement as a sentence without its subject, which is the actor. */
import type { Json } from '../../api.ts';
import { count } from '../../format.ts';
import { listOf, objectOf, textOf } from '../../lib/json.ts';
import { text as all } from '../../text.ts';
import type { Change } from './data.ts';

const text = all.engagements;
const { history: words } = text;

/** Changes made by one command: the rows of a template form one group. */
export interface Moment {
  /** The newest of its changes. */
  readonly last: Change;
  readonly changes: readonly Change[];
}

export function momentsOf(changes: readonly Change[]): readonly Moment[] {
  const moments: { last: Change; changes: Change[] }[] = [];
  for (const change of changes) {
    const open = moments.at(-1);
    const isSame = change.causation !== null && open?.last.causation === change.causation;
    if (isSame) {
      open.changes.push(change);
      open.last = change;
    } else moments.push({ last: change, changes: [change] });
  }
  return moments;
}

type Titles = ReadonlyMap<string, string>;

type Titled = Readonly<Record<'id' | 'title', string>>;

/** The titles of deliverables and gates and the labels of evidence by id, including removed ones. */
export function titlesOf(
  whole: Record<'deliverables' | 'gates', readonly Titled[]>,
  changes: readonly Change[],
): Titles {
  const titles = new Map<string, string>();
  for (const { data } of changes) {
    const { evidence_id, deliverable_id, gate_id, title, label, reference } = objectOf(data);
    const id = textOf(evidence_id) || textOf(deliverable_id) || textOf(gate_id);
    const name = textOf(title) || textOf(label) || textOf(reference);
    if (id !== '' && name !== '') titles.set(id, name);
  }
  for (const { id, title } of [...whole.deliverables, ...whole.gates]) titles.set(id, title);
  return titles;
}

const named = (names: Readonly<Record<string, string>>, value: Json | undefined): string =>
  names[textOf(value)] ?? textOf(value);

/** Describes a group of changes: the first change, and the number of rows that came with it. */
export function sentenceOfMoment({ changes }: Moment, titles: Titles): string {
  const [first] = changes;
  if (first === undefined) return '';
  const rows = changes.filter(({ type }) => type === 'DeliverableAdded' || type === 'GateAdded').length;
  if (first.type === 'EngagementOpened') return words.opened;
  if (rows > 1) return words.seeded(count(rows));
  return changes.map((change) => sentenceOfChange(change, titles)).join('; ');
}

function sentenceOfChange(change: Change, titles: Titles): string {
  if (change.erased === true) return words.erased;
  const data = objectOf(change.data);
  const title = titles.get(textOf(data.deliverable_id) || textOf(data.gate_id)) ?? words.gone;
  const evidence = titles.get(textOf(data.evidence_id)) ?? '';
  return /^(?:Engagement|Phase)/.test(change.type) ? wholeSentence(change) : rowSentence(change, title, evidence);
}

function wholeSentence({ type, data: json }: Change): string {
  const data = objectOf(json);
  const { statuses } = text.page;
  const from = named(text.phases, data.from);
  const to = named(text.phases, data.to);
  const blockers = listOf(data.blockers).length;
  if (type === 'EngagementStatusChanged') return words.status(named(statuses, data.from), named(statuses, data.to));
  if (type === 'PhaseAdvanced')
    return data.forced === true ? words.forced(from, to, blockers) : words.advanced(from, to);
  if (type === 'PhaseSet') return words.phaseSet(from, to, blockers);
  return type === 'EngagementRemoved' ? words.removed : type;
}

function rowSentence({ type, data: json }: Change, title: string, evidence: string): string {
  const data = objectOf(json);
  const { statuses, nobody } = text.deliverables;
  const { verdicts } = text.gates;
  const sentences: Readonly<Record<string, () => string>> = {
    DeliverableAdded: () => words.deliverableAdded(title),
    DeliverableRevised: () => words.deliverableRevised(title),
    DeliverableStatusChanged: () =>
      words.deliverableStatus(title, named(statuses, data.from), named(statuses, data.to)),
    DeliverableAssigned: () => words.assigned(title, textOf(data.owner) || nobody),
    DeliverableNoted: () => words.noted(title),
    EvidenceAttached: () => words.attached(evidence, title),
    EvidenceRemoved: () => words.evidenceRemoved(evidence, title),
    GateAdded: () => words.gateAdded(title),
    GateJudged: () => words.judged(title, named(verdicts, data.verdict), textOf(data.decided_by)),
    GateRemoved: () => words.gateRemoved(title, named(verdicts, data.verdict)),
  };
  return sentences[type]?.() ?? type;
}

/** Whether the phase was advanced by force. */
export const isForced = ({ last: { type, data } }: Moment): boolean =>
  type === 'PhaseAdvanced' && objectOf(data).forced === true;

/** The index of the group that is shown as of a position of the log. */
export function momentAt(moments: readonly Moment[], position: number): number {
  return moments.findLastIndex(({ last }) => last.position <= position);
}
