/** `report.md` of a run, from its events alone: requests, events, actors, the end, tools and tokens. */
import { inSlices } from '../../lib/slices.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import { blocks, bullets, cell, code, counted, line, NONE, paragraphs, table } from '../markdown.ts';
import { modelName, type RunFacts, type RunRecord, runFacts, type ToolCall } from './run-facts.ts';
import { type AnswerTexts, answerTexts, whatHappened } from './run-sentences.ts';

export interface ReportHead {
  readonly id: string;
  /** Number of events that the checkpoint covers. */
  readonly size: number;
}

/** Limit of rows in the table of events; later events are in `events.jsonl` only. */
const ROWS_MAX = 5_000;

export async function runReport({ id, size }: ReportHead, events: readonly RecordedEvent[]): Promise<string> {
  const facts = await runFacts(events);
  const text = blocks(
    `# Run ${code(id)} — report`,
    source(events, size),
    runSummary(facts),
    '## What was asked',
    ...facts.requests.map(request),
    '## How it ended',
    ending(facts),
    '## What happened',
    await happened(facts),
    '## Tools',
    toolTable(facts.tools),
    filesModified(facts),
    '## Models and tokens',
    tokenTable(facts),
    '## Who',
    who(facts),
  );
  return `${text}\n`;
}

/** The source of the text, so that a reader can find each statement among the events. */
export function source(events: readonly RecordedEvent[], size: number): string {
  const [first, last] = [events[0]!.position, events.at(-1)!.position];
  return (
    `> Written from ${counted(events.length, 'event')} at the positions ${first} to ${last} of the log, as of the ` +
    `checkpoint of ${counted(size, 'event')}. A number in the column *Event* is the position of a line of ` +
    '`events.jsonl`. Times are in UTC, from the clock of the computer that recorded them.'
  );
}

function runSummary({ status, requests, end, fork, models, tools, erased }: RunFacts): string {
  const first = requests[0];
  const newest = requests.at(-1)?.data;
  const newestRequest = newest === undefined ? undefined : 'request' in newest ? newest.request : newest;
  const facts = [
    `**Status:** ${status}`,
    first !== undefined && `**Requested:** ${exact(first.at)} by ${line(first.actor)} (event ${first.position})`,
    end !== null && `**Ended:** ${exact(end.at)} (event ${end.position})`,
    newestRequest !== undefined && `**Model:** ${line(modelName(newestRequest))}`,
    newestRequest !== undefined && `**Permission:** ${newestRequest.approval}, in ${code(newestRequest.workspace)}`,
    fork !== undefined &&
      `**Forked from:** run ${code(fork.data.from_session_id)} after its event number ${fork.data.from_version}`,
    `**Steps:** ${counted(tools.length, 'use')} of tools`,
    `**Tokens:** ${tokensOf(models)}`,
    erased.length > 0 &&
      `**Erased:** the content of ${counted(erased.length, 'event')} (${erased.join(', ')}); it is missing here`,
  ].filter((fact) => fact !== false);
  return facts.join('  \n');
}

export function tokensOf(models: RunFacts['models']): string {
  const sum = (of: 'input' | 'output' | 'untold'): number => models.reduce((total, model) => total + model[of], 0);
  const untold = sum('untold') === 0 ? '' : `, and ${counted(sum('untold'), 'answer')} without numbers`;
  return `${sum('input')} in, ${sum('output')} out${untold}`;
}

/** To the millisecond, in UTC. */
export function exact(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

function request({ type, data, at, actor, position }: RunFacts['requests'][number]): string {
  const asked = type === 'RunRequested' ? data : data.request;
  const how = type === 'RunRequested' ? 'Asked' : 'Asked again, to go on';
  return blocks(`**${how}** on ${exact(at)} by ${line(actor)} (event ${position}):`, paragraphs(asked.task));
}

export function ending({ status, end, left }: RunFacts): string {
  if (end === null) return `It had not ended: ${status}.`;
  return blocks(
    `${ENDS[status]} on ${exact(end.at)} (event ${end.position}).`,
    paragraphs(end.text),
    left.length > 0 && blocks('Not done of its plan:', bullets(left.map(line))),
  );
}

const ENDS: Readonly<Record<RunFacts['status'], string>> = {
  waiting: 'It had not begun',
  going: 'It had not ended',
  complete: 'It completed',
  partial: 'It stopped with work left',
  failed: 'It failed',
  cancelled: 'It was cancelled',
};

async function happened({ records }: RunFacts): Promise<string> {
  const answers = answerTexts(records);
  const rows: (readonly string[])[] = [];
  let last = 0;
  for await (const record of inSlices(records)) {
    if (rows.length === ROWS_MAX) break;
    rows.push(...row(record, answers));
    last = record.position;
  }
  const more = records.filter(({ position }) => position > last).length;
  return blocks(
    table(['Event', 'When', 'Who', 'What'], rows),
    more > 0 && `What ${counted(more, 'later event')} ${more === 1 ? 'says' : 'say'} is not shown here.`,
  );
}

function row(record: RunRecord, answers: AnswerTexts): readonly (readonly string[])[] {
  const what = whatHappened(record, answers);
  return what === '' ? [] : [[String(record.position), exact(record.at), cell(record.actor), what]];
}

function toolTable(tools: readonly ToolCall[]): string {
  if (tools.length === 0) return 'No tool was used.';
  const rows = tools.map(({ step, name, result, ms, files, position }) => [
    String(step),
    cell(name),
    result,
    ms === null ? NONE : String(Math.round(ms)),
    cell(files.join('\n')),
    String(position),
  ]);
  return table(['Step', 'Tool', 'Result', 'Milliseconds', 'Files it changed', 'Event'], rows);
}

function filesModified({ files }: RunFacts): string {
  return files.length === 0 ? '' : blocks('### Files that were changed', bullets(files.map(line)));
}

function tokenTable({ models }: RunFacts): string {
  if (models.length === 0) return 'No model was asked.';
  const rows = models.map(({ name, asked, answered, input, output, untold }) => [
    cell(name),
    ...[asked, answered, input, output, untold].map(String),
  ]);
  return table(['Model', 'Asked', 'Answered', 'Tokens in', 'Tokens out', 'Answers without numbers'], rows);
}

function who({ actors }: RunFacts): string {
  const rows = [...actors].sort(([left], [right]) => (left < right ? -1 : 1));
  return blocks(
    table(
      ['Who', 'Events'],
      rows.map(([actor, count]) => [cell(actor), String(count)]),
    ),
    'A name is how Daybook knows who caused an event; it is no signature of a person.',
  );
}
