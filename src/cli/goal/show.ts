/** `daybook goal list` and `show`. */
import type { AsOf, GoalLink, GoalPlan, GoalsGetAnswer, GoalsListQuery } from '../../client/client.ts';
import { asOfFact, type PastOptions } from '../as-of.ts';
import { shortId } from '../ids.ts';
import { wholeNumber } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import {
  duration,
  facts,
  limitNote,
  minute,
  print,
  printable,
  printJson,
  stateCell,
  styled,
  table,
  wrapped,
} from '../text.ts';
import { goalIdOf } from './find.ts';

interface ListOptions extends PastOptions, Pick<GoalsListQuery, 'status' | 'tag'> {
  readonly search?: string;
  readonly limit?: string;
}

export async function list({ limit = '50', ...options }: ListOptions): Promise<void> {
  const { status, tag, search: q, at } = options;
  const goalsMax = wholeNumber(limit, '--limit');
  const query = { status, tag, q, at, limit: goalsMax };
  await withLog(options, async ({ api }) => {
    const answer = await api.goals.list({ query });
    if (options.json === true) return printJson(answer);
    if (answer.as_of !== undefined) await print(facts(asOfFact(answer.as_of)));
    if (answer.goals.length === 0) {
      const isFiltered = [status, tag, q].some((each) => each !== undefined);
      return print(isFiltered ? 'No goal fits.\n' : noGoals(answer.as_of));
    }
    const rows = answer.goals.map((goal) => [
      shortId(goal.id),
      stateCell(goal.status),
      duration(Date.now() - Date.parse(goal.updated_at)),
      goal.current_plan === null ? '' : progressOf(goal.current_plan),
      goal.title,
    ]);
    await print(table([['ID', 'STATUS', 'CHANGED', 'PLAN', 'TITLE'], ...rows], { optional: ['PLAN', 'CHANGED'] }));
    await print(limitNote(rows.length, { limit: goalsMax, more: '--limit 0 lists all' }));
  });
}

export function noGoals(asOf: AsOf | undefined): string {
  return asOf === undefined ? 'No goals. Make one with: daybook goal new "<title>"\n' : 'There were no goals then.\n';
}

/** `2/5`: done steps of all steps. */
export function progressOf({ steps }: GoalPlan): string {
  return `${steps.filter(({ status }) => status === 'done').length}/${steps.length}`;
}

export async function show(nameOrId: string, options: PastOptions): Promise<void> {
  await withLog(options, async (client) => {
    const id = await goalIdOf(client, nameOrId);
    const answer = await client.api.goals.get(id, { query: { at: options.at } });
    await (options.json === true ? printJson(answer) : print(goalText(answer)));
  });
}

function goalText({ goal, links, as_of }: GoalsGetAnswer): string {
  const head = facts([
    ['id', goal.id],
    ['status', goal.status],
    ['workspace', goal.workspace ?? 'everywhere'],
    ...(goal.parent_goal_id === null ? [] : [['part of', shortId(goal.parent_goal_id)] as const]),
    ...(goal.tags.length === 0 ? [] : [['tags', goal.tags.join(', ')] as const]),
    ['changed', minute(goal.updated_at)],
    ...asOfFact(as_of),
  ]);
  const parts = [
    `${styled('bold', printable(goal.title))}\n${head}`,
    goal.statement === '' ? '' : wrapped(goal.statement, 0),
    section(
      'Criteria',
      goal.success_criteria.map((text) => item('•', text)),
    ),
    goal.current_plan === null ? '' : planText(goal.current_plan),
    section('Contributed', links.map(linkLine)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function linkLine({ kind, target_id, linked_at, note }: GoalLink): string {
  return item('•', `${kind} ${target_id}, ${minute(linked_at)}${note === null || note === '' ? '' : `: ${note}`}`);
}

const STEP_SIGNS = { pending: '·', in_progress: '▸', done: '✓', failed: '✗', skipped: '-' } as const;

export function planText({ steps, risks }: GoalPlan): string {
  const lines = steps.map(({ status, id, description }) => item(STEP_SIGNS[status], `${id}. ${description}`));
  const warnings = section(
    'Risks',
    risks.map((text) => item('!', text)),
  );
  return `${section('Plan', lines)}${warnings === '' ? '' : `\n${warnings}`}`;
}

export function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${styled('bold', heading)}\n${lines.join('')}`;
}

/** A list item: a sign, then the text. */
export function item(sign: string, text: string): string {
  return `${sign} ${wrapped(text).trimStart()}`;
}
