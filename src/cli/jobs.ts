/** `daybook jobs`: the records of runs as a table, one record in full, following, and cancelling. */
import { Command, Option } from 'commander';
import type { Approval, JobRecord } from '../client/client.ts';
import { RUN_ENDS } from '../events/run/events.ts';
import type { Client } from './client.ts';
import { followRun } from './follow-run.ts';
import { notes } from './help.ts';
import { resolveSessionId, shortId } from './ids.ts';
import { type AnswerOptions, answerOptions, subcommand, wholeNumber, withoutSubcommand } from './options.ts';
import { saveFile } from './save-file.ts';
import { withLog } from './temporary-daemon.ts';
import { counted, duration, facts, limitNote, print, printable, printJson, stateCell, table, took } from './text.ts';

const LISTED_MAX = 9_999;
const APPROVALS_MAX = 1_000;
const STATUSES = ['queued', 'running', ...RUN_ENDS] as const;

interface ListOptions extends AnswerOptions {
  readonly limit: string;
  readonly status?: string;
  readonly search?: string;
}

interface ShowOptions extends AnswerOptions {
  readonly pdf?: string;
}

const HELP = `
  daybook jobs --limit 50
  daybook jobs --status failed --search invoice
  daybook jobs show 3f9c1a            a unique beginning of the id is enough
  daybook jobs follow 3f9c1a          also one that was started elsewhere
  daybook jobs cancel 3f9c1a
`;

export function command(): Command {
  const jobs = new Command('jobs')
    .description('List jobs, newest first; show, follow or cancel one.')
    .addOption(new Option('--status <status>', 'only jobs with this status').choices(STATUSES))
    .option('--search <text>', 'only jobs with these words in task, summary or id')
    .option('--limit <n>', 'how many', '20')
    .allowExcessArguments()
    .action(withoutSubcommand(list));
  subcommand(jobs, 'show', 'show a job in full')
    .argument('<id>', 'session id, or a unique beginning of it')
    .option('--pdf <file>', 'save the job with its messages and tool calls as this new file')
    .action((id: string, options: ShowOptions) => withLog(options, (client) => show(client, id, options)));
  subcommand(jobs, 'follow', 'follow a job to its end, as run does; Ctrl-C leaves it to the daemon')
    .argument('<id>', 'session id, or a unique beginning of it')
    .action((id: string, options: AnswerOptions) => withLog(options, (client) => follow(client, id, options)));
  subcommand(jobs, 'cancel', 'cancel a job; a finished one stays as it is')
    .argument('<id>', 'session id, or a unique beginning of it')
    .action((id: string, options: AnswerOptions) => withLog(options, (client) => cancel(client, id, options)));
  return answerOptions(jobs).addHelpText('after', notes(HELP));
}

async function list(options: ListOptions): Promise<void> {
  const limit = wholeNumber(options.limit, '--limit', { min: 1, max: LISTED_MAX });
  await withLog(options, (client) => listNewest(client, limit, options));
}

async function listNewest(client: Client, limit: number, options: ListOptions): Promise<void> {
  const { status, search: q } = options;
  const jobs = await client.api.runs.list({ query: { limit, status, q } });
  if (options.json === true) return printJson(jobs);
  if (jobs.length === 0) {
    const isAll = status === undefined && q === undefined;
    return print(isAll ? 'No jobs yet. Start one with: daybook run "<task>"\n' : 'No job matches.\n');
  }
  const approvals = await approvalsOf(client, jobs);
  const now = Date.now();
  const rows = jobs.map((job) => [
    shortId(job.session_id),
    stateCell(approvals.has(job.session_id) ? 'waiting' : job.status),
    duration(now - job.started_at),
    job.finished_at === null ? '' : duration(job.took_ms),
    String(job.steps_completed),
    String(job.tokens_used),
    job.provider,
    [job.task, reasonOf(job)].filter((text) => text !== '').join(' — '),
  ]);
  const head = ['SESSION', 'STATUS', 'AGE', 'TOOK', 'STEPS', 'TOKENS', 'PROVIDER', 'TASK'];
  await print(table([head, ...rows], { optional: ['PROVIDER', 'STEPS', 'AGE', 'TOKENS', 'TOOK'] }));
  await print(limitNote(rows.length, { limit, more: '--limit <n> lists more' }));
  if (approvals.size > 0) await print(`${counted(approvals.size, 'run')} waiting for an answer: daybook approvals\n`);
}

/** The approvals that these runs wait for, by run. */
async function approvalsOf({ api }: Client, jobs: readonly JobRecord[]): Promise<ReadonlyMap<string, Approval>> {
  const running = new Set(jobs.filter(({ status }) => status === 'running').map(({ session_id }) => session_id));
  if (running.size === 0) return new Map();
  const { approvals } = await api.approvals.list({ query: { status: 'pending', limit: APPROVALS_MAX } });
  return new Map(approvals.filter(({ session_id: run }) => running.has(run)).map((each) => [each.session_id, each]));
}

/** First line of the reason why a job did not complete; otherwise empty. */
function reasonOf({ status, summary }: JobRecord): string {
  return status === 'failed' || status === 'partial' ? (summary ?? '').trim().split('\n', 1)[0]! : '';
}

async function show(client: Client, id: string, options: ShowOptions): Promise<void> {
  const session = await resolveSessionId(client, id);
  if (options.pdf !== undefined) return saveFile(options.pdf, await client.api.runs.exportPdf(session), options);
  const job = await client.api.runs.get(session);
  if (options.json === true) return printJson(job);
  const waits = (await approvalsOf(client, [job])).get(session);
  await print(detailsOf(job, waits));
}

async function follow(client: Client, id: string, { json = false }: AnswerOptions): Promise<void> {
  const session = await resolveSessionId(client, id);
  process.exitCode = await followRun({ client, session, json, leaves: true, onLost: async () => undefined });
}

async function cancel(client: Client, id: string, options: AnswerOptions): Promise<void> {
  const job = await client.api.runs.cancel(await resolveSessionId(client, id));
  await (options.json === true ? printJson(job) : print(`${job.session_id} is ${job.status}\n`));
}

function detailsOf(job: JobRecord, waits: Approval | undefined): string {
  const ended = job.finished_at === null ? 'not yet' : new Date(job.finished_at).toISOString();
  const rows: [string, string][] = [
    ['session', job.session_id],
    ['status', waits === undefined ? job.status : `${job.status}, waits for an answer about ${waits.tool_name}`],
    ...(waits === undefined
      ? []
      : [['answer with', `daybook approvals answer ${waits.id} allow-once`] as [string, string]]),
    ['model', `${job.provider}/${job.model}`],
    ['approval', job.approval],
    ['workspace', job.workspace],
    ['started', new Date(job.first_started_at).toISOString()],
    ...(job.started_at > job.first_started_at
      ? [['resumed', new Date(job.started_at).toISOString()] as [string, string]]
      : []),
    ['finished', ended],
    ['took', took(job, Date.now())],
    ['steps', String(job.steps_completed)],
    ...(job.calls_rejected > 0 ? [['rejected', counted(job.calls_rejected, 'call')] as [string, string]] : []),
    ['tokens', String(job.tokens_used)],
    ['changed', job.files_modified.join(', ') || 'nothing'],
    ...(job.parent_session_id === null ? [] : [['forked from', job.parent_session_id] as [string, string]]),
  ];
  const summary = job.summary === null ? '' : `\n${printable(job.summary).trimEnd()}\n`;
  return `${facts(rows)}\n${printable(job.task).trimEnd()}\n${summary}`;
}
