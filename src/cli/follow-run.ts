/**
 * Follows one run to its end: in the terminal for people, as JSON lines for programs.
 *
 * - What waits for an approval is asked about in the terminal, or shown with how to answer it.
 * - Ctrl-C asks the daemon to cancel the run; a second one leaves it to the daemon.
 * - The exit code says how the run ended: 0 complete, 1 failed, 3 partial, 4 cancelled.
 */
import { type AgentEvent, isTerminalAgentEvent, zAgentEvent } from '../events/run/agent-event.ts';
import { createApprovals } from './approve.ts';
import type { Client } from './client.ts';
import { createScreen, type Screen } from './screen.ts';
import { type Job, zJob } from './shapes.ts';
import { duration } from './text.ts';

export const RUN_EXIT_CODES = { complete: 0, failed: 1, partial: 3, cancelled: 4 } as const;
/** After two interrupts the command leaves and the run goes on. */
const LEFT_EXIT_CODE = 130;

export interface FollowOptions {
  readonly client: Client;
  readonly session: string;
  readonly json: boolean;
  /** Called when the daemon was lost, before it is looked for again. */
  readonly lost: () => Promise<void>;
}

/** Shows the run until it ended; answers the exit code. */
export async function followRun(options: FollowOptions): Promise<number> {
  const { client, session, json } = options;
  const view = json ? jsonView() : screenView(createScreen());
  const record = (): Promise<Job> => client.request(`/jobs/${session}`, { schema: zJob });
  const terminal = !json && process.stdin.isTTY && process.stdout.isTTY;
  const approvals = createApprovals({
    client,
    say: view.note,
    terminal: terminal ? { input: process.stdin, output: process.stdout } : null,
  });
  const leave = new AbortController();
  const release = cancelOnInterrupt(options, { view, leave });
  try {
    view.begin(await record());
    const events = client.follow(`/stream/${session}`, {
      signal: leave.signal,
      isOver: async () => (await record()).finished_at !== null,
      async interrupted(reason) {
        view.note(`connection lost (${reason}); connecting again`);
        await options.lost();
      },
    });
    for await (const { data } of events) {
      const event = zAgentEvent.parse(JSON.parse(data));
      approvals.settled();
      view.event(event, data);
      if (event.approval_id !== undefined) approvals.ask(event.approval_id);
      if (isTerminalAgentEvent(event.type)) break;
    }
    if (leave.signal.aborted) {
      view.note(`left; the run goes on. See it with: daybook jobs show ${session}`);
      return LEFT_EXIT_CODE;
    }
    const job = await record();
    view.end(job);
    return job.status in RUN_EXIT_CODES ? RUN_EXIT_CODES[job.status as keyof typeof RUN_EXIT_CODES] : 1;
  } finally {
    approvals.settled();
    release();
    view.close();
  }
}

interface View {
  begin(job: Job): void;
  event(event: AgentEvent, line: string): void;
  /** About the following itself, not about the run. */
  note(text: string): void;
  end(job: Job): void;
  close(): void;
}

function cancelOnInterrupt(
  { client, session }: FollowOptions,
  { view, leave }: { readonly view: View; readonly leave: AbortController },
): () => void {
  let asked = false;
  const interrupt = (): void => {
    if (asked) {
      leave.abort();
      return;
    }
    asked = true;
    view.note('cancelling; once more to leave without waiting');
    client.request(`/jobs/${session}/cancel`, { method: 'POST', schema: zJob }).catch((error: Error) => {
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

/** AgentEvents as they came, one a line. */
function jsonView(): View {
  return {
    begin: () => undefined,
    event: (_event, line) => void process.stdout.write(`${line}\n`),
    note: (text) => void process.stderr.write(`daybook: ${text}\n`),
    end: () => undefined,
    close: () => undefined,
  };
}

function screenView(screen: Screen): View {
  let shown = '';
  return {
    begin(job) {
      screen.line(`run ${job.session_id}`, 'bold');
      screen.line(`${job.provider}/${job.model} · ${job.approval} · ${job.workspace}`, 'dim');
      screen.status(job.status === 'queued' ? 'waiting for its turn' : 'thinking');
    },
    event(event) {
      if (event.type === 'chunk') {
        shown = (shown + (event.content ?? '')).slice(-100_000);
        screen.text(event.content ?? '');
        screen.status('working');
        return;
      }
      showEvent(screen, event, shown);
      if (!isTerminalAgentEvent(event.type)) screen.status(statusAfter(event));
    },
    note: (text) => screen.line(`— ${text}`, 'yellow'),
    end: (job) => {
      screen.status('');
      screen.line(ending(job), job.status === 'complete' ? 'green' : job.status === 'partial' ? 'yellow' : 'red');
      if (job.status !== 'partial') return;
      screen.line(`Go on with: daybook run --resume ${job.session_id} "<what to do next>"`);
    },
    close: () => screen.close(),
  };
}

/** What a run is at after an event; a question about an approval is not written over. */
function statusAfter(event: AgentEvent): string {
  if (event.approval_id !== undefined) return '';
  return event.type === 'retry' ? 'waiting' : 'thinking';
}

function showEvent(screen: Screen, event: AgentEvent, shown: string): void {
  const content = event.content ?? '';
  switch (event.type) {
    case 'step':
      screen.line(`  ${event.success === true ? '✓' : '✗'} ${event.step_num}. ${event.tool_name}`, 'cyan');
      return;
    case 'system':
      screen.line(`  · ${content}`, 'yellow');
      return;
    case 'retry':
      screen.line(
        `  ↻ attempt ${(event.attempt ?? 0) + 1} of ${event.max_attempts} failed: ${content} ` +
          `Again in ${duration(event.backoff_ms ?? 0)}.`,
        'yellow',
      );
      return;
    case 'complete':
    case 'partial':
    case 'error':
      if (unseen(content, shown) !== '') screen.line(unseen(content, shown));
      return;
    case 'chunk':
    case 'user':
  }
}

/** A summary begins with the run's last text, as a rule, which stands there already. */
function unseen(content: string, shown: string): string {
  const paragraphs = content.trim().split('\n\n');
  for (let count = paragraphs.length; count > 0; count -= 1) {
    if (shown.trimEnd().endsWith(paragraphs.slice(0, count).join('\n\n'))) return paragraphs.slice(count).join('\n\n');
  }
  return content.trim();
}

function ending(job: Job): string {
  const took = job.finished_at === null ? '' : ` in ${duration(job.finished_at - job.started_at)}`;
  const steps = `${job.steps_completed} ${job.steps_completed === 1 ? 'step' : 'steps'}`;
  const files = job.files_modified.length === 0 ? '' : ` · changed ${job.files_modified.join(', ')}`;
  return `${job.status}${took} · ${steps}${files}`;
}
