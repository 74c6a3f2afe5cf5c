/**
 * Probes converters: runs `soffice --version`, with a time limit, in the isolation that a job will have.
 *
 * - A configured path is the only candidate, so a broken one is reported and not replaced silently.
 * - Programs that are found are tried in order until one answers; if none does, the state is `broken`.
 */
import { isProgram } from '../../lib/programs.ts';
import type { OfficeIsolation, OfficeStatus } from '../../ports/office.ts';
import { scrubbedEnvironment } from '../tools/environment.ts';
import { runProcess } from '../tools/process.ts';
import { installHint, locate } from './locate.ts';
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

export async function probeOffice(
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

export function unchecked(configured_path: string | null): OfficeStatus {
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
