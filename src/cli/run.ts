/** `daybook run "<task>"`: starts an agent run on the daemon, or on one of its own, and follows it. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { knownApproval } from '../commands/run/rules.ts';
import { homeOf } from '../config.ts';
import { readDiscovery } from '../discovery.ts';
import { type Client, createClient } from './client.ts';
import { CommandError, UsageError } from './failures.ts';
import { followRun } from './follow-run.ts';
import { whole } from './numbers.ts';
import { startOwnDaemon } from './own-daemon.ts';
import { sessionId } from './sessions.ts';
import { zSession } from './shapes.ts';

interface RunOptions extends StartOptions {
  readonly workspace?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly reasoning?: string;
  readonly maxStepExtensions?: string;
  readonly resume?: string;
}

/** What every command that starts a run takes. */
export interface StartOptions {
  readonly home?: string;
  readonly approval?: string;
  readonly interactive?: boolean;
  readonly json?: boolean;
  readonly detach?: boolean;
}

const HELP = `
The run happens on the daemon that is running; when none is, one is started for the time of the run.
Ctrl-C asks the daemon to cancel the run. When the connection drops, following goes on where it stopped.

Exit codes: 0 complete, 1 failed, 3 partial (planned steps are left), 4 cancelled, 2 bad usage.

  daybook run "Read README.md and write SUMMARY.md" --approval auto-edit
  daybook run "Tidy up the tests" --approval suggest --interactive
  daybook run --json "List what is here" | jq -r 'select(.type == "chunk").content'
  daybook run --resume 3f9c "Go on with the rest"
`;

export function runCommand(): Command {
  const command = new Command('run')
    .description('Start an agent run and follow it in the terminal.')
    .argument('<task>', 'what is to be done, in words')
    .option('--workspace <dir>', 'folder to work in (default: here; with --resume: where it was)')
    .option('--provider <id>', 'model provider; together with --model')
    .option('--model <id>', 'model; together with --provider')
    .option('--reasoning <tier>', 'minimal, low, medium, high or extra-high')
    .option('--max-step-extensions <n>', 'how often the step budget may grow (default 3)')
    .option('--resume <session>', 'take up a finished run again under its own id');
  return startOptions(command).addHelpText('after', HELP).action(start);
}

export function startOptions(command: Command): Command {
  return command
    .option(
      '--approval <policy>',
      'suggest, auto-edit, full-auto, read-only or chat-only (default: as the daemon has it)',
    )
    .option('--interactive', 'be asked before a tool runs that the policy holds back, instead of its rejection')
    .option('--json', 'AgentEvents as JSON lines')
    .option('--detach', 'start it, print its session id, and leave it to the daemon')
    .option('--home <dir>', 'home of the daemon (default: $DAYBOOK_HOME or ~/.daybook)');
}

async function start(task: string, options: RunOptions): Promise<void> {
  if (task.trim() === '') throw new UsageError('The task is empty.');
  const folder = options.workspace ?? (options.resume === undefined ? '.' : undefined);
  const workspace_root = folder === undefined ? undefined : resolve(folder);
  if (workspace_root !== undefined && !existsSync(workspace_root))
    throw new UsageError(`There is no folder ${workspace_root}.`);
  if ((options.provider === undefined) !== (options.model === undefined)) {
    throw new UsageError('--provider and --model go together: give both or none.');
  }
  const { maxStepExtensions: extensions } = options;
  const max_step_extensions = extensions === undefined ? undefined : whole(extensions, '--max-step-extensions');
  await withRun(options, async (client) => {
    const body = {
      task,
      workspace_root,
      approval: approvalOf(options),
      interactive: options.interactive,
      provider: options.provider,
      model: options.model,
      reasoning: options.reasoning,
      max_step_extensions,
      resume_session_id: options.resume === undefined ? undefined : await sessionId(client, options.resume),
    };
    return client.request('/agent', { method: 'POST', body, schema: zSession, idempotencyKey: randomUUID() });
  });
}

/**
 * The policy in its own name. The daemon takes an unknown one for `suggest`; a person should hear of the typing error.
 */
export function approvalOf({ approval }: StartOptions): string | undefined {
  if (approval === undefined) return undefined;
  const known = knownApproval(approval);
  if (known === undefined) {
    throw new UsageError('--approval must be suggest, auto-edit, full-auto, read-only or chat-only.');
  }
  return known;
}

/** Finds or starts a daemon, lets `begin` start a run on it, and follows that run unless it is to be left alone. */
export async function withRun(
  options: StartOptions,
  begin: (client: Client) => Promise<{ readonly session_id: string }>,
): Promise<void> {
  const home = homeOf(process.env, options.home === undefined ? {} : { home: options.home });
  approvalOf(options);
  if (options.detach === true && readDiscovery(home) === null) {
    throw new CommandError(`No daemon is running on ${home} to leave the run to. Start one with: daybook serve`);
  }
  const own = await startOwnDaemon(home);
  try {
    const client = createClient(home);
    const { session_id: session } = await begin(client);
    if (options.detach !== true) {
      process.exitCode = await followRun({ client, session, json: options.json === true });
      return;
    }
    process.stdout.write(options.json === true ? `${JSON.stringify({ session_id: session })}\n` : `${session}\n`);
  } finally {
    await own?.stop();
  }
}
