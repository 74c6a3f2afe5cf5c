/** `daybook approvals`: lists the approvals that runs wait for, watches them, answers them. */
import { Argument, Command } from 'commander';
import type { Approval, ApprovalsAnswerBody } from '../client/client.ts';
import { createSignal } from '../lib/signal.ts';
import { addPolicyCommand } from './approval-policy.ts';
import { createApprovalPrompt } from './approval-prompt.ts';
import type { Client } from './client.ts';
import { notes } from './help.ts';
import { pickId, shortId } from './ids.ts';
import { canAsk } from './input.ts';
import { sayInterrupted, untilInterrupted } from './interrupt.ts';
import { type AnswerOptions, answerOptions, subcommand, withoutSubcommand } from './options.ts';
import { withLog } from './temporary-daemon.ts';
import { duration, oneLine, print, printJson, stateCell, table, terminalColumns, visibleJson } from './text.ts';

interface ListOptions extends AnswerOptions {
  readonly all?: boolean;
}

interface AnswerCommandOptions extends AnswerOptions {
  readonly reason?: string;
}

/** Decision of the API by argument of the command. */
const DECISIONS: Readonly<Record<string, ApprovalsAnswerBody['decision']>> = {
  'allow-once': 'allow_once',
  'allow-run': 'allow_run',
  deny: 'deny',
};

const CHANGES = ['ApprovalRequested', 'ApprovalAnswered', 'ApprovalExpired', 'ApprovalWithdrawn'];

const HELP = `
  daybook approvals watch                                  ask about each new approval, until Ctrl-C
  daybook approvals answer apr-3f9c1a allow-once
  daybook approvals answer apr-3f9c1a deny --reason "Write to docs/ instead"
  daybook approvals policy auto-edit                       the policy of runs that name none
`;

export function command(): Command {
  const approvals = new Command('approvals')
    .description('Approvals that runs wait for: list, watch, answer.')
    .option('--all', 'also decided approvals')
    .allowExcessArguments()
    .action(withoutSubcommand(list));
  subcommand(approvals, 'watch', 'ask about each on a terminal; elsewhere print a line for each change')
    .option('--json', 'each changed approval as a JSON line')
    .action(watch);
  subcommand(approvals, 'answer', 'answer an approval; the first answer counts')
    .argument('<approval>', 'id, or a unique beginning of it')
    .addArgument(new Argument('<decision>', 'the answer').choices(Object.keys(DECISIONS)))
    .option('--reason <text>', 'passed to the model with a denial')
    .action(answer);
  addPolicyCommand(approvals);
  return answerOptions(approvals).addHelpText('after', notes(HELP));
}

async function list(options: ListOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const found = await api.approvals.list(options.all === true ? {} : { query: { status: 'pending' } });
    if (options.json === true) return printJson(found);
    if (found.approvals.length === 0) return print('Nothing waits for an answer.\n');
    // Ids of the approvals of one run differ only at their end. A shortened one would also answer the next approval.
    const rows = found.approvals.map((each) => [
      each.id,
      stateCell(each.status),
      shortId(each.session_id),
      each.status === 'pending' ? duration(each.expires_at - Date.now()) : '',
      each.tool_name,
      visibleJson(each.input),
    ]);
    const head = ['ID', 'STATUS', 'RUN', 'EXPIRES IN', 'TOOL', 'INPUT'];
    await print(table([head, ...rows], { optional: ['RUN', 'STATUS', 'EXPIRES IN'] }));
  });
}

async function answer(idOrPrefix: string, word: string, options: AnswerCommandOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const { approvals } = await api.approvals.list({ query: { status: 'pending' } });
    const choices = approvals.map(({ id }) => ({ id, names: [] }));
    // For a complete id the daemon reports a decided approval, with its decision.
    const id = WHOLE.test(idOrPrefix) ? idOrPrefix : pickId(idOrPrefix, choices, KIND);
    const body = { decision: DECISIONS[word]!, reason: options.reason };
    const answered = await api.approvals.answer(id, body);
    if (options.json === true) return printJson(answered);
    await print(`${answered.tool_name} of run ${shortId(answered.session_id)}: ${answered.status}\n`);
  });
}

const WHOLE = /^apr-[0-9a-f]+-\d+$/;
const KIND = { one: 'waiting approval', many: 'approvals', list: 'daybook approvals' };

async function watch(options: AnswerOptions): Promise<void> {
  await withLog(options, (client) =>
    untilInterrupted(async (signal) => {
      const view = canAsk(options) ? asking(client) : printing(options.json === true);
      try {
        for await (const approvals of lists(client, signal)) await view.show(approvals);
      } finally {
        view.close();
      }
    }),
  );
}

/** The whole list, now and after every change, until the signal aborts. */
async function* lists(client: Client, signal: AbortSignal): AsyncGenerator<readonly Approval[]> {
  const changed = createSignal();
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const { position } = await client.api.log.head();
  let failure: unknown;
  const follow = async (type: string): Promise<void> => {
    const events = client.follow((api, rest) => api.log.events({ ...rest, type }), {
      after: String(position),
      signal: stop,
      interrupted: type === CHANGES[0] ? sayInterrupted : () => undefined,
    });
    for await (const _event of events) changed.send();
  };
  const following = CHANGES.map((type) =>
    follow(type).catch((error: unknown) => {
      failure ??= error;
      ended.abort();
    }),
  );
  try {
    while (!stop.aborted) {
      yield (await client.api.approvals.list()).approvals;
      await changed.wait(stop);
    }
  } finally {
    ended.abort();
    await Promise.all(following);
  }
  if (failure !== undefined) throw failure;
}

interface View {
  show(approvals: readonly Approval[]): Promise<void>;
  close(): void;
}

/** Prints a line for each pending approval, then for each change. */
function printing(json: boolean): View {
  const known = new Map<string, string>();
  let isFirst = true;
  return {
    async show(approvals) {
      // The list has the newest decision first.
      const decided = approvals.filter(({ status }) => status !== 'pending').toReversed();
      for (const each of [...decided, ...approvals.filter(({ status }) => status === 'pending')]) {
        const isNews = known.get(each.id) !== each.status && (!isFirst || each.status === 'pending');
        known.set(each.id, each.status);
        if (isNews) await (json ? printJson(each) : print(`${lineOf(each)}\n`));
      }
      isFirst = false;
    },
    close: () => undefined,
  };
}

function lineOf({ id, status, session_id, tool_name, input }: Approval): string {
  return oneLine(`${id}  ${status}  run ${shortId(session_id)}  ${tool_name} ${visibleJson(input)}`, terminalColumns());
}

/** Asks about the oldest pending approval, and withdraws the question when another client answers it. */
function asking(client: Client): View {
  const prompt = createApprovalPrompt({
    client,
    print: (text) => void process.stdout.write(`${text}\n`),
    terminal: { input: process.stdin, output: process.stdout },
  });
  let open: string | null = null;
  let isWaiting = false;
  return {
    async show(approvals) {
      const first = approvals.find(({ status }) => status === 'pending');
      if (first === undefined && !isWaiting) await print('Nothing waits for an answer; Ctrl-C ends.\n');
      isWaiting = first === undefined;
      if (first?.id === open) return;
      prompt.withdraw();
      open = first?.id ?? null;
      if (first === undefined) return;
      const job = await client.api.runs.get(first.session_id);
      await print(`\n${oneLine(`run ${shortId(job.session_id)}: ${job.task}`, terminalColumns())}\n`);
      prompt.ask(first.id);
    },
    close: () => prompt.withdraw(),
  };
}
