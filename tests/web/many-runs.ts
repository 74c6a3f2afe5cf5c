/** Writes the events of thousands of runs into the log of a home that no daemon serves yet. */
import { join } from 'node:path';
import { systemIds } from '../../src/integrations/system.ts';
import type { Json, NewEvent } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';

const RUNS_TOGETHER = 500;
const MINUTE_MS = 60_000;
const WORDS = ['Review', 'Describe', 'Test', 'Mend', 'Measure'];

export async function writeRuns(home: string, count: number): Promise<void> {
  const storage = await openStorage({ directory: join(home, 'data') });
  const begun = Date.now() - count * MINUTE_MS;
  for (let first = 0; first < count; first += RUNS_TOGETHER) {
    const runs = Array.from({ length: Math.min(RUNS_TOGETHER, count - first) }, (_, index) => first + index);
    await storage.log.append(
      runs.map((index) => ({
        stream: `run-${index.toString(16).padStart(32, '0')}`,
        expectedVersion: 'none',
        events: eventsOf(index, begun + index * MINUTE_MS),
      })),
    );
  }
  await storage.close();
}

function eventsOf(index: number, at: number): readonly NewEvent[] {
  const task = `${WORDS[index % WORDS.length]} part ${index}`;
  const failed = index % 7 === 0;
  return [
    ...begun({ task, provider: index % 3 === 0 ? 'openai' : 'anthropic' }, at),
    failed
      ? event('RunFailed', { at: at + 900, data: { message: 'The provider has no key.' } })
      : event('RunCompleted', { at: at + 4_000, data: { summary: `Part ${index} is done.` } }),
  ];
}

/** A run begins. */
export function begun(of: { readonly task: string; readonly provider: string }, at: number): readonly NewEvent[] {
  const request = {
    ...of,
    model: 'm-1',
    approval: 'suggest',
    mode: 'agent',
    workspace: '/work',
    max_steps: 50,
    max_step_extensions: 3,
    reasoning: null,
    tags: [],
    tools: [],
    program: '0.1.0',
    continuations_max: 3,
  };
  return [event('RunRequested', { at, schema: 2, data: request }), event('RunBegun', { at: at + 5, data: {} })];
}

export function event(
  type: string,
  of: { readonly at: number; readonly schema?: number; readonly data: Json },
): NewEvent {
  const { at, schema = 1, data } = of;
  return { id: systemIds.uuid(), type, schema, at, actor: 'owner', correlation: null, causation: null, data };
}
