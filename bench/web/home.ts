/**
 * The home for the measurements of the console: runs, engagements and a million events, written through the storage and
 * folded once by a daemon. It is kept in a folder and copied for each measurement, which changes it.
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress, type Progress } from '../../src/cli/progress.ts';
import { engagementId } from '../../src/commands/engagement/commands.ts';
import { engagement } from '../../src/commands/engagement/decide.ts';
import { Refusal } from '../../src/commands/refusal.ts';
import { systemIds } from '../../src/integrations/system.ts';
import type { NewEvent, StreamAppend } from '../../src/storage/event-log.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { whenFolded } from '../support/common.ts';
import { EVENTS_WITHOUT_CHUNKS, runEvents } from '../support/homes.ts';
import { startDaemon, temporaryFolder } from '../support/processes.ts';

export interface Sizes {
  readonly runs: number;
  readonly engagements: number;
  readonly events: number;
}

const COMPLETE = 'complete';
const APPEND_EVENTS = 5_000;
/** One for each row of the template, and some spare ones. */
const TEMPLATE_IDS = 200;
const MINUTE_MS = 60_000;
const TASKS = ['Review the import of', 'Describe', 'Test', 'Mend the build of', 'Measure'];

/** A copy of the home, which the caller removes. `kept` is the folder of homes; null: the system's temporary folder. */
export async function copiedHome(sizes: Sizes, kept: string | null): Promise<string> {
  const source = await keptHome(sizes, kept ?? tmpdir());
  const copy = temporaryFolder('web');
  cpSync(source, copy, { recursive: true });
  return copy;
}

async function keptHome(sizes: Sizes, folder: string): Promise<string> {
  const home = join(folder, `daybook-bench-web-${sizes.runs}-${sizes.engagements}-${sizes.events}`);
  if (existsSync(join(home, COMPLETE))) return home;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  await write(home, sizes);
  const daemon = await startDaemon(home);
  await whenFolded(daemon);
  await daemon.stop();
  writeFileSync(join(home, COMPLETE), '');
  return home;
}

async function write(home: string, { runs, engagements, events }: Sizes): Promise<void> {
  const storage = await openStorage({ directory: join(home, 'data') });
  const progress = createProgress('The home');
  try {
    const append = batched(storage, progress, events);
    const begun = Date.now() - runs * MINUTE_MS;
    for (let index = 0; index < engagements; index += 1) await append(engagementAppend(index, begun));
    for (let index = 0; index < runs; index += 1) {
      const left = events - storage.log.head().position - append.waiting();
      const chunks = Math.max(1, Math.round(left / (runs - index)) - EVENTS_WITHOUT_CHUNKS);
      const task = `${TASKS[index % TASKS.length]} part ${index} of the ledger`;
      const at = begun + index * MINUTE_MS;
      await append({
        stream: `run-${systemIds.hex(16)}`,
        expectedVersion: 'none',
        events: runEvents({ chunks, sentences: 1, task, at }),
      });
    }
    await append.flush();
  } finally {
    progress.end();
    await storage.close();
  }
}

interface Batched {
  (one: StreamAppend): Promise<void>;
  /** Events that are not yet appended. */
  waiting(): number;
  flush(): Promise<void>;
}

function batched({ log }: Storage, progress: Progress, total: number): Batched {
  let batch: StreamAppend[] = [];
  let waiting = 0;
  const flush = async (): Promise<void> => {
    await log.append(batch);
    batch = [];
    waiting = 0;
    progress.at(Math.min(total, log.head().position), total);
  };
  const add = async (one: StreamAppend): Promise<void> => {
    batch.push(one);
    waiting += one.events.length;
    if (waiting >= APPEND_EVENTS) await flush();
  };
  return Object.assign(add, { waiting: () => waiting, flush });
}

/** An engagement as the daemon opens it; every fourth has advanced by a phase. */
function engagementAppend(index: number, at: number): StreamAppend {
  const id = engagementId(systemIds.hex(16));
  const uuid = (): string => engagementId(systemIds.hex(16));
  const context = { id, now: at };
  const opened = engagement.decide(
    {
      type: 'OpenEngagement',
      name: `Migration ${index}`,
      client: `Client ${index % 40}`,
      summary: 'The ledger moves.',
      workspace_path: null,
      ids: Array.from({ length: TEMPLATE_IDS }, uuid),
      reason: '',
    },
    engagement.initial,
    context,
  );
  if (opened instanceof Refusal) throw opened;
  let state = engagement.initial;
  for (const event of opened) state = engagement.evolve(state, { ...event, at, actor: 'owner' });
  const moved =
    index % 4 === 0
      ? engagement.decide({ type: 'AdvancePhase', move_id: uuid(), force: true, reason: '' }, state, context)
      : [];
  if (moved instanceof Refusal) throw moved;
  const events = [...opened, ...moved].map(
    ({ type, data }): NewEvent => ({
      id: systemIds.uuid(),
      type,
      schema: engagement.events[type].version,
      at,
      actor: 'owner',
      correlation: null,
      causation: null,
      data,
    }),
  );
  return { stream: `engagement-${id}`, expectedVersion: 'none', events };
}
