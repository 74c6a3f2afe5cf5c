/**
 * Fetches a diff over HTTP with Node's client, which follows no redirect, uses no proxy, decodes nothing and resolves
 * no name on its own.
 *
 * - Every hop is checked, and the connection uses the checked address.
 * - A redirect from https to http is refused. A diff over the limit is cut at a line.
 */
import type { IncomingMessage } from 'node:http';
import { ForgeError } from '../../ports/forge.ts';
import { type ForgeHosts, shown } from './hosts.ts';

export const DIFF_BYTES_MAX = 4 * 1024 * 1024;
const REDIRECTS_MAX = 5;
const FETCH_MS_MAX = 30_000;

export interface FetchedDiff {
  readonly text: string;
  readonly cut: boolean;
}

export async function fetchDiff(hosts: ForgeHosts, address: string, outer: AbortSignal): Promise<FetchedDiff> {
  const late = AbortSignal.timeout(FETCH_MS_MAX);
  const signal = AbortSignal.any([outer, late]);
  try {
    return await follow(hosts, hosts.admit(address), signal);
  } catch (error) {
    outer.throwIfAborted();
    if (error instanceof ForgeError) throw error;
    if (late.aborted) throw new ForgeError(`The diff did not arrive within ${FETCH_MS_MAX / 1000} seconds.`);
    throw new ForgeError(
      `The diff could not be fetched: ${(error as NodeJS.ErrnoException).code ?? 'the connection failed'}.`,
    );
  }
}

async function follow(hosts: ForgeHosts, first: URL, signal: AbortSignal): Promise<FetchedDiff> {
  let url = first;
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    const response = await get(hosts, url, signal);
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return read(response, url);
    response.destroy();
    const next = hosts.admit(location, url);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new ForgeError(`${shown(url)} redirects from https to http; that is not followed.`);
    }
    url = next;
  }
  throw new ForgeError(`The diff is behind more than ${REDIRECTS_MAX} redirects.`);
}

async function get(hosts: ForgeHosts, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const { address, family } = await hosts.resolve(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Not imported: an import of node:http loads Node's fetch (30 ms and 14 MB), and one of node:https loads TLS (5 ms).
  const client = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const request = client.request(url, {
    agent: false,
    signal,
    headers: { accept: 'text/plain, */*', 'accept-encoding': 'identity', 'user-agent': 'daybook' },
    lookup: (_name, options, done) => {
      if (options.all === true) done(null, [{ address, family }]);
      else done(null, address, family);
    },
  });
  request.once('response', resolve);
  request.once('error', reject);
  request.end();
  return promise;
}

async function read(response: IncomingMessage, url: URL): Promise<FetchedDiff> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new ForgeError(`${shown(url)} answered ${response.statusCode} instead of the diff.`);
  }
  if (!['', 'identity'].includes(response.headers['content-encoding'] ?? '')) {
    response.destroy();
    throw new ForgeError(`${shown(url)} sent the diff in an encoding that was not asked for.`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > DIFF_BYTES_MAX) break;
  }
  return textOf(Buffer.concat(chunks));
}

/** Decodes UTF-8; cuts at the last whole line within the limit. */
export function textOf(bytes: Buffer): FetchedDiff {
  if (bytes.length <= DIFF_BYTES_MAX) return { text: bytes.toString('utf8').toWellFormed(), cut: false };
  const end = bytes.lastIndexOf(10, DIFF_BYTES_MAX - 1);
  return {
    text: bytes
      .subarray(0, end > 0 ? end + 1 : DIFF_BYTES_MAX)
      .toString('utf8')
      .toWellFormed(),
    cut: true,
  };
}
