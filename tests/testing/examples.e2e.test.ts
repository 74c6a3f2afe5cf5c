/**
 * The examples of docs/testing.md pass, and so do the three suites of examples/property-tests; each of these ends in a
 * shrunk counterexample with its planted bug.
 */
import { describe, expect, it } from 'vitest';
import { suite as decider } from '../../examples/property-tests/decider.ts';
import { suite as model } from '../../examples/property-tests/model.ts';
import { suite as stream } from '../../examples/property-tests/stream.ts';
import * as daemons from '../../examples/testing/daemon.ts';
import * as rules from '../../examples/testing/rules.ts';

/** What the suite throws; fails when it holds. */
async function failure(suite: () => void | Promise<void>): Promise<string> {
  try {
    await suite();
  } catch (error) {
    const { message, cause } = error as Error;
    return `${message}\n${(cause as Error | undefined)?.message}`;
  }
  return expect.fail('The suite holds although the bug is there.');
}

describe('the decider', () => {
  it('holds', () => decider({ bug: false }));

  it('with the bug: added, deleted and added again, and nothing more', async () => {
    const told = await failure(() => decider({ bug: true }));
    expect(told).toContain('bookmark-');
    expect(told).toContain('was added 2 times.');
    const [history] = JSON.parse(/^Counterexample: (.*)$/m.exec(told)![1]!) as { events: { type: string }[] }[];
    expect(history!.events.map(({ type }) => type)).toEqual(['BookmarkAdded', 'BookmarkDeleted', 'BookmarkAdded']);
  });
});

describe('the stream', () => {
  it('holds', () => stream({ bug: false }));

  it('with the bug: one cut is enough', async () => {
    const told = await failure(() => stream({ bug: true }));
    expect(told).toMatch(/^Counterexample: \[\[\d+\]\]$/m);
    expect(told).toContain('The ids of the transcript differ from the positions of the log');
  });
});

describe('the model', () => {
  it('holds', () => model({ bug: false, runs: 4 }));

  const STEPS =
    /part after [23] steps:\n {2}1\. Add .*\n {2}2\. Delete 0(?:\n {2}3\. (?:kill|restart)|, killed at change \d+ of the disk)\n/;

  it('with the bug: added, deleted, started again, and one line that replays it', async () => {
    const told = await failure(() => model({ bug: true, seed: 7 }));
    expect(told).toMatch(STEPS);
    expect(told).toContain('The list differs:');
    const replay = /DAYBOOK_REPLAY='(.*)'/.exec(told)![1]!;
    const again = await failure(() => model({ bug: true, replay }));
    expect(again).toMatch(STEPS);
    await model({ bug: false, replay });
  });
});

it.each(Object.entries({ ...daemons, ...rules }))('%s holds', async (_name, example) => {
  await example();
});
