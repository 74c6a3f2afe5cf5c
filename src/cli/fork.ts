/** `daybook fork <session>`: a new run that starts from the conversation of an earlier run after one of its steps. */
import { Command } from 'commander';
import { resolveSessionId } from './ids.ts';
import { onlyGiven, wholeNumber } from './options.ts';
import { approvalOf, type StartOptions, startOptions, withRun } from './run.ts';

interface ForkOptions extends StartOptions {
  readonly step?: string;
  readonly task?: string;
}

const HELP = `
The files of the workspace are as they are now; only the conversation goes back.
Exit codes are those of daybook run.

  daybook fork 3f9c --step 2 --task "Write it in French instead"
`;

export function forkCommand(): Command {
  const command = new Command('fork')
    .description('Start a new run from the conversation of an earlier one.')
    .argument('<session>', 'session id of the earlier run, or a unique beginning of it')
    .option('--step <n>', 'go back to right after this step (default: the last one)')
    .option('--task <text>', 'what the new run is to do (default: the same, from that step)');
  return startOptions(command, 'as the earlier run had it').addHelpText('after', HELP).action(fork);
}

async function fork(session: string, options: ForkOptions): Promise<void> {
  const step = options.step === undefined ? undefined : wholeNumber(options.step, '--step');
  await withRun({ ...options, needsLog: true }, async (client) => {
    const body = { step, task: options.task, approval: approvalOf(options), interactive: options.interactive };
    return client.api.runs.fork(await resolveSessionId(client, session), onlyGiven(body));
  });
}
