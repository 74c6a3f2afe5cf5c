/** `daybook goal new`, `set`, `link`, `delete`, `pin` and `unpin`. */
import { resolve } from 'node:path';
import type { Goal, GoalsLinkBody, GoalsUpdateBody } from '../../client/client.ts';
import { UsageError } from '../errors.ts';
import { resolveSessionId, shortId } from '../ids.ts';
import { existingFolder } from '../input.ts';
import type { AnswerOptions } from '../options.ts';
import { withDaemon, withLog } from '../temporary-daemon.ts';
import { counted, print, printable, printJson } from '../text.ts';
import { goalIdOf } from './show.ts';

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
  const { statement, criterion, tag, parent } = options;
  const workspace = options.workspace === undefined ? null : existingFolder(options.workspace);
  await withDaemon(options, async (client) => {
    const goal = await client.api.goals.create({
      title,
      workspace,
      statement,
      success_criteria: criterion,
      tags: tag,
      parent_goal_id: parent === undefined ? undefined : await goalIdOf(client, parent),
    });
    await printGoal(goal, options);
  });
}

export async function change(nameOrId: string, options: SetOptions): Promise<void> {
  const { title, statement, status, parent } = options;
  if ([title, statement, status, parent].every((value) => value === undefined))
    throw new UsageError('Give --title, --statement, --status or --parent: there is nothing to change.');
  await withLog(options, async (client) => {
    const id = await goalIdOf(client, nameOrId);
    const parent_goal_id = parent ? await goalIdOf(client, parent) : parent;
    const fields = { title, statement, status, parent_goal_id: parent_goal_id === '' ? null : parent_goal_id };
    const goal = await client.api.goals.update(id, fields);
    await printGoal(goal, options);
  });
}

async function printGoal(goal: Goal, { json }: AnswerOptions): Promise<void> {
  if (json === true) return printJson(goal);
  await print(`${shortId(goal.id)}  ${goal.status}  ${printable(goal.title)}\n`);
}

interface LinkOptions extends AnswerOptions, Pick<GoalsLinkBody, 'kind'> {
  readonly note?: string;
}

export async function link(nameOrId: string, target: string, options: LinkOptions): Promise<void> {
  await withLog(options, async (client) => {
    const id = await goalIdOf(client, nameOrId);
    const { kind, note } = options;
    const isRun = kind === 'session' || kind === 'job';
    const target_id = isRun ? await resolveSessionId(client, target) : target;
    const added = await client.api.goals.link(id, { kind, target_id, note });
    if (options.json === true) return printJson(added);
    await print(`${shortId(id)}  ${added.kind} ${printable(added.target_id)}\n`);
  });
}

export async function remove(nameOrId: string, options: AnswerOptions & { readonly yes?: boolean }): Promise<void> {
  await withLog(options, async (client) => {
    const id = await goalIdOf(client, nameOrId);
    const { goal, links } = await client.api.goals.get(id);
    const lost = `“${printable(goal.title)}” with its plan and its ${counted(links.length, 'link')}`;
    if (options.yes !== true) throw new UsageError(`This would delete ${lost} for good. Add --yes to do it.`);
    await client.api.goals.delete(id);
    await (options.json === true ? printJson({ id, deleted: true }) : print(`Deleted ${lost}.\n`));
  });
}

export async function pin(nameOrId: string | undefined, options: PinOptions): Promise<void> {
  const workspace = slotOf(options);
  // The pin of a folder that is gone can still be shown and removed.
  if (nameOrId !== undefined && workspace !== undefined) existingFolder(workspace);
  await withLog(options, async (client) => {
    const answer =
      nameOrId === undefined
        ? await client.api.goals.current({ query: { workspace } })
        : await client.api.goals.pin({ goal_id: await goalIdOf(client, nameOrId), workspace: workspace ?? null });
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
  const workspace = slotOf(options);
  await withLog(options, async ({ api }) => {
    const answer = await api.goals.unpin({ query: { workspace } });
    if (options.json === true) return printJson(answer);
    const where = printable(workspace ?? 'everywhere');
    await print(answer.removed ? `No goal is pinned for ${where} any more.\n` : `No goal was pinned for ${where}.\n`);
  });
}

function slotOf({ workspace }: PinOptions): string | undefined {
  return workspace === undefined ? undefined : resolve(workspace);
}
