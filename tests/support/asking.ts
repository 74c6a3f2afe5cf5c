/** Requests and answers in JSON. */
import type { TestDaemon } from './daemon.ts';

export type Asked = Pick<TestDaemon, 'request'>;

export interface Reply<Body> {
  readonly status: number;
  /** Undefined for an answer without one. */
  readonly body: Body;
}

/** The answer, whatever its status. */
export async function ask<Body>(
  daemon: Asked,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply<Body>> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const init = { method, headers: { 'content-type': 'application/json', ...headers }, ...sent };
  const response = await daemon.request(path, init);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
}

/** Sends a body, and answers what comes back. Throws for an answer with an error. */
export async function post<Body>(
  daemon: Asked,
  path: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Body> {
  const { status, body: answer } = await ask<Body>(daemon, 'POST', path, body, headers);
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}
