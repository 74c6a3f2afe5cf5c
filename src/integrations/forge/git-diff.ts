/**
 * Takes a diff from a clone made with git, without the user's configuration, credentials and hooks, over http only,
 * without redirects, submodules and work tree.
 *
 * - git connects to the checked address and does not resolve the name again.
 * - The bare repository is in Daybook's home and is removed afterwards; those of a killed process are removed first.
 */
import { basename } from 'node:path';
import type { ForgeRequest } from '../../events/webhook.ts';
import type { ScratchFolders } from '../../lib/scratch-folders.ts';
import { ForgeError } from '../../ports/forge.ts';
import { type ConfigurationEntry, configurationVariables } from '../git/safe-configuration.ts';
import { callMarker } from '../tools/marker.ts';
import { type ProcessEnd, runProcess, scrubbedEnvironment } from '../tools/process.ts';
import { type ForgeHosts, portOf } from './hosts.ts';
import { DIFF_BYTES_MAX, type FetchedDiff, textOf } from './http-diff.ts';

export interface CloneSettings {
  /** DAYBOOK_HOME. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

interface CloneRequest {
  readonly request: ForgeRequest;
  readonly settings: CloneSettings;
  /** For the repositories. */
  readonly folders: ScratchFolders;
}

const FETCH_SECONDS_MAX = 120;
const DIFF_SECONDS_MAX = 30;
/** Limit of a file that git writes; a larger pack fails the fetch. */
const PACK_MEBIBYTES_MAX = 512;
const MESSAGE_CHARACTERS_MAX = 300;
const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export async function cloneDiff(
  hosts: ForgeHosts,
  { request, settings, folders }: CloneRequest,
  signal: AbortSignal,
): Promise<FetchedDiff> {
  if (request.clone_url === null) throw new ForgeError('The delivery has no clone URL.');
  const url = hosts.admit(request.clone_url);
  const { base, head } = request;
  if (!SHA.test(base.sha) || !SHA.test(head.sha))
    throw new ForgeError('The commits of the delivery have no valid names.');
  const { address, family } = await hosts.resolve(url);
  const place = family === 6 ? `[${address}]` : address;
  return folders.use(async (directory) => {
    const git = gitIn(directory, settings, { resolved: `${url.hostname}:${portOf(url)}:${place}`, signal });
    await expectSuccess(git(['init', '--quiet', '--bare', '--template=', '.'], DIFF_SECONDS_MAX), 'make a repository');
    await fetchCommits(git, url, request);
    const range = `${base.sha}...${head.sha}`;
    const end = await git(['diff', '--no-color', '--no-ext-diff', '--no-textconv', range, '--'], DIFF_SECONDS_MAX);
    if (end.kind !== 'printed_too_much') await expectSuccess(end, 'compare the commits');
    return textOf(Buffer.from(end.stdout.head));
  });
}

type Git = (args: readonly string[], seconds: number) => Promise<ProcessEnd>;

/** Fetches the two commits by name where the server allows it, else all branches and the pull request's refs. */
async function fetchCommits(git: Git, url: URL, { base, head, number }: ForgeRequest): Promise<void> {
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-gc', '--', url.href];
  const exact = await git([...fetch, base.sha, head.sha], FETCH_SECONDS_MAX);
  if (exact.kind === 'exited' && exact.code === 0) return;
  const refs = ['+refs/heads/*:refs/fetched/heads/*', `+refs/pull/${number}/*:refs/fetched/pull/*`];
  await expectSuccess(git([...fetch, ...refs], FETCH_SECONDS_MAX), 'fetch the repository');
}

function gitIn(
  directory: string,
  { home, env }: CloneSettings,
  { resolved, signal }: { readonly resolved: string; readonly signal: AbortSignal },
): Git {
  const variables = configurationVariables([...CONFIGURATION, ['http.curloptResolve', resolved]]);
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = scrubbedEnvironment(env);
  const blocks = PACK_MEBIBYTES_MAX * 2_048;
  return (args, seconds) =>
    runProcess(
      {
        command: ['/bin/sh', '-c', `ulimit -f ${blocks}; exec git "$@"`, 'git', ...args],
        cwd: directory,
        env: { ...FIXED, PATH, HOME: directory, GIT_DIR: directory, ...variables },
        marker: callMarker(home, basename(directory)),
        timeoutSeconds: seconds,
        outputBytesMax: DIFF_BYTES_MAX + 1,
        printedBytesMax: DIFF_BYTES_MAX + 1,
      },
      signal,
    );
}

const CONFIGURATION: readonly ConfigurationEntry[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.askPass', '/bin/false'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '30'],
  ['protocol.allow', 'never'],
  ['protocol.http.allow', 'always'],
  ['protocol.https.allow', 'always'],
  ['gc.auto', '0'],
];

const FIXED: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'http:https',
  GIT_ASKPASS: '/bin/false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C.UTF-8',
};

async function expectSuccess(ending: ProcessEnd | Promise<ProcessEnd>, what: string): Promise<void> {
  const { kind, code, stderr, fault } = await ending;
  if (kind === 'exited' && code === 0) return;
  if (kind === 'timed_out') throw new ForgeError(`git could not ${what} in time.`);
  if (kind === 'not_started') throw new ForgeError(`git could not be started: ${fault}.`);
  const message = ownWords(stderr.head);
  throw new ForgeError(`git could not ${what}: ${message === '' ? `exit code ${code}` : message}`);
}

/** git's own message, without the server's text and without URLs and quotes from the delivery. */
function ownWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !/^\s*(?:remote|fatal: remote error):/.test(line));
  const text = lines
    .join(' ')
    .replace(/'?https?:\/\/\S*[^\s:]|'[^']*'/g, 'it')
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return text.trim().slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed();
}
