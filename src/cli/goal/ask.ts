/** `daybook goal plan`, `start` and `recap`. */
import type { GoalsRecapAnswer } from '../../client/client.ts';
import { type AnswerOptions, type ModelOptions, requireModelPair, warnAboutModel } from '../options.ts';
import { withRun } from '../run.ts';
import { withLog } from '../temporary-daemon.ts';
import { print, printable, printJson, styled, wrapped } from '../text.ts';
import { bulletList, goalIdOf, planText } from './show.ts';

type AskOptions = AnswerOptions & ModelOptions;

interface StartOptions extends AskOptions {
  readonly task?: string;
  readonly detach?: boolean;
}

export async function plan(nameOrId: string, options: AskOptions): Promise<void> {
  requireModelPair(options);
  await withLog(options, async (client) => {
    const { provider, model } = options;
    const goal = await client.api.goals.plan(await goalIdOf(client, nameOrId), { provider, model });
    if (options.json === true) return printJson(goal);
    warnAboutModel(options, goal.plan_provider_override_applied);
    await print(`${styled('bold', printable(goal.title))}\n`);
    await print(goal.current_plan === null ? 'The plan is empty.\n' : `\n${planText(goal.current_plan)}`);
  });
}

export async function start(nameOrId: string, options: StartOptions): Promise<void> {
  requireModelPair(options);
  await withRun({ ...options, needsLog: true }, async (client) => {
    const { task, provider, model } = options;
    return client.api.goals.start(await goalIdOf(client, nameOrId), { task, provider, model });
  });
}

export async function recap(nameOrId: string, options: AskOptions): Promise<void> {
  requireModelPair(options);
  await withLog(options, async (client) => {
    const { provider, model } = options;
    const answer = await client.api.goals.recap(await goalIdOf(client, nameOrId), { provider, model });
    if (options.json === true) return printJson(answer);
    warnAboutModel(options, answer.recap_provider_override_applied);
    await print(recapText(answer));
  });
}

function recapText({ title, headline, bullets, next_actions: next, artifacts }: GoalsRecapAnswer): string {
  const parts = [
    `${styled('bold', printable(title))}\n${wrapped(headline).trimStart()}`,
    bulletList('What came of it', bullets),
    bulletList('Next', next),
    bulletList(
      'Artifacts',
      artifacts.map(({ kind, label }) => `${kind} ${label}`),
    ),
  ];
  return parts.filter((part) => part !== '').join('\n');
}
