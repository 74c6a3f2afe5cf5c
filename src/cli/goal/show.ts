/** `daybook goal list`, `show` and `tree`. */
import type { AsOf, Goal, GoalLink, GoalNode, GoalPlan, GoalsGetAnswer, GoalsListQuery } from '../../client/client.ts';
import { asOfFact, type PastOptions } from '../as-of.ts';
import type { Client } from '../client.ts';
import { pickId, shortId } from '../ids.ts';
import { wholeNumber } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import {
  duration,
  facts,
  limitNote,
  minute,
  oneLine,
  print,
  printable,
  printJson,
  stateCell,
  styled,
  table,
  terminalColumns,
  wrapped,
} from '../text.ts';

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

function noGoals(asOf: AsOf | undefined): string {
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
    bulletList('Criteria', goal.success_criteria),
    goal.current_plan === null ? '' : planText(goal.current_plan),
    bulletList('Contributed', links.map(linkText)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function linkText({ kind, target_id, linked_at, note }: GoalLink): string {
  return `${kind} ${target_id}, ${minute(linked_at)}${note === null || note === '' ? '' : `: ${note}`}`;
}

const STEP_SIGNS = { pending: '·', in_progress: '▸', done: '✓', failed: '✗', skipped: '-' } as const;

export function planText({ steps, risks }: GoalPlan): string {
  const lines = steps.map(({ status, id, description }) => item(STEP_SIGNS[status], `${id}. ${description}`));
  const warnings = bulletList('Risks', risks, '!');
  return `${section('Plan', lines)}${warnings === '' ? '' : `\n${warnings}`}`;
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${styled('bold', heading)}\n${lines.join('')}`;
}

/** Empty without texts. */
export function bulletList(heading: string, texts: readonly string[], sign = '•'): string {
  return section(
    heading,
    texts.map((text) => item(sign, text)),
  );
}

/** A list item: a sign, then the text. */
function item(sign: string, text: string): string {
  return `${sign} ${wrapped(text).trimStart()}`;
}

interface TreeOptions extends PastOptions {
  readonly depth: string;
}

const TITLE_CHARACTERS_MIN = 10;

/** `daybook goal tree`: the tree below a goal, or all trees. */
export async function tree(nameOrId: string | undefined, options: TreeOptions): Promise<void> {
  const depth = wholeNumber(options.depth, '--depth');
  const { at } = options;
  await withLog(options, async (client) => {
    const id = nameOrId === undefined ? undefined : await goalIdOf(client, nameOrId);
    const { ids, asOf } = id === undefined ? await rootsOf(client, at) : { ids: [id], asOf: undefined };
    const trees = [];
    for (const each of ids) trees.push(await client.api.goals.tree(each, { query: { depth, at } }));
    if (options.json === true) return printJson(nameOrId === undefined ? trees : trees[0]);
    await print(facts(asOfFact(asOf ?? trees[0]?.as_of)));
    if (trees.length === 0) return print(noGoals(asOf));
    await print(trees.map((each) => linesOf(each.tree, { first: '', rest: '' })).join(''));
  });
}

/** Goals whose parent is absent or removed. */
async function rootsOf({ api }: Client, at: string | undefined) {
  const { goals, as_of: asOf } = await api.goals.list({ query: { limit: 0, at } });
  const ids = new Set(goals.map(({ id }) => id));
  const roots = goals.filter(({ parent_goal_id: parent }) => parent === null || !ids.has(parent));
  return { ids: roots.map(({ id }) => id), asOf };
}

interface Branch {
  readonly first: string;
  readonly rest: string;
}

function linesOf({ goal, children, truncated, direct_child_count: count }: GoalNode, { first, rest }: Branch): string {
  const below = children.map((child, at) => {
    const isLast = at === children.length - 1;
    return linesOf(child, { first: `${rest}${isLast ? '└ ' : '├ '}`, rest: `${rest}${isLast ? '  ' : '│ '}` });
  });
  const hidden = truncated === true ? `${rest}└ … ${count ?? 'more'} below; see them with --depth\n` : '';
  return `${lineOf(goal, first)}${below.join('')}${hidden}`;
}

function lineOf({ id, status, title, current_plan: plan }: Goal, indent: string): string {
  const state = stateCell(status);
  const facts = `${typeof state === 'string' ? state : state.text}${plan === null ? '' : ` ${progressOf(plan)}`}`;
  const titleMax = terminalColumns() - indent.length - facts.length - shortId(id).length - '    '.length;
  const name = oneLine(title, Math.max(TITLE_CHARACTERS_MIN, titleMax));
  const shown = typeof state === 'string' ? facts : styled(state.style, facts);
  return `${indent}${name}  ${shown}  ${styled('dim', shortId(id))}\n`;
}

const WHOLE = /^[0-9a-f]{32}$/;
/** No limit, for the list. */
const ALL = 0;

/** Finds goals by id or title. */
export async function goalIdOf({ api }: Client, nameOrId: string): Promise<string> {
  if (WHOLE.test(nameOrId)) return nameOrId;
  const { goals } = await api.goals.list({ query: { limit: ALL } });
  const choices = goals.map(({ id, title }) => ({ id, names: [title] }));
  return pickId(nameOrId, choices, { one: 'goal', many: 'goals', list: 'daybook goal list' });
}
