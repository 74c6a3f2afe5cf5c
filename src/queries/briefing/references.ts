/**
 * The facts that a model's text of a briefing may refer to, each with its name, its value as inert markdown and its
 * meaning: `{jobs_failed}`, `{goal_1}`, `{goal_1_id}`. A pure function of the facts.
 *
 * - Numbers are digits. Titles and other texts of people and models are in quotation marks, which they cannot close.
 * - Each list has as many entries as the computed text of that length shows.
 */
import type { Reference, References } from '../../commands/briefing/prose.ts';
import type { BRIEFING_LENGTHS } from '../../events/briefing/events.ts';
import type { BriefingFacts, EngagementFacts } from '../../events/briefing/facts.ts';
import { code, line, words } from '../markdown.ts';
import { shortId } from './attention.ts';
import { ATTENTION_SHOWN, activeRepositories, moment, SHOWN } from './markdown.ts';

/** Any entry of a list of facts: texts and numbers by field, and lists that some entries have. */
interface Entry {
  readonly position?: number | null;
  readonly error?: string | null;
  readonly changes?: readonly string[];
  readonly moves?: EngagementFacts['items'][number]['moves'];
  readonly gates?: EngagementFacts['items'][number]['gates'];
  readonly tags?: readonly string[];
}

const IDS = ['id', 'session_id', 'ref'];
const STATES = ['status', 'kind', 'phase', 'verdict'];
/** Fields that name an entry: the reference to the entry stands for the first one that it has. */
const NAMES = ['title', 'name', 'task', 'text', 'path'];
/** Whether a number is a position or a time, not a count. */
const isPositionOrTime = (field: string): boolean => field === 'position' || field.endsWith('_at');

export function briefingReferences(facts: BriefingFacts, length: (typeof BRIEFING_LENGTHS)[number]): References {
  const references = new Map<string, Reference>();
  const { attention, period, runs, approvals, goals, engagements, reviews, repositories = [], memory, index } = facts;
  const number = (name: string, value: number, meaning: string): void => {
    references.set(name, { kind: 'number', value: String(value), meaning });
  };
  const time = (name: string, at: number, meaning: string): void => {
    references.set(name, { kind: 'time', value: moment(at, facts), meaning });
  };
  number('needs_you', total(attention), 'things that need the person');
  time('period_from', period.from, 'begin of the period');
  time('period_to', period.to, 'end of the period');
  number('events', period.to_position - period.from_position + 1, 'events of the log in the period');
  if (facts.late_minutes > 0) number('late_minutes', facts.late_minutes, 'minutes that this briefing is late');
  const shown = SHOWN[length];
  entries(references, 'need', 'thing that needs the person', attention.items.slice(0, ATTENTION_SHOWN));
  section(references, { prefix: 'jobs', one: 'job', meaning: 'agent run', shown }, runs);
  section(references, { prefix: 'approvals', one: 'approval', meaning: 'approval', shown }, approvals);
  if (approvals !== undefined) number('approvals_waiting', total(approvals), 'approvals that wait for the person');
  section(references, { prefix: 'goals', one: 'goal', meaning: 'goal', shown }, goals);
  if (goals !== undefined) number('goals_touched', total(goals), 'goals that changed');
  section(references, { prefix: 'engagements', one: 'engagement', meaning: 'engagement', shown }, engagements);
  if (engagements !== undefined) number('engagements_moved', total(engagements), 'engagements that changed');
  section(references, { prefix: 'reviews', one: 'review', meaning: 'review', shown }, reviews);
  if (facts.repositories !== undefined) {
    const commits = repositories.reduce((sum, repository) => sum + repository.commits, 0);
    number('commits', commits, 'commits in all repositories together');
    entries(references, 'repository', 'git repository', activeRepositories(facts).slice(0, shown));
  }
  if (memory !== undefined) numbers(references, 'memory', 'memory', { ...memory });
  if (index !== undefined) entry(references, 'index', 'code index', { ...index });
  if (facts.storage !== undefined) {
    const { backup, events, failure } = facts.storage;
    number('storage_events', events, 'events of the whole log');
    if (failure !== null) references.set('storage_failure', quote(failure, 'why the log takes no writes'));
    if (backup !== null) time('storage_backup', backup.made_at, 'the last verified backup');
  }
  return references;
}

interface Naming {
  /** Prefix of the names of counts. */
  readonly prefix: string;
  /** Prefix of the names of entries. */
  readonly one: string;
  readonly meaning: string;
  readonly shown: number;
}

type Listed = { readonly items: readonly Entry[]; readonly more: number };

function section(references: Map<string, Reference>, { prefix, one, meaning, shown }: Naming, facts?: Listed): void {
  if (facts === undefined) return;
  const { items, more: _, ...counts } = facts;
  numbers(references, prefix, `${meaning}s`, counts);
  entries(references, one, meaning, items.slice(0, shown));
}

function entries(references: Map<string, Reference>, one: string, meaning: string, items: readonly Entry[]): void {
  for (const [at, item] of items.entries()) entry(references, `${one}_${at + 1}`, meaning, item);
}

function entry(references: Map<string, Reference>, name: string, meaning: string, item: Entry): void {
  const fields = Object.entries(item);
  const nameField = NAMES.find((field) => fields.some(([each, value]) => each === field && typeof value === 'string'));
  const about = [meaning, ...statesOf(item)].join(', ');
  for (const [field, value] of fields) {
    if (typeof value !== 'string' || value === '' || STATES.includes(field)) continue;
    if (field === nameField) references.set(name, quote(value, about));
    else {
      const its = `${words(field)} of the ${about}`;
      const shortText = field === 'session_id' ? shortId(value) : value;
      references.set(`${name}_${field}`, IDS.includes(field) ? id(shortText, its) : quote(value, its));
    }
  }
  numbers(references, name, about, item);
  for (const [at, { title, verdict }] of (item.gates ?? []).entries()) {
    references.set(`${name}_gate_${at + 1}`, quote(title, `gate of the ${about}: ${words(verdict)}`));
  }
  for (const [at, tag] of (item.tags ?? []).entries()) {
    references.set(`${name}_tag_${at + 1}`, quote(tag, `tag of the ${about}`));
  }
}

function numbers(references: Map<string, Reference>, prefix: string, meaning: string, fields: object): void {
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value !== 'number' || isPositionOrTime(field)) continue;
    references.set(`${prefix}_${field}`, {
      kind: 'number',
      value: String(value),
      meaning: `${meaning}: ${words(field)}`,
    });
  }
}

function statesOf(item: Entry): readonly string[] {
  const fields = new Map(Object.entries(item));
  const states = STATES.map((field) => fields.get(field)).filter((state) => typeof state === 'string');
  const moves = (item.moves ?? []).map(({ kind, from, to }) => `${kind} from ${from} to ${to}`);
  return [...states, ...(item.changes ?? []), ...moves].map(words);
}

function quote(text: string, meaning: string): Reference {
  return { kind: 'quote', value: `“${line(text.replace(/[“”„«»"]/g, "'"))}”`, meaning };
}

function id(text: string, meaning: string): Reference {
  return { kind: 'id', value: code(text), meaning };
}

function total({ items, more }: { readonly items: readonly unknown[]; readonly more: number }): number {
  return items.length + more;
}
