/** `daybook goal new`, `set`, `pin` and `unpin`. */
import { resolve } from 'node:path';
import type { Goal, GoalsUpdateBody } from '../../client/client.ts';
import { UsageError } from '../errors.ts';
import { shortId } from '../ids.ts';
import { type AnswerOptions, onlyGiven } from '../options.ts';
import { withDaemon, withLog } from '../temporary-daemon.ts';
import { print, printable, printJson } from '../text.ts';
import { goalIdOf } from './find.ts';

interface NewOptions extends AnswerOptions {
  readonly statement?: string;
  readonly criterion?: readonly string[];
  readonly tag?: readonly string[];
  readonly parent?: string;
  readonly workspace?: string;
}

interface SetOptions extends AnswerOptions, Pick<GoalsUpdateBody, 'title' | 'statement' | 'status'> {
  readonly parent?: string;
}

interface PinOptions extends AnswerOptions {
  readonly workspace?: string;
}

export async function create(title: string, options: NewOptions): Promise<void> {
  await withDaemon(options, async (client) => {
    const { statement, criterion, tag, parent, workspace } = options;
    const goal = await client.api.goals.create({
      title,
      workspace: workspace === undefined ? null : resolve(workspace),
      ...onlyGiven({
        statement,
        success_criteria: criterion,
        tags: tag,
        parent_goal_id: parent === undefined ? undefined : await goalIdOf(client, parent),
      }),
    });
    await printGoal(goal, options);
  });
}

export async function change(given: string, options: SetOptions): Promise<void> {
  const { title, statement, status, parent } = options;
  if ([title, statement, status, parent].every((value) => value === undefined))
    throw new UsageError('Give --title, --statement, --status or --parent: there is nothing to change.');
  await withLog(options, async (client) => {
    const id = await goalIdOf(client, given);
    const parent_goal_id = parent ? await goalIdOf(client, parent) : parent;
    const fields = { title, statement, status, parent_goal_id: parent_goal_id === '' ? null : parent_goal_id };
    const goal = await client.api.goals.update(id, onlyGiven(fields));
    await printGoal(goal, options);
  });
}

async function printGoal(goal: Goal, { json }: AnswerOptions): Promise<void> {
  if (json === true) return printJson(goal);
  await print(`${shortId(goal.id)}  ${goal.status}  ${printable(goal.title)}\n`);
}

export async function pin(given: string | undefined, options: PinOptions): Promise<void> {
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  await withLog(options, async (client) => {
    const answer =
      given === undefined
        ? await client.api.goals.current({ query: { workspace } })
        : await client.api.goals.pin({ goal_id: await goalIdOf(client, given), workspace: workspace ?? null });
    if (options.json === true) return printJson(answer);
    const where = printable(workspace ?? 'everywhere');
    const { goal } = answer;
    await print(
      goal === undefined
        ? `No goal is pinned for ${where}.\n`
        : `Pinned for ${where}: ${shortId(goal.id)}  ${printable(goal.title)}\n`,
    );
  });
}

export async function unpin(options: PinOptions): Promise<void> {
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  await withLog(options, async ({ api }) => {
    const answer = await api.goals.unpin({ query: { workspace } });
    if (options.json === true) return printJson(answer);
    const where = printable(workspace ?? 'everywhere');
    await print(answer.removed ? `No goal is pinned for ${where} any more.\n` : `No goal was pinned for ${where}.\n`);
  });
}
