/** Runs of daemons that are killed or paused, on a real database. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import {
  byExecuting,
  json,
  lines,
  nodeDaemon,
  nodeHere,
  runEvents,
  slowTool,
  startRun,
  untilEnded,
} from './support.ts';

const TAKEOVER_MS_MAX = 5_000;

withPostgres('a run', (cluster) => {
  it('is left to its daemon by that of a copy of the home', async () => {
    const [url, workspace] = [await cluster().newLog(), temporaryFolder('workspace')];
    const a = await nodeHere({ url, workspace });
    const id = await startRun(a, 'Work.\nrehearse: bash echo began >> one.txt; until [ -e go ]; do sleep 0.05; done');
    await until(() => lines(workspace, 'one.txt').length === 1, 'the tool began');
    const home = temporaryFolder('home');
    copyFileSync(join(a.home, 'node.json'), join(home, 'node.json'));
    const b = await nodeHere({ url, workspace, home });
    writeFileSync(join(workspace, 'go'), '');
    expect(await untilEnded(b, id)).toBe('complete');
    expect((await runEvents(b, id)).filter(({ type }) => type === 'ToolInterrupted')).toEqual([]);
  });

  it('of a daemon that is killed is taken over within 5 s; its tool is reported as interrupted and not run again', async () => {
    const [url, workspace] = [await cluster().newLog(), temporaryFolder('workspace')];
    const both = await Promise.all([nodeDaemon({ url, workspace }), nodeDaemon({ url, workspace })]);
    const id = await startRun(both[0], slowTool('one', 60));
    await until(() => lines(workspace, 'one.txt').length === 1, 'the tool began');
    const [a, b] = await byExecuting(both, id);
    const killedAt = Date.now();
    await a.kill('SIGKILL');
    expect(await untilEnded(b, id)).toBe('complete');
    const events = await runEvents(b, id);
    const interrupted = events.filter(({ type }) => type === 'ToolInterrupted');
    expect(interrupted).toHaveLength(1);
    expect(interrupted[0]!.at - killedAt).toBeLessThanOrEqual(TAKEOVER_MS_MAX);
    expect(JSON.stringify(interrupted[0]!.data)).toContain('the daemon that ran it stopped answering');
    expect(events.filter(({ type }) => type === 'ToolStarted')).toHaveLength(1);
    expect(lines(workspace, 'one.txt')).toEqual(['began']);
    // The view of the run says in the end who executed it last; its events say who did before.
    const { nodes } = await json<{ nodes: { id: string; name: string }[] }>(b, '/v1/nodes');
    const { node } = await json<{ node: object }>(b, `/jobs/${id}`);
    expect(node).toEqual({ id: nodes[0]!.id, name: nodes[0]!.name });
    const begun = events.find(({ type }) => type === 'RunBegun')!;
    expect((begun.data as { node: { id: string } }).node.id).not.toBe(nodes[0]!.id);
  });

  it('of a daemon that is paused has one outcome; when that wakes it stops its tool and appends nothing', async () => {
    const [url, workspace] = [await cluster().newLog(), temporaryFolder('workspace')];
    const both = await Promise.all([nodeDaemon({ url, workspace }), nodeDaemon({ url, workspace })]);
    const tool =
      'Work.\nrehearse: bash echo began >> one.txt; for i in $(seq 600); do sleep 0.1; echo on >> steps.txt; done';
    const id = await startRun(both[0], tool);
    await until(() => lines(workspace, 'one.txt').length === 1, 'the tool began');
    const [a, b] = await byExecuting(both, id);
    process.kill(a.pid, 'SIGSTOP');
    expect(await untilEnded(b, id)).toBe('complete');
    const ended = (await runEvents(b, id)).length;
    process.kill(a.pid, 'SIGCONT');
    // The paused daemon answers again, with what the other has recorded.
    expect(await untilEnded(a, id)).toBe('complete');
    await until(async () => {
      const before = lines(workspace, 'steps.txt').length;
      await sleep(300);
      return lines(workspace, 'steps.txt').length === before;
    }, 'the tool of the paused daemon ended');
    const events = await runEvents(a, id);
    expect(events).toHaveLength(ended);
    const outcomes = events.filter(({ type }) => type === 'ToolFinished' || type === 'ToolInterrupted');
    expect(outcomes.map(({ type }) => type)).toEqual(['ToolInterrupted']);
    expect(a.stderr()).not.toContain('Internal error');
  });
});
