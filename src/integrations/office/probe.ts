/**
 * Probes converters: runs `soffice --version`, with a time limit, in the isolation that a job will have.
 *
 * - A configured path is the only candidate, so a broken one is reported and not replaced silently.
 * - Programs that are found are tried in order until one answers; if none does, the state is `broken`.
 */
import { join } from 'node:path';
import { namesIn } from '../../lib/paths.ts';
import { isProgram, pathFolders } from '../../lib/programs.ts';
import type { ScratchFolders } from '../../lib/scratch-folders.ts';
import type { OfficeIsolation, OfficeStatus } from '../../ports/office.ts';
import { runProcess, scrubbedEnvironment } from '../tools/process.ts';
import { isolationsFor, sandboxed } from './sandbox.ts';

export interface ProbeParts {
  readonly env: NodeJS.ProcessEnv;
  readonly marker: string;
  /** A folder that the program may see. */
  readonly folder: string;
  readonly usualPlaces?: readonly string[];
  readonly now: () => number;
}

const VERSION_SECONDS_MAX = 10;
const PRINTED_BYTES_MAX = 64 * 1024;

const HUNG = Symbol('hung');

/** A converter that answered. */
interface Engine {
  readonly path: string;
  readonly version: string;
  readonly isolation: OfficeIsolation;
}

async function probeOffice(
  parts: ProbeParts,
  configured_path: string | null,
  signal: AbortSignal,
): Promise<OfficeStatus> {
  const candidates = configured_path === null ? locate(parts.env, parts.usualPlaces) : [configured_path];
  for (const path of candidates) {
    const engine = await ask(parts, path, signal);
    if (engine !== null) return ready(engine, { configured_path, checked_at: parts.now() });
  }
  const nothing = { path: null, version: null, isolation: null, checked_at: parts.now() };
  const install_hint = installHint();
  if (configured_path !== null) {
    const detail = 'The configured path does not start a converter; set another one, or null to look for it.';
    return { ...nothing, state: 'configured_invalid', configured_path, detail, install_hint };
  }
  if (candidates.length === 0) {
    const detail = 'No converter was found on PATH or in the usual places.';
    return { ...nothing, state: 'missing', configured_path, detail, install_hint };
  }
  const detail = 'A converter was found but does not start; its installation seems to be damaged.';
  return { ...nothing, path: candidates[0]!, state: 'broken', configured_path, detail, install_hint };
}

function unchecked(configured_path: string | null): OfficeStatus {
  const detail = 'The converter is being looked for.';
  const nothing = { path: null, version: null, install_hint: null, isolation: null, checked_at: null };
  return { ...nothing, state: 'checking', configured_path, detail };
}

function ready(engine: Engine, more: Pick<OfficeStatus, 'configured_path' | 'checked_at'>): OfficeStatus {
  const detail = `LibreOffice ${engine.version} is ready.`;
  return { state: 'ready', ...engine, ...more, detail, install_hint: null };
}

/**
 * Tries the strongest isolation first: a system that forbids one fails at once. A program that hangs is not tried
 * again.
 */
async function ask(parts: ProbeParts, path: string, signal: AbortSignal): Promise<Engine | null> {
  if (!isProgram(path)) return null;
  for (const isolation of isolationsFor(path)) {
    const version = await versionOf(parts, { path, isolation }, signal);
    if (version === HUNG) return null;
    if (version !== null) return { path, version, isolation };
  }
  return null;
}

async function versionOf(
  { env, marker, folder }: ProbeParts,
  { path, isolation }: Omit<Engine, 'version'>,
  signal: AbortSignal,
): Promise<string | null | typeof HUNG> {
  const end = await runProcess(
    {
      command: sandboxed({ isolation, folder, command: [path, '--version'] }),
      cwd: folder,
      env: { ...scrubbedEnvironment(env), HOME: folder, TMPDIR: folder },
      marker,
      timeoutSeconds: VERSION_SECONDS_MAX,
      outputBytesMax: PRINTED_BYTES_MAX,
      printedBytesMax: PRINTED_BYTES_MAX,
    },
    signal,
  );
  if (end.kind === 'timed_out') return HUNG;
  if (end.code !== 0) return null;
  return /\b(?:Libre|Open|Collabora) ?Office\w*\s+(\d+(?:\.\d+)+)/i.exec(end.stdout.head)?.[1] ?? null;
}

const NAMES: readonly string[] =
  process.platform === 'win32' ? ['soffice.exe', 'soffice.com'] : ['soffice', 'libreoffice'];

const USUAL: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    '/usr/bin/soffice',
    '/usr/lib/libreoffice/program/soffice',
    '/usr/lib64/libreoffice/program/soffice',
    '/usr/local/bin/soffice',
    '/snap/bin/libreoffice',
    '/var/lib/flatpak/exports/bin/org.libreoffice.LibreOffice',
  ],
  darwin: [
    '/Applications/LibreOffice.app/Contents/MacOS/soffice',
    '/opt/homebrew/bin/soffice',
    '/usr/local/bin/soffice',
  ],
  win32: [
    'C:\\Program Files\\LibreOffice\\program\\soffice.exe',
    'C:\\Program Files (x86)\\LibreOffice\\program\\soffice.exe',
  ],
};

/** LibreOffice's installers unpack to `/opt/libreoffice24.2/program/soffice`. */
const OPT = '/opt';

/** Executable programs, the likeliest first, each once. */
function locate(env: NodeJS.ProcessEnv, usual: readonly string[] = usualPlaces()): readonly string[] {
  const onPath = pathFolders(env.PATH).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...new Set([...onPath, ...usual])].filter(isProgram);
}

function usualPlaces(): readonly string[] {
  const unpacked = process.platform === 'linux' ? namesIn(OPT).filter((name) => /^libreoffice/i.test(name)) : [];
  const programs = unpacked
    .toSorted()
    .reverse()
    .map((name) => join(OPT, name, 'program', 'soffice'));
  return [...(USUAL[process.platform] ?? []), ...programs];
}

function installHint(): string {
  switch (process.platform) {
    case 'darwin':
      return 'brew install --cask libreoffice';
    case 'win32':
      return 'winget install TheDocumentFoundation.LibreOffice';
    default:
      return (
        'sudo apt-get install --no-install-recommends libreoffice-core-nogui libreoffice-writer-nogui ' +
        'libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-draw-nogui'
      );
  }
}

export interface ProbeCache {
  /** The cached status, without waiting; starts a probe when it is missing or stale. */
  known(configured: string | null): OfficeStatus;
  /** Starts a probe, or joins the running one. */
  probe(configured: string | null): Promise<OfficeStatus>;
  /** A cached `ready` status, or a new probe. */
  recent(configured: string | null): Promise<OfficeStatus>;
  /** Resolves when no probe runs. */
  settled(): Promise<unknown>;
}

const FRESH_MS = 60_000;
const KEPT_MAX = 8;

/**
 * Caches the status of converters for a minute, by configured path, so that a late probe of an earlier path has no
 * effect on the current one. A status whose program is gone is stale. Concurrent probes of a path are shared.
 */
export function createProbeCache(
  { folders, ...parts }: Omit<ProbeParts, 'folder'> & { readonly folders: ScratchFolders },
  signal: AbortSignal,
): ProbeCache {
  const running = new Map<string | null, Promise<OfficeStatus>>();
  const kept = new Map<string | null, OfficeStatus>();

  function probe(configured: string | null): Promise<OfficeStatus> {
    const mine = running.get(configured) ?? look(configured).finally(() => running.delete(configured));
    running.set(configured, mine);
    return mine;
  }

  async function look(configured: string | null): Promise<OfficeStatus> {
    // A folder that is made after the end of the daemon would come back into a home that was removed.
    signal.throwIfAborted();
    const status = await folders.use((folder) => probeOffice({ ...parts, folder }, configured, signal));
    keep(status);
    return status;
  }

  /** Keeps the status of `KEPT_MAX` paths; drops the least recently probed. */
  function keep(status: OfficeStatus): void {
    kept.delete(status.configured_path);
    kept.set(status.configured_path, status);
    for (const path of [...kept.keys()].slice(0, -KEPT_MAX)) kept.delete(path);
  }

  function fresh(configured: string | null): OfficeStatus | undefined {
    const status = kept.get(configured);
    if (status?.checked_at == null) return undefined;
    if (status.state === 'ready' && (status.path === null || !isProgram(status.path))) return undefined;
    const age = parts.now() - status.checked_at;
    // Below 0 the clock was set back.
    return age >= 0 && age < FRESH_MS ? status : undefined;
  }

  return {
    probe,
    known(configured) {
      const status = fresh(configured);
      if (status !== undefined) return status;
      // Deferred, because starting a process blocks and the caller must not wait.
      setImmediate(() => void probe(configured).catch(() => undefined));
      return kept.get(configured) ?? unchecked(configured);
    },
    async recent(configured) {
      const status = fresh(configured);
      return status?.state === 'ready' ? status : probe(configured);
    },
    settled: () => Promise.allSettled(running.values()),
  };
}
