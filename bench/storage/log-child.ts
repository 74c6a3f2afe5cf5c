/** One step of the event log's benchmark, as a separate process: `node log-child.ts PLAN`. Prints one line of JSON. */
import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { openStorage } from '../../src/storage/open.ts';
import { openEventTable } from './event-table.ts';
import { EVENT_BYTES, eventOf, streamName } from './events.ts';
import { workOnLog, workOnTable } from './log-work.ts';
import type { LogPlan, LogResult, ReopenResult } from './plan.ts';
import { diskBytes, peakBytes } from './system.ts';

const REOPENS = 3;
const CRASH_APPENDS = 200;
const CRASH_EVENTS = 500;

const plan = JSON.parse(process.argv[2] ?? '') as LogPlan;
const { backend, directory } = plan;

switch (plan.step) {
  case 'work':
    answer(await work());
    break;
  case 'reopen':
    answer(await reopen());
    break;
  case 'crash':
    await crash();
    break;
}

function answer(result: unknown): void {
  writeSync(1, `${JSON.stringify(result)}\n`);
}

async function work(): Promise<LogResult> {
  let measures: LogResult['measures'];
  let events: number;
  if (backend === 'sqlite-table') {
    const table = openEventTable(directory);
    ({ measures, events } = await workOnTable(plan, table));
    table.close();
  } else {
    const storage = await openStorage({ directory, backend });
    ({ measures, events } = await workOnLog(plan, storage.log));
    await storage.close();
  }
  const peak = peakBytes();
  return { measures, eventBytes: EVENT_BYTES, events, peakBytes: peak, diskBytes: diskBytes(directory) };
}

/** Opens and reads the newest event, several times. */
async function reopen(): Promise<ReopenResult> {
  const openMs: number[] = [];
  for (let done = 0; done < REOPENS; done += 1) {
    const began = performance.now();
    const { log, close } = await openStorage({ directory });
    if (log.at(log.head().position) === undefined) throw new Error(`${backend} lost its newest event.`);
    openMs.push(performance.now() - began);
    await close();
  }
  return { openMs };
}

/** Appends many events and dies as a killed process does. */
async function crash(): Promise<void> {
  const { log } = await openStorage({ directory });
  for (let append = 0; append < CRASH_APPENDS; append += 1) {
    const events = Array.from({ length: CRASH_EVENTS }, (_, at) => eventOf(at));
    await log.append([{ stream: streamName(append), expectedVersion: 'any', events }]);
  }
  answer({ events: CRASH_APPENDS * CRASH_EVENTS });
  process.kill(process.pid, 'SIGKILL');
}
