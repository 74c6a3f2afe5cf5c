/** `daybook goal tree`: the tree below a goal, or all trees. */
import type { Goal, GoalNode } from '../../client/client.ts';
import { asOfFact, type PastOptions } from '../as-of.ts';
import type { Client } from '../client.ts';
import { shortId } from '../ids.ts';
import { wholeNumber } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import { facts, oneLine, print, printJson, stateCell, styled, terminalColumns } from '../text.ts';
import { goalIdOf } from './find.ts';
import { noGoals, progressOf } from './show.ts';

interface TreeOptions extends PastOptions {
  readonly depth: string;
}

const TITLE_CHARACTERS_MIN = 10;

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
