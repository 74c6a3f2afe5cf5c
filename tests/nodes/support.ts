/** Daemons on one log in a database. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Envelope } from '../../src/events/envelope.ts';
import {
  type ChildDaemon,
  childDaemon,
  type KillableDaemon,
  killableDaemon,
  type TestDaemonOptions,
} from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';

/** A daemon of this process. */
export interface NodeHere extends KillableDaemon {
  readonly workspace: string;
}

/** A daemon in a process of its own. */
export interface NodeDaemon extends NodeHere, ChildDaemon {}

export interface NodeOptions {
  readonly url: string;
  readonly workspace?: string;
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The entry point of another build of the program. */
  readonly program?: string;
}

/** A daemon of this process, which the test does not kill; it stops when the test ends. */
export function nodeHere(options: NodeOptions): Promise<NodeHere> {
  return serving(options, killableDaemon, 'SIGTERM');
}

/** A daemon in a process of its own: killed, it has no chance to give back its leases. It is killed when the test ends. */
export function nodeDaemon(options: NodeOptions): Promise<NodeDaemon> {
  return serving(options, childDaemon, 'SIGKILL');
}

async function serving<Daemon extends KillableDaemon>(
  { url, workspace, home, env, program }: NodeOptions,
  start: (options: TestDaemonOptions) => Promise<Daemon>,
  end: NodeJS.Signals,
): Promise<Daemon & NodeHere> {
  const folder = workspace ?? temporaryFolder('workspace');
  const daemon = await start({
    workspace: folder,
    ...(home !== undefined && { home }),
    ...(program !== undefined && { program }),
    env: { DAYBOOK_LOG: url, DAYBOOK_WORKSPACE: folder, ...env },
  });
  onTestFinished(() => void daemon.kill(end));
  const isServing = async (): Promise<boolean> => {
    const answer = await daemon.request('/v1/nodes').catch(() => null);
    return answer !== null && ((await answer.json()) as { nodes: { alive: boolean }[] }).nodes[0]!.alive;
  };
  await until(isServing, `the start of ${daemon.url}: ${daemon.stderr()}`);
  return { ...daemon, workspace: folder };
}

export async function json<Answer>(daemon: KillableDaemon, path: string, init?: RequestInit): Promise<Answer> {
  const response = await daemon.request(path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

export async function post<Answer>(daemon: KillableDaemon, path: string, body: unknown): Promise<Answer> {
  return json(daemon, path, { method: 'POST', body: JSON.stringify(body) });
}

/** A tool that writes down that it began and that it ended; between the two it sleeps. */
export function slowTool(mark: string, seconds: number): string {
  return `Work.\nrehearse: bash echo began >> ${mark}.txt; sleep ${seconds}; echo ended >> ${mark}.txt`;
}

export async function startRun(daemon: KillableDaemon, task: string, more: object = {}): Promise<string> {
  const body = { task, approval: 'full-auto', ...more };
  return (await post<{ session_id: string }>(daemon, '/agent', body)).session_id;
}

export async function untilEnded(daemon: KillableDaemon, id: string): Promise<string> {
  let status = '';
  const isOver = async (): Promise<boolean> => {
    const answer = await daemon.request(`/jobs/${id}`);
    if (!answer.ok) return false;
    status = ((await answer.json()) as { status: string }).status;
    return !['queued', 'running'].includes(status);
  };
  await until(isOver, `the end of run ${id}`).catch(async (error: Error) => {
    const types = (await runEvents(daemon, id)).map(({ type }) => type).join(' ');
    throw new Error(
      `${error.message}\n${types}\n${await (await daemon.request('/v1/nodes')).text()}\n${daemon.stderr()}`,
    );
  });
  return status;
}

export function lines(folder: string, file: string): readonly string[] {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** All events of a run, by position. */
export async function runEvents(daemon: KillableDaemon, id: string): Promise<readonly Envelope[]> {
  const { events } = await json<{ events: Envelope[] }>(daemon, `/v1/events?stream=run-${id}&limit=5000`);
  return events;
}

export async function positionOf(daemon: KillableDaemon): Promise<number> {
  const { log } = await json<{ log: { position: number } }>(daemon, '/health');
  return log.position;
}

/** The daemon that executes the run, and the other one. */
export async function byExecuting<Daemon extends NodeHere>(
  [first, second]: readonly [Daemon, Daemon],
  id: string,
): Promise<readonly [Daemon, Daemon]> {
  const { node } = await json<{ node: { id: string } | null }>(first, `/jobs/${id}`);
  const { nodes } = await json<{ nodes: { id: string }[] }>(first, '/v1/nodes');
  return node?.id === nodes[0]!.id ? [first, second] : [second, first];
}
