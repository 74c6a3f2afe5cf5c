/** Homes with a history, written through the storage: the daemon folds them when it starts. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import type { NewEvent } from '../../src/storage/event-log.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';

const APPEND_EVENTS = 5_000;

/** How many chunks the answer of a run has, and how often each repeats the same sentence. */
const SHORT = { chunks: 12, sentences: 1 };
/** The events of `runEvents` other than chunks. */
export const EVENTS_WITHOUT_CHUNKS = 10;
const STEP_MS = 50;
const TASK = 'Find out why the nightly build fails, mend it, and say in a few sentences what it was.';

/** A home whose log has at least `events` events of finished runs with such an answer. */
export async function homeWithRuns(home: string, events: number, answer = SHORT): Promise<void> {
  const storage = await openStorage({ directory: join(home, 'data') });
  try {
    await appendRuns(storage, events, answer);
  } finally {
    await storage.close();
  }
}

/** Adds one finished run to the log of a home. */
export async function addRun(home: string, answer: RunShape): Promise<void> {
  const { log, close } = await openStorage({ directory: join(home, 'data') });
  try {
    await log.append([runOf(answer)]);
  } finally {
    await close();
  }
}

function runOf(answer: RunShape) {
  const stream = `run-${randomBytes(16).toString('hex')}`;
  return { stream, expectedVersion: 'none' as const, events: runEvents(answer) };
}

/** Appends finished runs until the log has at least `events` events. */
export async function appendRuns({ log }: Pick<Storage, 'log'>, events: number, answer = SHORT): Promise<void> {
  let batch: ReturnType<typeof runOf>[] = [];
  let waiting = 0;
  while (log.head().position + waiting < events) {
    const run = runOf(answer);
    batch.push(run);
    waiting += run.events.length;
    if (waiting < APPEND_EVENTS && log.head().position + waiting < events) continue;
    await log.append(batch);
    batch = [];
    waiting = 0;
  }
}

export interface RunShape {
  /** The number of pieces of the answer. */
  readonly chunks: number;
  /** Sentences per piece. */
  readonly sentences: number;
  readonly task?: string;
  /** When the run begins, in Unix milliseconds; its events are `STEP_MS` apart. Default: all of them happen now. */
  readonly at?: number;
}

/** The events of a finished run with one tool call: `EVENTS_WITHOUT_CHUNKS` and one for each piece of the answer. */
export function runEvents({ chunks, sentences, task = TASK, at }: RunShape): NewEvent[] {
  const events = eventsNow({ chunks, sentences, task });
  return at === undefined ? events : events.map((each, index) => ({ ...each, at: at + index * STEP_MS }));
}

function eventsNow({ chunks, sentences, task }: Required<Omit<RunShape, 'at'>>): NewEvent[] {
  const call = { id: 'call-1', name: 'read_file', input: { path: 'README.md' } };
  const usage = { input_tokens: 1_200, output_tokens: 80 };
  const asked = {
    attempt: 0,
    provider: 'rehearsal',
    model: 'rehearsal-1',
    thinking_budget: null,
    request_hash: '0'.repeat(64),
  };
  const settings = { tool_transport: 'prose', prompt_dialect: 'full', prompt_cache: false };
  const text = (n: number) => ({
    call: 2,
    frames: [{ type: 'text', text: `Piece ${n} of an answer of the usual length. `.repeat(sentences) }],
  });
  return [
    event('RunRequested', {
      task,
      provider: 'rehearsal',
      model: 'rehearsal-1',
      approval: 'auto-edit',
      mode: 'agent',
      workspace: '/home/someone/work',
      max_steps: 50,
      max_step_extensions: 3,
      reasoning: null,
      tags: [],
      tools: [],
      program: '0.1.0',
    }),
    event('RunBegun', {}),
    event('ModelAsked', { call: 1, ...asked, settings }),
    event('ModelFramesReceived', { call: 1, frames: [{ type: 'tool_call', call }] }),
    event('ModelAnswered', { call: 1, finish_reason: 'tool_calls', usage }),
    event('ToolStarted', { step_num: 1, call }),
    event('ToolFinished', {
      step_num: 1,
      call_id: call.id,
      tool_name: call.name,
      success: true,
      output: 'A readme of two lines.\nThis is the second.',
      files_modified: [],
      duration_ms: 3,
    }),
    event('ModelAsked', { call: 2, ...asked, settings }),
    ...Array.from({ length: chunks }, (_, n) => event('ModelFramesReceived', text(n + 1))),
    event('ModelAnswered', { call: 2, finish_reason: 'stop', usage }),
    event('RunCompleted', { summary: 'The build failed because a path was wrong; it is right now.' }),
  ];
}

function event(type: string, data: NewEvent['data']): NewEvent {
  return {
    id: systemIds.uuid(),
    type,
    schema: 1,
    at: systemClock.now(),
    actor: 'owner',
    correlation: null,
    causation: null,
    data,
  };
}
