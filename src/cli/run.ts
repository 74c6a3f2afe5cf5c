/** `daybook run "<task>"`: starts an agent run on the running daemon, or on a temporary one, and follows it. */
import { Command } from 'commander';
import { knownApproval } from '../commands/run/rules.ts';
import { homeOf } from '../config/load.ts';
import { readDiscovery } from '../discovery.ts';
import { normalizeProvider } from '../events/provider-id.ts';
import { APPROVALS, zReasoningTier } from '../events/run/events.ts';
import { closest } from '../lib/closest.ts';
import { orList } from '../lib/or-list.ts';
import { type Client, createClient, serveCommandOf } from './client.ts';
import { CommandError, UsageError } from './errors.ts';
import { followRun } from './follow-run.ts';
import { notes } from './help.ts';
import { resolveSessionId } from './ids.ts';
import { canAsk, existingFolder } from './input.ts';
import { homeOption, type ModelOptions, modelOptions, requireModelPair, wholeNumber } from './options.ts';
import { requireLog, startTemporaryDaemon } from './temporary-daemon.ts';
import { print, printJson } from './text.ts';

interface RunOptions extends StartOptions, ModelOptions {
  readonly workspace?: string;
  readonly reasoning?: string;
  readonly maxStepExtensions?: string;
  readonly resume?: string;
}

/** Options of every command that starts a run. */
export interface StartOptions {
  readonly home?: string;
  readonly approval?: string;
  readonly interactive?: boolean;
  readonly json?: boolean;
  readonly detach?: boolean;
}

interface BeginOptions extends StartOptions {
  /** The run continues an earlier one, so the home must have a log. */
  readonly needsLog?: boolean;
}

const REASONING_TIERS = orList(zReasoningTier.options);

const HELP = `
The running daemon executes the run; without one, a daemon is started for the duration of the run.
Ctrl-C asks the daemon to cancel the run. After a lost connection, following continues where it stopped.

Exit codes: 0 complete, 1 failed, 3 partial (planned steps are left), 4 cancelled, 2 bad usage.

  daybook run "Read README.md and write SUMMARY.md" --approval auto-edit
  daybook run "Tidy up the tests" --approval suggest
  daybook run --json "List the files" | jq -r 'select(.type=="chunk").content'
  daybook run --resume 3f9c "Go on with the rest"
`;

export function command(): Command {
  const command = new Command('run')
    .description('Start an agent run and follow it in the terminal.')
    .argument('<task>', 'the task, in plain language')
    .option('--workspace <dir>', 'folder to work in (default: here; with --resume: that of the run)');
  modelOptions(command)
    .option('--reasoning <tier>', REASONING_TIERS)
    .option('--max-step-extensions <n>', 'how often the step budget may grow (default 3)')
    .option('--resume <session>', 'resume a finished run under its own id');
  return startOptions(command, 'that of the daemon').addHelpText('after', notes(HELP)).action(start);
}

export function startOptions(command: Command, policy: string): Command {
  command
    .option('--approval <policy>', `${orList(APPROVALS)} (default: ${policy})`)
    .option('--interactive', 'ask before tool calls that the policy would otherwise reject (default: on a terminal)')
    .option('--json', 'AgentEvents as JSON lines')
    .option('--detach', 'start the run, print its session id, and return');
  return homeOption(command);
}

async function start(task: string, options: RunOptions): Promise<void> {
  if (task.trim() === '') throw new UsageError('The task is empty.');
  const folder = options.workspace ?? (options.resume === undefined ? '.' : undefined);
  const workspace_root = folder === undefined ? undefined : existingFolder(folder);
  requireModelPair(options);
  if (!zReasoningTier.optional().safeParse(options.reasoning).success) {
    throw new UsageError(`--reasoning must be ${REASONING_TIERS}.`);
  }
  const { maxStepExtensions: extensions } = options;
  const max_step_extensions = extensions === undefined ? undefined : wholeNumber(extensions, '--max-step-extensions');
  await withRun({ ...options, needsLog: options.resume !== undefined }, async (client) => {
    const body = {
      task,
      workspace_root,
      approval: approvalOf(options),
      interactive: interactiveOf(options),
      provider: options.provider,
      model: options.model,
      reasoning: options.reasoning,
      max_step_extensions,
      resume_session_id: options.resume === undefined ? undefined : await resolveSessionId(client, options.resume),
    };
    const started = await client.api.runs.start(body);
    if (options.provider !== undefined) await warnAboutOtherModel(client, started.session_id, options);
    return started;
  });
}

/** The daemon falls back to its own model when it cannot use the requested one. Warns the user about that. */
async function warnAboutOtherModel(client: Client, session: string, { provider = '', model = '' }: RunOptions) {
  const job = await client.api.runs.get(session);
  if (job.provider === normalizeProvider(provider) && job.model === model.trim()) return;
  const requested = `${provider}/${model}`;
  const answers = `${job.provider}/${job.model}`;
  process.stderr.write(
    `daybook: the daemon cannot ask ${requested}; ${answers} answers instead. See daybook doctor.\n`,
  );
}

/** The canonical name of the policy. The daemon takes an unknown one as `suggest`; on a command line it is an error. */
export function approvalOf({ approval }: StartOptions): string | undefined {
  if (approval === undefined) return undefined;
  const known = knownApproval(approval);
  if (known !== undefined) return known;
  const meant = closest(approval, APPROVALS);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  throw new UsageError(`--approval must be ${orList(APPROVALS)}.${hint}`);
}

/** Whether tool calls wait for an answer. Where the command follows the run and can ask, they do. */
export function interactiveOf(options: StartOptions): boolean {
  return options.interactive ?? (options.detach !== true && canAsk(options));
}

/** `--detach` needs a daemon that does not end with another command. */
function requirePermanentDaemon(home: string): void {
  const daemon = readDiscovery(home);
  if (daemon !== null && daemon.leashed !== true) return;
  const why = daemon === null ? 'No daemon is running' : 'Only the daemon of another command, which ends with it, runs';
  throw new CommandError(`${why} on ${home} to leave the run to. Start one with: ${serveCommandOf(home)}`);
}

/** Finds or starts a daemon, calls `begin` to start a run on it, and follows the run unless it is detached. */
export async function withRun(
  options: BeginOptions,
  begin: (client: Client) => Promise<{ readonly session_id: string }>,
): Promise<void> {
  const home = homeOf(process.env, options);
  approvalOf(options);
  if (options.needsLog === true) requireLog(home);
  if (options.detach === true) requirePermanentDaemon(home);
  let temporary = await startTemporaryDaemon(home);
  // A daemon that belongs to another command ends with it; then the run continues on a temporary daemon of this one.
  const isShared = temporary === null && readDiscovery(home)?.leashed === true;
  const onLost = async (): Promise<void> => {
    if (isShared && temporary === null && readDiscovery(home) === null) temporary = await startTemporaryDaemon(home);
  };
  try {
    const client = createClient(home);
    const { session_id: session } = await begin(client);
    if (options.detach !== true) {
      process.exitCode = await followRun({ client, session, json: options.json === true, onLost });
      return;
    }
    await (options.json === true ? printJson({ session_id: session }) : print(`${session}\n`));
  } finally {
    await temporary?.stop();
  }
}
