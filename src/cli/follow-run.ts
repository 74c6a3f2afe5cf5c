/**
 * Follows one run to its end: as text in the terminal, or as JSON lines for programs.
 *
 * - An approval is a question in the terminal, or a line with the command that answers it.
 * - Ctrl-C asks the daemon to cancel the run; a second one leaves it to the daemon, and so does the first one when the
 *   command has not started the run.
 * - The exit code says how the run ended: 0 complete, 1 failed, 3 partial, 4 cancelled.
 */
import type { JobRecord } from '../client/client.ts';
import { type AgentEvent, isTerminalAgentEvent, readAgentEvent } from '../events/run/agent-event.ts';
import { createApprovalPrompt } from './approval-prompt.ts';
import type { Client } from './client.ts';
import { canAsk } from './input.ts';
import { Interrupted } from './interrupt.ts';
import { createTerminalOutput, type TerminalOutput } from './terminal-output.ts';
import { asSentence, counted, duration, outputJson } from './text.ts';

const RUN_EXIT_CODES = { complete: 0, failed: 1, partial: 3, cancelled: 4 } as const;

interface FollowOptions {
  readonly client: Client;
  readonly session: string;
  readonly json: boolean;
  /** Whether Ctrl-C leaves the run at once. */
  readonly leaves?: boolean;
  /** Called when the connection is lost, before the next attempt to connect. */
  readonly onLost: () => Promise<void>;
}

/** Shows the run until it ends; resolves with the exit code. */
export async function followRun(options: FollowOptions): Promise<number> {
  const { client, session, json } = options;
  const view = json ? jsonView() : terminalView(createTerminalOutput());
  const record = (): Promise<JobRecord> => client.api.runs.get(session);
  const approvals = createApprovalPrompt({
    client,
    print: view.note,
    terminal: canAsk({ json }) ? { input: process.stdin, output: process.stdout } : null,
  });
  const leave = new AbortController();
  const heard = new AbortController();
  const release = cancelOnInterrupt(options, { view, leave });
  try {
    const job = await record();
    view.begin(job);
    if (job.status === 'queued' && !json) {
      void untilBegun(client, session, heard.signal).then(view.begun, () => undefined);
    }
    const events = client.follow((api, options) => api.runs.stream(session, options), {
      signal: leave.signal,
      async interrupted(reason) {
        // The stream of a cancelled run ends without a last event.
        const { status } = await record().catch(() => ({ status: 'unknown' }));
        if (status === 'cancelled') return;
        view.note(`stream interrupted (${reason}); connecting again`);
        await options.onLost();
      },
    });
    for await (const { data } of events) {
      const event = readAgentEvent(data);
      if (event === null) continue;
      heard.abort();
      approvals.withdraw();
      view.event(event, data);
      if (event.approval_id !== undefined) approvals.ask(event.approval_id);
      if (isTerminalAgentEvent(event.type)) break;
    }
    if (leave.signal.aborted) {
      view.note(`left; the run goes on. See it with: daybook jobs follow ${session}`);
      return new Interrupted('SIGINT').exitCode;
    }
    const ended = await record();
    view.end(ended);
    return ended.status in RUN_EXIT_CODES ? RUN_EXIT_CODES[ended.status as keyof typeof RUN_EXIT_CODES] : 1;
  } finally {
    heard.abort();
    approvals.withdraw();
    release();
    view.close();
  }
}

/** Resolves when a queued run begins, of which its stream says nothing. Rejects when the signal aborts. */
async function untilBegun({ api, follow }: Client, session: string, signal: AbortSignal): Promise<void> {
  const { position } = await api.log.head({ signal });
  if ((await api.runs.get(session, { signal })).status !== 'queued') return;
  const only = { stream: `run-${session}`, type: 'RunBegun' };
  const begun = follow(({ log }, options) => log.events({ ...options, ...only }), { after: String(position), signal });
  for await (const _event of begun) break;
  signal.throwIfAborted();
}

interface View {
  begin(job: JobRecord): void;
  /** The run was queued and has begun. */
  begun(): void;
  /** `data`: the event as received. */
  event(event: AgentEvent, data: unknown): void;
  /** A message of this command, not of the run. */
  note(text: string): void;
  end(job: JobRecord): void;
  close(): void;
}

function cancelOnInterrupt(
  { client, session, leaves = false }: FollowOptions,
  { view, leave }: { readonly view: View; readonly leave: AbortController },
): () => void {
  let isLeaving = leaves;
  const interrupt = (): void => {
    if (isLeaving) {
      leave.abort();
      return;
    }
    isLeaving = true;
    view.note('cancelling; once more to leave without waiting');
    client.api.runs.cancel(session).catch((error: Error) => {
      view.note(`the run could not be cancelled: ${error.message}`);
    });
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
}

/** Prints each AgentEvent as received, one a line. */
function jsonView(): View {
  return {
    begin: () => undefined,
    begun: () => undefined,
    event: (_event, data) => void process.stdout.write(`${outputJson(data)}\n`),
    note: (text) => void process.stderr.write(`daybook: ${text}\n`),
    end: () => undefined,
    close: () => undefined,
  };
}

function terminalView(output: TerminalOutput): View {
  let printed = '';
  return {
    begin(job) {
      output.line(`run ${job.session_id}`, 'bold');
      output.line(`${job.provider}/${job.model} · ${job.approval} · ${job.workspace}`, 'dim');
      output.status(job.status === 'queued' ? 'waiting for its turn' : 'thinking');
    },
    begun: () => output.status('thinking'),
    event(event) {
      if (event.type === 'chunk') {
        printed = (printed + (event.content ?? '')).slice(-100_000);
        output.text(event.content ?? '');
        output.status('working');
        return;
      }
      showEvent(output, event, printed);
      if (!isTerminalAgentEvent(event.type)) output.status(statusAfter(event));
    },
    note: (text) => output.line(`— ${text}`, 'yellow'),
    end: (job) => {
      output.status('');
      output.line(summaryLine(job), job.status === 'complete' ? 'green' : job.status === 'partial' ? 'yellow' : 'red');
      if (job.status !== 'partial') return;
      output.line(`Go on with: daybook run --resume ${job.session_id} "<what to do next>"`);
    },
    close: () => output.close(),
  };
}

/** The status line after an event; empty while an approval is asked about, so that the question stays visible. */
function statusAfter(event: AgentEvent): string {
  if (event.approval_id !== undefined) return '';
  return event.type === 'retry' ? 'waiting' : 'thinking';
}

function showEvent(output: TerminalOutput, event: AgentEvent, printed: string): void {
  const content = event.content ?? '';
  switch (event.type) {
    case 'step':
      output.line(`  ${event.success === true ? '✓' : '✗'} ${event.step_num}. ${event.tool_name}`, 'cyan');
      return;
    case 'system':
      // The prompt shows the approval; the text of the event says how a program answers.
      if (event.approval_id !== undefined) return;
      output.line(`  · ${content}`, 'yellow');
      return;
    case 'retry':
      output.line(
        `  ↻ attempt ${(event.attempt ?? 0) + 1} of ${event.max_attempts} failed: ${asSentence(content)} ` +
          `Again in ${duration(event.backoff_ms ?? 0)}.`,
        'yellow',
      );
      return;
    case 'complete':
    case 'partial':
    case 'error':
      if (withoutPrinted(content, printed) !== '') output.line(withoutPrinted(content, printed));
      return;
    case 'chunk':
    case 'user':
  }
}

/** The summary without its first paragraphs when they repeat the text printed last, as is usual. */
function withoutPrinted(content: string, printed: string): string {
  const paragraphs = content.trim().split('\n\n');
  for (let count = paragraphs.length; count > 0; count -= 1) {
    if (printed.trimEnd().endsWith(paragraphs.slice(0, count).join('\n\n')))
      return paragraphs.slice(count).join('\n\n');
  }
  return content.trim();
}

function summaryLine(job: JobRecord): string {
  const took = job.finished_at === null ? '' : ` in ${duration(job.took_ms)}`;
  const steps = counted(job.steps_completed, 'step');
  const files = job.files_modified.length === 0 ? '' : ` · changed ${job.files_modified.join(', ')}`;
  const rejected = job.calls_rejected > 0 ? ` · ${counted(job.calls_rejected, 'call')} rejected` : '';
  return `${job.status}${took} · ${steps}${rejected}${files}`;
}
