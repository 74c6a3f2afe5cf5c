/** The computed text of a briefing: a headline and markdown from the facts alone. Pure; typed text is escaped. */
import type { BRIEFING_LENGTHS } from '../../events/briefing/events.ts';
import type { BriefingFacts, EngagementFacts, RepositoryFacts } from '../../events/briefing/facts.ts';
import { blocks, bullets, code, counted, line, words } from '../markdown.ts';
import { shortId } from './attention.ts';

type Length = (typeof BRIEFING_LENGTHS)[number];

/** Entries of a section that the text shows. */
export const SHOWN: Readonly<Record<Length, number>> = { short: 3, medium: 10, long: 50 };
/** The section "Needs you" has a higher limit than the others. */
export const ATTENTION_SHOWN = 20;
const WHY_LATE = 'the daemon was not running, the machine slept, or another one was being made';

export interface BriefingWords {
  readonly headline: string;
  readonly markdown: string;
}

export function briefingText(facts: BriefingFacts, length: Length): BriefingWords {
  const shown = SHOWN[length];
  const headline = headlineOf(facts);
  const { attention } = facts;
  const markdown = blocks(
    `# Briefing, ${day(facts)}`,
    headline,
    `_${periodOf(facts)}_`,
    attention.items.length > 0 &&
      section('Needs you', attention, { shown: ATTENTION_SHOWN, write: ({ text }) => line(text) }),
    runs(facts, shown),
    approvals(facts, shown),
    goals(facts, shown),
    engagements(facts, shown),
    reviews(facts, shown),
    repositories(facts, shown),
    memory(facts),
    index(facts),
    storage(facts),
  );
  return { headline, markdown: `${markdown}\n` };
}

function headlineOf(facts: BriefingFacts): string {
  const { runs, approvals, goals, engagements, reviews, attention, repositories } = facts;
  const commits = (repositories ?? []).reduce((sum, each) => sum + each.commits, 0);
  const parts = [
    ...(runs === undefined ? [] : endsOf(runs)),
    ...(approvals?.items.length ? [`${counted(approvals.items.length + approvals.more, 'approval')} waiting`] : []),
    ...(goals?.items.length ? [`${counted(goals.items.length + goals.more, 'goal')} touched`] : []),
    ...(engagements?.items.length
      ? [`${counted(engagements.items.length + engagements.more, 'engagement')} moved`]
      : []),
    ...(reviews?.items.length ? [counted(reviews.items.length + reviews.more, 'review')] : []),
    ...(commits === 0 ? [] : [counted(commits, 'commit')]),
    ...(memory(facts) === '' ? [] : ['memory changed']),
  ];
  const needs = attention.items.length + attention.more;
  const what =
    parts.length === 0 ? 'Nothing has happened' : `${parts[0]!.charAt(0).toUpperCase()}${parts.join(', ').slice(1)}`;
  const need = needs === 0 ? 'nothing needs' : `${counted(needs, 'thing')} ${needs === 1 ? 'needs' : 'need'}`;
  return `${what}; ${need} you.`;
}

function endsOf(runs: NonNullable<BriefingFacts['runs']>): readonly string[] {
  const names = { complete: 'complete', failed: 'failed', partial: 'stopped early', cancelled: 'cancelled' } as const;
  const ends = (['complete', 'failed', 'partial', 'cancelled'] as const).filter((status) => runs[status] > 0);
  const total = ends.reduce((sum, status) => sum + runs[status], 0);
  if (total === 0) return runs.running === 0 ? [] : [`${counted(runs.running, 'run')} still going`];
  if (ends.length === 1) return [`${counted(total, 'run')} ${names[ends[0]!]}`];
  return [`${counted(total, 'run')} ended (${ends.map((status) => `${runs[status]} ${names[status]}`).join(', ')})`];
}

function periodOf(facts: BriefingFacts): string {
  const { period, scheduled_for, late_minutes, timezone, workspace } = facts;
  const since = `From ${moment(period.from, facts)} to ${moment(period.to, facts)}, ${timezone}`;
  const { from_position: first, to_position: last } = period;
  const events = first > last ? 'no event of the log' : `events ${first} to ${last} of the log`;
  const late =
    scheduled_for === null || late_minutes < 5
      ? ''
      : ` It was due at ${moment(scheduled_for, facts)} and is ${minutes(late_minutes)} late: ${WHY_LATE}.`;
  const cut = period.is_cut ? ' More happened than is read for one briefing: this is the newest part.' : '';
  const place = workspace === null ? '' : ` Runs, approvals, goals and engagements in ${line(workspace)} only.`;
  return `${since}; ${events}.${late}${cut}${place}`;
}

function runs({ runs }: BriefingFacts, shown: number): string {
  if (runs === undefined) return '';
  const now = [
    runs.running > 0 && `${runs.running} running`,
    runs.queued > 0 && `${runs.queued} waiting for a place`,
  ].filter((part) => part !== false);
  const still = now.length === 0 ? '' : `Now ${now.join(' and ')}.`;
  const list = section('Agent runs', runs, {
    shown,
    intro: still,
    write: ({ status, task, summary, session_id, steps, calls_rejected = 0, files_modified, remaining }) => {
      const counts = [
        counted(steps, 'step'),
        ...(calls_rejected > 0 ? [`${counted(calls_rejected, 'call')} rejected`] : []),
        ...(files_modified > 0 ? [`${counted(files_modified, 'file')} changed`] : []),
      ];
      const left = remaining > 0 ? `, ${remaining} planned left` : '';
      const outcome = summary === '' ? '' : `: ${line(summary)}`;
      return `**${status}**, ${line(task)}${outcome} (${code(shortId(session_id))}, ${counts.join(', ')}${left})`;
    },
  });
  return list === '' && still !== '' ? blocks('## Agent runs', still) : list;
}

function approvals({ approvals }: BriefingFacts, shown: number): string {
  if (approvals === undefined) return '';
  const { asked, allowed, denied, expired } = approvals;
  const intro =
    asked + allowed + denied + expired === 0
      ? ''
      : `${asked} asked for, ${allowed} allowed, ${denied} denied, ${expired} expired without an answer.`;
  const list = section('Approvals', approvals, {
    shown,
    intro,
    write: ({ id, tool_name, task, session_id }) =>
      `${code(tool_name)} waits in the run ${code(shortId(session_id))} (${line(task)}); answer it as ${code(id)}`,
  });
  return list === '' && intro !== '' ? blocks('## Approvals', intro) : list;
}

function goals({ goals }: BriefingFacts, shown: number): string {
  if (goals === undefined) return '';
  return section('Goals', goals, {
    shown,
    intro: goals.active > 0 ? `${counted(goals.active, 'goal')} active.` : '',
    write: ({ id, title, status, changes, links }) => {
      const what = changes.map((change) => (change === 'linked' && links > 1 ? `linked ${links} times` : change));
      const isOpen = status === 'active' || status === 'deleted';
      // Of a goal that is not open, the status is part of the outcome.
      const outcome = isOpen && what.length > 0 ? what : [...what, status];
      const name = title === null ? 'A deleted goal' : line(title);
      return `${name}: ${outcome.join(', ')} (${code(id)}${isOpen ? `, ${status}` : ''})`;
    },
  });
}

function engagements({ engagements }: BriefingFacts, shown: number): string {
  if (engagements === undefined) return '';
  return section('Engagements', engagements, { shown, write: engagementLine });
}

function engagementLine(one: EngagementFacts['items'][number]): string {
  const moves = one.moves.map(({ kind, from, to }) => {
    if (kind === 'set') return `phase set from ${from} to ${to}`;
    return `${kind === 'forced' ? 'forced on' : 'advanced'} from ${from} to ${to}`;
  });
  const gates = one.gates.map(({ title, verdict }) => `gate “${line(title)}” ${words(verdict)}`);
  const evidence = [
    ...(one.evidence_added > 0 ? [`${counted(one.evidence_added, 'piece')} of evidence added`] : []),
    ...(one.evidence_removed > 0 ? [`${one.evidence_removed} removed`] : []),
    ...(one.deliverables_changed > 0 ? [`${counted(one.deliverables_changed, 'deliverable')} changed`] : []),
  ];
  const what = [...moves, ...gates, ...evidence];
  if (one.name === null) return `An engagement was removed (${code(one.id)})`;
  const client = one.client === '' ? '' : ` for ${line(one.client)}`;
  const accepted = `${one.deliverables_accepted} of ${counted(one.deliverables_total, 'deliverable')} accepted`;
  const stand = `${one.status}, phase ${one.phase}: ${accepted}, ${counted(one.blockers, 'blocker')}`;
  return `${line(one.name)}${client}${what.length === 0 ? '' : `: ${what.join('; ')}`} (${stand})`;
}

function reviews({ reviews }: BriefingFacts, shown: number): string {
  if (reviews === undefined) return '';
  return section('Reviews', reviews, {
    shown,
    write: ({ repository, number, title, status, findings }) =>
      `${line(repository)}#${number} ${line(title)}: ${status === 'failed' ? 'failed' : counted(findings, 'finding')}`,
  });
}

function repositories(facts: BriefingFacts, shown: number): string {
  return section('Repositories', { items: activeRepositories(facts), more: 0 }, { shown, write: repositoryLine });
}

/** Those that have something to tell. */
export function activeRepositories({ repositories = [] }: BriefingFacts): readonly RepositoryFacts[] {
  return repositories.filter(({ commits, tags, error }) => commits > 0 || tags.length > 0 || error !== null);
}

function repositoryLine({ path, commits, merges, authors, remediations, tags, error }: RepositoryFacts): string {
  if (error !== null) return `${line(path)}: not read (${line(error)})`;
  const details = [
    ...(merges > 0 ? [`${counted(merges, 'merge')} among them`] : []),
    ...(remediations > 0 ? [`${remediations} took something back`] : []),
    ...(tags.length > 0 ? [`tagged ${tags.map(line).join(', ')}`] : []),
  ];
  return `${line(path)}: ${[`${counted(commits, 'commit')} by ${counted(authors, 'author')}`, ...details].join('; ')}`;
}

function memory({ memory }: BriefingFacts): string {
  if (memory === undefined) return '';
  const said = [
    [memory.added, 'memory', 'memories', 'added'],
    [memory.drawers, 'drawer', 'drawers', 'stored'],
    [memory.merged, 'memory', 'memories', 'merged'],
    [memory.reflections, 'reflection', 'reflections', 'formed'],
    [memory.faded, 'memory', 'memories', 'faded'],
    [memory.deleted, 'memory', 'memories', 'deleted'],
    [memory.facts_added, 'fact', 'facts', 'added'],
    [memory.facts_closed, 'fact', 'facts', 'closed'],
  ] as const;
  const parts = said.flatMap(([n, one, many, verb]) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many} ${verb}`]));
  if (parts.length === 0) return '';
  const memories = memory.total_memories === 1 ? '1 memory' : `${memory.total_memories} memories`;
  const all = `Now there are ${memories} and ${counted(memory.total_facts, 'fact')}.`;
  return blocks('## Memory', `${parts.join(', ')}. ${all}`);
}

function index({ index }: BriefingFacts): string {
  if (index === undefined || (index.builds === 0 && index.builds_failed === 0)) return '';
  const now =
    index.chunks === null
      ? 'there is none now'
      : `${counted(index.chunks, 'chunk')} of ${counted(index.files ?? 0, 'file')}`;
  const failed = index.builds_failed === 0 ? '' : `, ${index.builds_failed} failed`;
  return blocks('## Code index', `Built ${counted(index.builds, 'time')}${failed}; ${now}.`);
}

function storage(facts: BriefingFacts): string {
  const { storage } = facts;
  if (storage === undefined) return '';
  const { backup } = storage;
  const backupState =
    backup === null
      ? storage.keeps_backups
        ? 'No backup yet'
        : 'No backups are kept'
      : `Last backup ${moment(backup.made_at, facts)}, restored and verified up to event ${backup.position}`;
  const well = storage.failure === null ? 'takes writes' : `takes no writes (${line(storage.failure)})`;
  return blocks(
    '## Storage',
    `The log (${storage.backend}, ${counted(storage.events, 'event')}) ${well}. ${backupState}.`,
  );
}

function section<Item>(
  title: string,
  { items, more }: { readonly items: readonly Item[]; readonly more: number },
  how: { readonly shown: number; readonly intro?: string; readonly write: (item: Item) => string },
): string {
  if (items.length === 0) return '';
  const hidden = items.length - how.shown + more;
  const rest = items.length > how.shown || more > 0 ? [`… and ${hidden} more`] : [];
  return blocks(`## ${title}`, how.intro ?? '', bullets([...items.slice(0, how.shown).map(how.write), ...rest]));
}

function day({ period, timezone: timeZone }: BriefingFacts): string {
  const parts = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone }).format(period.to);
}

/** A time to the minute on the clocks of the briefing. */
export function moment(ms: number, { timezone: timeZone }: Pick<BriefingFacts, 'timezone'>): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone }).format(ms);
}

function minutes(count: number): string {
  const [hours, left] = [Math.floor(count / 60), count % 60];
  return hours === 0 ? `${left} min` : `${hours} h ${left} min`;
}
