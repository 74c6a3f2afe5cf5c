/** `report.md` of a goal: its fields, its events, its runs and the engagements that it names. */
import { decodeEvents, type StoredOf } from '../../events/decode.ts';
import { type GoalFields, goalEvents } from '../../events/goal.ts';
import { idOf } from '../../projections/projection.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import { blocks, bullets, cell, code, counted, line, paragraphs, table, words } from '../markdown.ts';
import { type RunFacts, runFacts } from './run-facts.ts';
import { ending, exact, type ReportHead, source, tokensOf } from './run-report.ts';
import type { Related } from './selection.ts';

type GoalRecord = StoredOf<typeof goalEvents, RecordedEvent>;

export interface GoalReportParts {
  /** Events of the goal's own stream. */
  readonly events: readonly RecordedEvent[];
  readonly related: readonly Related[];
  readonly eventsOf: (stream: string) => readonly RecordedEvent[];
}

export async function goalReport(
  { id, size }: ReportHead,
  { events, related, eventsOf }: GoalReportParts,
): Promise<string> {
  const records = [...decodeEvents(goalEvents, events)];
  const runs: RunOfGoal[] = [];
  for (const { stream, relation, included } of related) {
    if (!included || relation === 'engagement') continue;
    runs.push({ id: idOf(stream), relation, facts: await runFacts(eventsOf(stream)) });
  }
  const named = related.filter(({ relation }) => relation === 'engagement');
  const text = blocks(
    `# Goal ${code(id)} — report`,
    source(events, size),
    standing(records),
    '## What was asked',
    asked(records),
    '## What happened to the goal',
    table(['Event', 'When', 'Who', 'What'], records.map(row)),
    '## Its runs',
    runs.length === 0 ? 'No run is linked to it.' : runTable(runs),
    ...runs.map(({ id: run, facts }) => blocks(`### Run ${code(run)}`, task(facts), ending(facts))),
    absent(related),
    named.length > 0 && blocks('## Engagements that it names', bullets(named.map(({ stream }) => code(idOf(stream))))),
    '## Tokens of all runs',
    tokensOf(runs.flatMap(({ facts }) => facts.models)),
    erasedOf(events),
  );
  return `${text}\n`;
}

type Fields = GoalFields & { readonly status: string };

function fieldsOf(records: readonly GoalRecord[]): Fields | null {
  let fields: Fields | null = null;
  for (const { type, data } of records) {
    if (type === 'GoalCreated') fields = { ...data, status: 'active' };
    if (type === 'GoalRevised' && fields !== null) fields = { ...fields, ...data.changes };
    if (type === 'GoalDeleted' && fields !== null) fields = { ...fields, status: 'deleted' };
  }
  return fields;
}

function standing(records: readonly GoalRecord[]): string {
  const fields = fieldsOf(records);
  if (fields === null) return 'The content of the event that made this goal was erased.';
  const [oldest, newest] = [records[0]!, records.at(-1)!];
  return [
    `**Goal:** ${line(fields.title)}`,
    `**Status:** ${fields.status}`,
    `**Made:** ${exact(oldest.at)} by ${line(oldest.actor)} (event ${oldest.position})`,
    `**Last change:** ${exact(newest.at)} (event ${newest.position})`,
    ...(fields.workspace === null ? [] : [`**Workspace:** ${code(fields.workspace)}`]),
    ...(fields.tags.length === 0 ? [] : [`**Tags:** ${line(fields.tags.join(', '))}`]),
  ].join('  \n');
}

function asked(records: readonly GoalRecord[]): string {
  const fields = fieldsOf(records);
  if (fields === null) return 'Not known any more.';
  const { statement, success_criteria } = fields;
  return blocks(
    paragraphs(statement.trim() === '' ? fields.title : statement),
    success_criteria.length > 0 && blocks('It is reached when:', bullets(success_criteria.map(line))),
  );
}

function row(record: GoalRecord): readonly string[] {
  return [String(record.position), exact(record.at), cell(record.actor), whatHappened(record)];
}

function whatHappened(record: GoalRecord): string {
  switch (record.type) {
    case 'GoalCreated':
      return `The goal was made: ${cell(record.data.title)}`;
    case 'GoalRevised': {
      const changes = Object.entries(record.data.changes).map(
        ([field, value]) => `${words(field)}: ${cell(typeof value === 'string' ? value : JSON.stringify(value))}`,
      );
      const plan = record.data.plan_cleared ? ['the plan was removed'] : [];
      return `It was changed: ${[...changes, ...plan].join('; ') || 'no field'}`;
    }
    case 'GoalPlanned': {
      const { plan, provider, model } = record.data;
      return `${cell(`${provider} / ${model}`)} made a plan of ${counted(plan.steps.length, 'step')}: ${cell(plan.steps.map(({ description }) => description).join('; '))}`;
    }
    case 'GoalLinked': {
      const { kind, target_id, note } = record.data;
      return `A ${kind} was linked: ${cell(target_id)}${note === null ? '' : ` — ${cell(note)}`}`;
    }
    case 'GoalDeleted':
      return 'The goal was deleted.';
  }
}

interface RunOfGoal {
  readonly id: string;
  readonly relation: Related['relation'];
  readonly facts: RunFacts;
}

function runTable(runs: readonly RunOfGoal[]): string {
  const rows = runs.map(({ id, relation, facts }) => [
    cell(id),
    relation === 'origin' ? 'a fork began with it' : 'linked',
    facts.status,
    facts.requested === undefined ? '' : exact(facts.requested.at),
    facts.end === null ? '' : exact(facts.end.at),
    String(facts.steps),
    tokensOf(facts.models),
    String(facts.files.length),
  ]);
  return table(['Run', 'Why it is here', 'Status', 'Requested', 'Ended', 'Steps', 'Tokens', 'Files changed'], rows);
}

function task({ requested }: RunFacts): string {
  return requested === undefined ? '' : blocks('Asked:', paragraphs(requested.data.task));
}

function absent(related: readonly Related[]): string {
  const ids = related.filter(({ included }) => !included).map(({ stream }) => code(idOf(stream)));
  return ids.length === 0 ? '' : blocks('Linked, but not in this log:', bullets(ids));
}

function erasedOf(events: readonly RecordedEvent[]): string {
  const erased = events.filter((event) => event.erased === true);
  if (erased.length === 0) return '';
  const positions = erased.map(({ position }) => position).join(', ');
  return `The content of ${counted(erased.length, 'event')} of this goal was erased (${positions}); it is missing here.`;
}
