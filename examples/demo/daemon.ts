/** A real daemon process for the demo, and the requests of the demo to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createSseParser, type SseMessage } from '../../src/client/server-sent-events.ts';
import type { DemoFolders } from './support.ts';

/** The checkout's program, unless the variable names another one, such as that of an installed package. */
const PROGRAM = process.env.DAYBOOK_DEMO_PROGRAM ?? fileURLToPath(new URL('../../bin/daybook.js', import.meta.url));
const DEADLINE_MS = 30_000;

export interface DemoDaemon {
  readonly url: string;
  readonly pid: number;
  get<Value>(path: string): Promise<Value>;
  post<Value>(path: string, body: unknown): Promise<Value>;
  /** The events of a stream until it ends, breaks, or `isLast` is true. */
  stream(path: string, options?: StreamOptions): AsyncGenerator<SseMessage>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface StreamOptions {
  readonly lastEventId?: string | undefined;
  readonly isLast?: (event: SseMessage) => boolean;
}

/** Uses the scripted model even when keys are set, so that the demo is offline and the same everywhere. */
export async function startDaemon({ home, checkout }: DemoFolders): Promise<DemoDaemon> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--provider', 'rehearsal', '--leash'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DAYBOOK_HOME: home, DAYBOOK_STORAGE_OPS_PORT: 'off' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const { url, token } = await announced(child);
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    const response = await fetch(url + path, { ...init, headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const deadline = (): AbortSignal => AbortSignal.timeout(DEADLINE_MS);
  return {
    url,
    pid: child.pid!,
    get: async <Value>(path: string) => (await (await ask(path, { signal: deadline() })).json()) as Value,
    post: async <Value>(path: string, body: unknown) =>
      (await (await ask(path, { method: 'POST', body: JSON.stringify(body), signal: deadline() })).json()) as Value,
    async *stream(path, { lastEventId, isLast } = {}) {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const { body } = await ask(path, { headers, signal: deadline() });
      const parse = createSseParser();
      for await (const text of body!.pipeThrough(new TextDecoderStream())) {
        for (const event of parse(text)) {
          yield event;
          if (isLast?.(event) === true) return;
        }
      }
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      return (await ended)[0] as number | null;
    },
  };
}

/** The address and token that the daemon prints on standard error. */
async function announced(child: ChildProcess): Promise<{ readonly url: string; readonly token: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let printed = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (/^listening /m.test(printed)) resolve();
  });
  child.once('exit', () => reject(new Error(`The daemon did not start:\n${printed}`)));
  await promise;
  return { url: /^listening (\S+)$/m.exec(printed)![1]!, token: /^token (\S+)$/m.exec(printed)![1]! };
}

/** Reads a stream until it ends or breaks; keeps the received events in both cases. */
export function collect(events: AsyncGenerator<SseMessage>): {
  readonly seen: SseMessage[];
  readonly ended: Promise<void>;
} {
  const seen: SseMessage[] = [];
  const ended = (async () => {
    for await (const event of events) seen.push(event);
  })().catch(() => undefined);
  return { seen, ended };
}
