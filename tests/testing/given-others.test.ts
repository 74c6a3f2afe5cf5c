/** Given, when, then for projections and reactors. */
import { expect, it } from 'vitest';
import { allBookmarks, bookmarks } from '../../examples/bookmarks/projection.ts';
import type { RunEvent } from '../../src/events/run/events.ts';
import { systemIds } from '../../src/integrations/system.ts';
import { createTools } from '../../src/integrations/tools/tools.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { tasks } from '../../src/projections/task.ts';
import { agentRun } from '../../src/reactors/run/agent-run.ts';
import { INPUTS, runRequest } from '../../src/testing/commands/run-inputs.ts';
import { givenProjection, givenReactor, scriptedModel, testClock } from '../../src/testing/testing.ts';

const added = { stream: 'bookmark-a', type: 'BookmarkAdded', data: { url: 'https://example.org', title: 'A' }, at: 7 };
const row = { id: 'a', url: 'https://example.org', title: 'A', added_at: 7 };

it('a projection folds events into rows, and queries read them', () => {
  const given = givenProjection(bookmarks, [added]);
  given.thenRows([row]);
  given.thenAnswer(allBookmarks, [row]);
  given.when([{ stream: 'bookmark-a', type: 'BookmarkDeleted', data: {} }]).thenRows([]);
});

it('rows that differ are told, and a table must be named where there are several', () => {
  expect(() => givenProjection(bookmarks, [added]).thenRows([{ ...row, title: 'B' }])).toThrow(
    'The rows of bookmarks differ:\n  [0].title: "A" instead of "B"',
  );
  expect(() => givenProjection(bookmarks, [added]).thenAnswer(allBookmarks, [])).toThrow('The answer of the query');
  expect(() => givenProjection(jobs).thenRows([])).toThrow(`Name one of the tables ${jobs.tables.join(', ')}.`);
  givenProjection(tasks).thenRows([], tasks.tables[0]);
});

const requested: RunEvent = { type: 'RunRequested', data: runRequest() };
const begun: RunEvent = { type: 'RunBegun', data: {} };

function reactor() {
  const clock = testClock();
  return agentRun({
    models: scriptedModel(['All done.']).connect(clock),
    tools: createTools({ home: '/nowhere', env: {} }),
    clock,
    timers: clock,
    ids: systemIds,
    random: () => 0,
    settings: () => INPUTS.settings,
    runsMax: 1,
    nodes: { takes: () => true, named: undefined },
    stallMs: 1_000,
  });
}

it('a reactor names the effect that is due, and performs it', async () => {
  givenReactor(reactor()).thenRests();
  givenReactor(reactor(), [requested]).thenEffect({ kind: 'begin' });
  expect(() => givenReactor(reactor(), [requested]).thenRests()).toThrow('The stream does not rest');
  expect(() => givenReactor(reactor(), [requested]).thenEffect({ kind: 'ask' })).toThrow(
    'kind: "begin" instead of "ask"',
  );
  const performed = await givenReactor(reactor(), [requested, begun]).whenPerformed();
  performed.thenTypes('ModelAsked', 'ModelFramesReceived', 'ModelAnswered', 'RunCompleted');
  expect(performed.commands.map(({ type }) => type)).toEqual(['StartModelCall', 'RecordFrames', 'RecordAnswer']);
  expect(() => performed.thenCommands([])).toThrow('The commands of the effect differ');
  await expect(givenReactor(reactor()).whenPerformed()).rejects.toThrow('The stream rests');
});
