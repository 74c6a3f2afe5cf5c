/** A daemon that copies a long log for the first time: it listens and reports its progress, then it serves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Health } from '../../src/client/generated/types.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { event } from '../../src/testing/event-log-contract/case.ts';
import { childDaemon } from '../support/daemon.ts';
import { freePort } from '../support/ports.ts';
import { withPostgres } from '../support/postgres.ts';

const EVENTS = 30_000;
const EVENTS_OF_AN_APPEND = 6_000;
/** Milliseconds for which the line holds each answer of the database: the copy takes a while. */
const SLOW = { toMs: 0, fromMs: 50, loss: 0 };

async function fill(url: string): Promise<void> {
  const { log, close } = await openPostgresStorage({ url, directory: '', ephemeral: true });
  for (let at = 0; at < EVENTS; at += EVENTS_OF_AN_APPEND) {
    const events = Array.from({ length: EVENTS_OF_AN_APPEND }, (_, n) => event(at + n));
    await log.append([{ stream: `note-${at}`, expectedVersion: 'none', events }]);
  }
  await close();
}

/** The port of a slow line to a database. */
async function slowLine(port: string): Promise<string> {
  const program = resolve('tests/postgres-failures/slow-proxy.ts');
  const proxy: ChildProcess = spawn(process.execPath, [program, '127.0.0.1', port], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void proxy.kill());
  const [printed] = (await once(proxy.stdout!, 'data')) as [Buffer];
  proxy.stdin!.write(`${JSON.stringify(SLOW)}\n`);
  return printed.toString().trim();
}

withPostgres('the first copy of a long log', (cluster) => {
  it('is told by /health, /ready and every other route, until the daemon answers at the same address', async () => {
    const url = await cluster().newLog();
    await fill(url);
    const slow = url.replace(`:${cluster().port}/`, `:${await slowLine(String(cluster().port))}/`);
    const [port, operations] = [await freePort(), await freePort()];
    const starting = childDaemon({
      flags: { port: String(port) },
      env: { DAYBOOK_LOG: slow, DAYBOOK_STORAGE_OPS_PORT: String(operations) },
    });
    const at = (path: string, of = port) => fetch(`http://127.0.0.1:${of}${path}`).catch(() => null);
    const positions: number[] = [];
    const sentences = new Set<string>();
    for (let seen = null as Health | null; seen?.status !== 'ok'; ) {
      const answer = await at('/health');
      seen = answer === null ? null : ((await answer.json()) as Health);
      if (seen?.status !== 'starting') continue;
      positions.push(seen.log.position);
      const [tasks, ready] = [await at('/api/tasks'), await at('/ready', operations)];
      for (const refused of [tasks, ready]) {
        if (refused?.status !== 503) continue;
        sentences.add(((await refused.json()) as { error: string }).error.replaceAll(/\d+/g, 'N'));
      }
      if (tasks?.status === 503) expect(Number(tasks.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const daemon = await starting;
    onTestFinished(() => void daemon.kill('SIGKILL'));
    expect(daemon.url).toBe(`http://127.0.0.1:${port}`);
    expect(daemon.stderr()).toContain('The daemon copies the log from its database: it has');
    expect([...sentences]).toContain('The daemon copies the log from its database: it has N of N events.');
    expect(positions.length).toBeGreaterThan(1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect((await daemon.request('/api/tasks')).status).toBe(200);
    expect((await at('/ready', operations))?.status).toBe(200);
  });
});
