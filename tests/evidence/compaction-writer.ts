/**
 * The process that is killed while it compacts: `node compaction-writer.ts DIRECTORY BACKEND SHARE`. The first one
 * fills the store and erases every tenth event. Each erases one more event, then compacts and appends meanwhile, and
 * prints a line for each step:
 *
 *     erased <tree hash> <size>      the events that are there before the compaction
 *     compacting
 *     done <position> <leaf hash>    after an event is acknowledged as durable
 *     compacted
 *
 * It kills itself when SHARE of the compaction is done; with SHARE 1 the test kills it.
 */
import { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent, StreamAppend } from '../../src/storage/event-log.ts';
import { DISK_BACKENDS } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';

const FIRST_EVENTS = 4_000;
const ERASED_EACH = 10;
const BATCH = 500;
/** Words of no language. */
export const WORD = 'Zwirbelquanst';
const FILLER = 'ordinary text that stays '.repeat(160);

if (process.argv[1] === import.meta.filename) await main();

async function main(): Promise<void> {
  const [directory, name, share] = process.argv.slice(2) as [string, string, string];
  const backend = DISK_BACKENDS.find((each) => each === name)!;
  const { log, engine } = await openStorage({ directory, backend });
  if (log.head().position === 0) {
    for (let from = 1; from <= FIRST_EVENTS; from += BATCH) {
      await log.append([
        to(
          'kept',
          Array.from({ length: BATCH }, (_, at) => written(from + at)),
        ),
      ]);
    }
    const positions = Array.from({ length: FIRST_EVENTS / ERASED_EACH }, (_, at) => (at + 1) * ERASED_EACH);
    await log.erase(positions);
  }
  const appended = async (append: StreamAppend): Promise<RecordedEvent> => {
    const result = await log.append([append]);
    if (result.kind !== 'appended') throw new Error(result.kind);
    return result.events[0]!;
  };
  const { position: last } = await appended(to('erased', [event(2_000_000 + log.head().position, { text: WORD })]));
  await log.erase([last]);
  const { position, treeHash } = log.head();
  writeSync(1, `erased ${treeHash} ${position}\n`);
  writeSync(1, 'compacting\n');
  let isOver = false;
  const compacting = engine
    .compact((done, total) => {
      if (done < total && done >= total * Number(share)) process.kill(process.pid, 'SIGKILL');
    })
    .then(() => {
      isOver = true;
    });
  for (let number = position; !isOver; number += 1) {
    const { position: at, leafHash } = await appended(to('meanwhile', [event(1_000_000 + number)]));
    writeSync(1, `done ${at} ${leafHash}\n`);
    await nextTurn();
  }
  await compacting;
  writeSync(1, 'compacted\n');
  process.kill(process.pid, 'SIGKILL');
}

function written(number: number) {
  return event(number, { text: number % ERASED_EACH === 0 ? `${WORD} ${FILLER}` : FILLER });
}
