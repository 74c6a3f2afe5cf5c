/** `daybook fork <session>`: a new run that starts from the conversation of an earlier run after one of its steps. */
import { Command } from 'commander';
import { notes } from './help.ts';
import { resolveSessionId } from './ids.ts';
import { wholeNumber } from './options.ts';
import { approvalOf, interactiveOf, type StartOptions, startOptions, withRun } from './run.ts';

interface ForkOptions extends StartOptions {
  readonly step?: string;
  readonly task?: string;
}

const HELP = `
Only the conversation is taken from the earlier run; the files of the workspace stay as they are.
Exit codes are those of daybook run.

  daybook fork 3f9c --step 2 --task "Write it in French instead"
`;

export function command(): Command {
  const command = new Command('fork')
    .description('Start a new run from the conversation of an earlier one.')
    .argument('<session>', 'session id of the earlier run, or a unique beginning of it')
    .option('--step <n>', 'start after this step (default: the last one)')
    .option('--task <text>', 'task of the new run (default: that of the earlier run)');
  return startOptions(command, 'that of the earlier run').addHelpText('after', notes(HELP)).action(fork);
}

async function fork(session: string, options: ForkOptions): Promise<void> {
  const step = options.step === undefined ? undefined : wholeNumber(options.step, '--step');
  await withRun({ ...options, needsLog: true }, async (client) => {
    const body = { step, task: options.task, approval: approvalOf(options), interactive: interactiveOf(options) };
    return client.api.runs.fork(await resolveSessionId(client, session), body);
  });
}
