/** Verifies the bundle once for each requested change. Started by run.ts. */
import { readFileSync } from 'node:fs';
import { READER_VKEY } from './bundle.ts';
import { Changes, type Pass } from './changes.ts';

export interface Task {
  readonly pass: Pass;
  /** Numbers of changes, the last one not included. */
  readonly from: number;
  readonly to: number;
}

export interface Done extends Task {
  /** Where a change was not detected. */
  readonly missed: readonly string[];
  /** How many changes were named with each code. */
  readonly named: Readonly<Record<string, number>>;
}

/** Verified at once: a signature is checked on another thread. */
const LANES = 4;
/** Of the changes of content, each of these is also verified with nothing kept. */
const ANEW_EACH = 500;

const changes = new Changes(readFileSync(process.argv[2]!), READER_VKEY);

process.on('message', (task: Task) => void perform(task).then((done) => process.send!(done)));

async function perform(task: Task): Promise<Done> {
  const missed: string[] = [];
  const named: Record<string, number> = {};
  let next = task.from;
  const work = async (): Promise<void> => {
    for (let number = next++; number < task.to; number = next++) {
      const { where, report } = await changes.at(task.pass, number);
      if (task.pass === 'content' && number % ANEW_EACH === 0) {
        const whole = JSON.stringify(await changes.anew(number));
        if (whole !== JSON.stringify(report)) throw new Error(`${where}: without what is kept it says ${whole}.`);
      }
      if (report.ok) missed.push(where);
      else named[report.fault.code] = (named[report.fault.code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return { ...task, missed, named };
}
