/** Many runs over three daemons of one log, which are killed meanwhile. */
import { expect } from 'vitest';
import { lines, runEvents, slowTool, startRun, untilEnded } from '../nodes/support.ts';
import { Nodes } from './nodes.ts';
import { expectWhole } from './support.ts';

/** The events that end a run. */
const ENDS = new Set(['RunCompleted', 'RunFailed', 'RunCancelled']);

export interface ManyRuns {
  readonly runs: number;
  readonly kills: number;
  /** The longest that a tool sleeps. */
  readonly secondsMax: number;
}

/** Every run ends once, no tool runs twice, the log is whole. */
export async function expectEachToEndOnce(url: string, { runs, kills, secondsMax }: ManyRuns): Promise<void> {
  const nodes = new Nodes(url);
  await nodes.start();
  const ids: string[] = [];
  let killed = 0;
  for (let n = 0; n < runs; n += 1) {
    ids.push(await startRun(nodes.at(n), slowTool(`run-${n}`, ((n % 4) / 3) * secondsMax)));
    if (killed >= kills || n % Math.floor(runs / kills) !== 1) continue;
    await nodes.kill(n + 1);
    killed += 1;
  }
  expect(killed).toBe(kills);
  for (const [n, id] of ids.entries()) {
    await untilEnded(nodes.at(n), id);
    const ends = (await runEvents(nodes.at(n), id)).filter(({ type }) => ENDS.has(type));
    expect(ends).toHaveLength(1);
    expect(lines(nodes.workspace, `run-${n}.txt`).filter((line) => line === 'began').length).toBeLessThanOrEqual(1);
  }
  await expectWhole(url, new Map());
}
