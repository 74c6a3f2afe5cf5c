/**
 * A forge on loopback: diffs and redirects as documents, and a real bare repository over git's own HTTP protocols, the
 * smart one through `git http-backend` and the dumb one as plain files.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';

export interface ForgePage {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Takes the request and never answers. */
  readonly silent?: true;
}

export interface ForgeServer {
  readonly port: number;
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  page(path: string, page: ForgePage): void;
  /** A bare repository with a base and a changed head, served under /smart/<name>.git and /dumb/<name>.git. */
  repository(name: string): { readonly base: string; readonly head: string };
  close(): Promise<void>;
}

export async function startForge(): Promise<ForgeServer> {
  const root = temporaryFolder('forge');
  const pages = new Map<string, ForgePage>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://forge').pathname;
    asked.push(path);
    const page = pages.get(path);
    if (page !== undefined) return send(response, page);
    if (path.startsWith('/smart/')) return smart(root, request, response);
    if (path.startsWith('/dumb/')) return dumb(root, path, response);
    send(response, { status: 404, body: 'nothing here' });
  });
  const port = await listening(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    page: (path, page) => void pages.set(path, page),
    repository: (name) => makeRepository(root, name),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '', silent }: ForgePage): void {
  if (silent === true) return;
  response.writeHead(status, { 'content-type': 'text/plain', ...headers });
  response.end(body);
}

/** Base: one line. On the base branch one more commit that is not part of the change; the head changes and adds. */
function makeRepository(root: string, name: string): { base: string; head: string } {
  const work = join(root, `${name}-work`);
  mkdirSync(work);
  const git = (...args: string[]): string => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], {
      cwd: work,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  };
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(work, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'base');
  git('checkout', '--quiet', '-b', 'change');
  writeFileSync(join(work, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(work, 'new file.txt'), 'new\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'change');
  const head = git('rev-parse', 'HEAD');
  git('checkout', '--quiet', 'main');
  writeFileSync(join(work, 'unrelated.txt'), 'later\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'meanwhile');
  const base = git('rev-parse', 'HEAD');
  for (const kind of ['smart', 'dumb']) {
    const bare = join(root, kind, `${name}.git`);
    execFileSync('git', ['clone', '--quiet', '--bare', work, bare], { stdio: 'ignore' });
    execFileSync('git', ['-C', bare, 'update-server-info']);
  }
  return { base, head };
}

function dumb(root: string, path: string, response: ServerResponse): void {
  const file = join(root, decodeURIComponent(path));
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) send(response, { status: 404 });
  else send(response, { body: readFileSync(file), headers: { 'content-type': 'application/octet-stream' } });
}

/** `git http-backend` speaks CGI. */
function smart(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://forge');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.stdout.on('end', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const fields = Object.fromEntries(headers);
    send(response, {
      status: Number.parseInt(fields.Status ?? '200', 10),
      headers: fields,
      body: all.subarray(end + 4),
    });
  });
}
