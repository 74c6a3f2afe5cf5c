/**
 * A daemon that is paused in the middle of a tool call (for 30 s in the long variant): another one takes the run over,
 * there is one outcome, and the paused one does nothing more when it wakes.
 */
import { readdirSync, readFileSync, readlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { byExecuting, lines, type NodeDaemon, nodeDaemon, runEvents, startRun, untilEnded } from '../nodes/support.ts';
import { IS_LONG } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const PAUSE_MS = IS_LONG ? 30_000 : 2_500;
const ENV = IS_LONG ? {} : { DAYBOOK_LEASE_SECONDS: '1' };
const TIMEOUT_MS = 180_000;
const STEP_MS = 500;
/** So long nothing may be written for a process to count as ended. */
const QUIET_MS = 3 * STEP_MS;
const OUTCOMES = new Set(['ToolFinished', 'ToolInterrupted']);
/** A write of so much takes long enough to be met in its middle. */
const CONTENT = 'x'.repeat(900_000);

/** The tool, a child of it in the same session, and one that has left its session: each writes a line each half second. */
const FILES = ['tool.txt', 'child.txt', 'detached.txt'] as const;
const loop = (file: string): string => `while true; do echo on >> ${file}; sleep 0.5; done`;
const TOOL = `Work.\nrehearse: bash (${loop('child.txt')}) & setsid sh -c '${loop('detached.txt')}' & ${loop('tool.txt')}`;

async function pair(url: string): Promise<{ workspace: string; both: readonly [NodeDaemon, NodeDaemon] }> {
  const workspace = temporaryFolder('workspace');
  const [first, second] = [0, 1].map(() => nodeDaemon({ url, workspace, env: ENV }));
  return { workspace, both: [await first!, await second!] };
}

/** What a run has recorded of its tools' ends. */
async function outcomesOf(daemon: NodeDaemon, id: string): Promise<readonly string[]> {
  return (await runEvents(daemon, id)).map(({ type }) => type).filter((type) => OUTCOMES.has(type));
}

withPostgres('a daemon that is paused in the middle of a tool', (cluster) => {
  // Without the long pause: tests/nodes/takeover.release.test.ts.
  test.runIf(IS_LONG)(
    'has one outcome; after it wakes its tool ends with all of its processes, and it records nothing',
    async () => {
      const { workspace, both } = await pair(await cluster().newLog());
      const counts = (): readonly number[] => FILES.map((file) => lines(workspace, file).length);
      const id = await startRun(both[0], TOOL);
      await until(() => counts().every((count) => count > 0), 'all processes of the tool write');
      const [paused, other] = await byExecuting(both, id);
      process.kill(paused.pid, 'SIGSTOP');
      const woken = sleep(PAUSE_MS);
      expect(await untilEnded(other, id)).toBe('complete');
      await woken;
      const recorded = await runEvents(other, id);
      process.kill(paused.pid, 'SIGCONT');
      expect(await untilEnded(paused, id)).toBe('complete');
      await until(async () => {
        const before = counts();
        await sleep(QUIET_MS);
        return String(counts()) === String(before);
      }, 'all processes of the tool ended');
      expect(await runEvents(paused, id)).toEqual(recorded);
      expect(await runEvents(other, id)).toEqual(recorded);
      expect(await outcomesOf(other, id)).toEqual(['ToolInterrupted']);
      expect(paused.stderr()).not.toContain('Internal error');
    },
    TIMEOUT_MS,
  );

  test(
    'while it writes a file: it does not replace the file after another daemon has taken over',
    async () => {
      const { workspace, both } = await pair(await cluster().newLog());
      const { id, paused, other, file } = await pausedInWrite(workspace, both);
      const woken = sleep(PAUSE_MS);
      expect(await untilEnded(other, id)).toBe('complete');
      await woken;
      const recorded = await runEvents(other, id);
      // Whatever the other daemon made of it: a person has changed the file since.
      writeFileSync(join(workspace, file), 'Changed by a person.');
      process.kill(paused.pid, 'SIGCONT');
      expect(await untilEnded(paused, id)).toBe('complete');
      await until(() => temporaries(workspace).length === 0, 'the temporary file is gone');
      expect(readFileSync(join(workspace, file), 'utf8')).toBe('Changed by a person.');
      expect(await runEvents(paused, id)).toEqual(recorded);
      const ends = (await outcomesOf(other, id)).filter((type) => type === 'ToolFinished');
      expect(ends.length).toBeLessThanOrEqual(1);
    },
    TIMEOUT_MS,
  );
});

function temporaries(workspace: string): readonly string[] {
  return readdirSync(workspace).filter((name) => name.startsWith('.daybook-') && name.endsWith('.tmp'));
}

/** Starts runs that write a file until the daemon was met between the new content and the rename. */
async function pausedInWrite(workspace: string, both: readonly [NodeDaemon, NodeDaemon]) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const file = `note-${attempt}.txt`;
    writeFileSync(join(workspace, file), 'As it was.');
    let id = '';
    const watching = new AbortController();
    const pausing = new Promise<void>((stopped) => {
      watch(workspace, { signal: watching.signal }, (_, name) => {
        // A daemon that is stopped before it has answered the request does not answer it.
        if (id === '' || name?.startsWith('.daybook-') !== true) return;
        watching.abort();
        for (const { pid } of both) process.kill(pid, 'SIGSTOP');
        stopped();
      });
    });
    id = await startRun(both[0], `Work.\nrehearse: write ${file} ${CONTENT}`);
    // On a busy machine a run may be taken over before it writes, and end.
    await Promise.race([pausing, untilEnded(both[0], id).catch(() => undefined)]);
    watching.abort();
    const paused = both.find((daemon) => isWriting(daemon, workspace));
    const other = both.find((daemon) => daemon !== paused)!;
    process.kill(other.pid, 'SIGCONT');
    if (paused !== undefined) return { id, paused, other, file };
    for (const { pid } of both) process.kill(pid, 'SIGCONT');
    await untilEnded(other, id);
  }
  throw new Error('No daemon was met in the middle of a write.');
}

/** Whether a daemon has a temporary file open, which it is going to rename. */
function isWriting({ pid }: NodeDaemon, workspace: string): boolean {
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  return open.some((path) => path.startsWith(join(workspace, '.daybook-')));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
