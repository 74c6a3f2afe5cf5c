/** Checks an upgrade: this program on a home whose log an earlier release wrote. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const PROGRAM = resolve(import.meta.dirname, '../../bin/daybook.js');
const MS_MAX = 60_000;
/** Answers of an encrypted golden home, whose passphrase is not stored with it. */
const LOCKED = [
  'Memories are encrypted and locked; no passphrase was given.',
  'The key of the log is locked, as the memories of this home are.',
];
/** An evidence bundle needs a subject. */
const WITH_SUBJECT = new Set(['/v1/evidence.zip']);

/** The part of the OpenAPI document that this check reads. */
interface Paths {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Served {
  get(path: string): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * Makes a home from the golden folder, starts this program on it, and requests every GET route that needs no parameter,
 * every job and every replay. Throws with the failed requests; resolves with a summary.
 */
export async function upgradeFrom(golden: string, home: string): Promise<string> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = { PATH: process.env.PATH, HOME: home, DAYBOOK_HOME: join(home, 'home'), DAYBOOK_STORAGE_OPS_PORT: 'off' };
  const run = async (...words: string[]): Promise<void> =>
    void (await execute(process.execPath, [PROGRAM, ...words], { env, timeout: MS_MAX }));
  await run('storage', 'import', '--from', join(golden, 'events.jsonl'));
  await run('log', 'check-schema');
  const served = await serve({ ...env, DAYBOOK_RATE_AUTHENTICATED: '100000', DAYBOOK_RATE_PUBLIC: '100000' });
  try {
    const routes = await readRoutes(served);
    const jobs = await replayJobs(served);
    const head = JSON.parse(readFileSync(join(golden, 'head.json'), 'utf8')) as { position: number; tree_hash: string };
    await run('log', 'verify', '--views', '--trusted', `${head.position}:${head.tree_hash}`);
    return `${head.position} events, ${routes} routes answer, ${jobs} jobs replay, the log extends the golden head`;
  } finally {
    await served.stop();
  }
}

async function readRoutes(served: Served): Promise<number> {
  const { paths } = (await (await served.get('/openapi.json')).json()) as Paths;
  const readable = Object.entries(paths).filter(
    ([path, { get }]) => !path.includes('{') && !WITH_SUBJECT.has(path) && isPlainRead(get),
  );
  const refused: string[] = [];
  for (const [path] of readable) {
    const answer = await served.get(path);
    const text = await answer.text();
    const isLocked = answer.status === 503 && LOCKED.some((reason) => text.includes(reason));
    if (!answer.ok && !isLocked) refused.push(`GET ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
  }
  if (refused.length > 0) throw new Error(refused.join('\n'));
  return readable.length;
}

/** Whether the route can be requested without parameters and its answer ends: it is no stream. */
function isPlainRead(operation: Operation | undefined): boolean {
  const types = Object.keys(operation?.responses['200']?.content ?? {});
  const needsParameter = operation?.parameters?.some(({ required }) => required === true) ?? false;
  return types.length > 0 && !types.includes('text/event-stream') && !needsParameter;
}

async function replayJobs(served: Served): Promise<number> {
  const jobs = (await (await served.get('/jobs')).json()) as readonly { readonly session_id: string }[];
  for (const { session_id: id } of jobs) {
    const job = await served.get(`/jobs/${id}`);
    const replay = await served.get(`/jobs/${id}/replay`);
    const result = await replay.text();
    if (!job.ok || !replay.ok || !result.includes('"identical":true'))
      throw new Error(`Job ${id} does not replay: ${result}`);
  }
  return jobs.length;
}

async function serve(env: NodeJS.ProcessEnv): Promise<Served> {
  const words = [PROGRAM, 'serve', '--port', '0', '--provider', 'rehearsal'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let stderr = '';
  child.stderr.setEncoding('utf8');
  for await (const text of child.stderr.iterator({ destroyOnReturn: false })) {
    stderr += text;
    if (/^listening \S+$/m.test(stderr)) break;
  }
  const [, url] = /^listening (\S+)$/m.exec(stderr) ?? [];
  if (url === undefined) throw new Error(`The daemon did not start: ${stderr}`);
  child.stderr.resume();
  const authorization = `Bearer ${/^token (\S+)$/m.exec(stderr)?.[1]}`;
  return {
    get: (path) => fetch(url + path, { headers: { authorization }, signal: AbortSignal.timeout(MS_MAX) }),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
