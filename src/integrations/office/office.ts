/**
 * The office converter behind `OfficePort`.
 *
 * - At most `RUNNING_MAX` conversions run and `WAITING_MAX` wait; further requests fail as `busy`.
 * - Requests for the same result share one run, which is aborted when the last of them is.
 * - A job's folder and processes are gone when it settles. Folders that a killed daemon left are removed before the
 *   first job; its processes end with the daemon (see `tools/watchdog.ts`).
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { isProgram } from '../../lib/programs.ts';
import { createScratchFolders, type ScratchFolders } from '../../lib/scratch-folders.ts';
import { SYSTEM_FOLDERS } from '../../lib/sensitive-paths.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { unicodeText } from '../../lib/unicode-text.ts';
import { WorkPool } from '../../lib/work-pool.ts';
import type { Conversion, ConversionRequest, OfficePort, OfficeStatus } from '../../ports/office.ts';
import { PortError } from '../../ports/port-error.ts';
import { guardPath, openDocument } from '../documents/guard.ts';
import { callMarker } from '../tools/marker.ts';
import { type Cache, cacheKey, createCache } from './cache.ts';
import { csvOptions, sheetName } from './csv.ts';
import { runSteps } from './engine.ts';
import { familyOf, IMPORT_EXTENSIONS, type Step, stepsTo, targetExtension, targetsOf } from './formats.ts';
import { createProbeCache, type ProbeCache } from './probe.ts';
import { type Sniffed, sniff } from './sniff.ts';

export interface OfficeParts {
  /** DAYBOOK_HOME; jobs and results live in its `office` folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** Where to look in addition to PATH; by default the usual places of the system. */
  readonly usualPlaces?: readonly string[];
  /** Results are removed when the daemon stops. */
  readonly ephemeral?: boolean;
}

const RUNNING_MAX = 2;
const WAITING_MAX = 16;

export function createOffice(parts: OfficeParts): OfficePort {
  const { home } = parts;
  const shared = join(resolve(home), 'office', 'cache');
  const jobs = createScratchFolders(join(resolve(home), 'office', 'jobs'));
  const pool = new WorkPool({
    runningMax: RUNNING_MAX,
    waitingMax: WAITING_MAX,
    full: () => new PortError('busy', 'Too many conversions are waiting; try again later.'),
  });
  const closing = new AbortController();
  const probes = createProbeCache(
    { ...parts, marker: callMarker(home, 'office-probe'), folders: jobs },
    closing.signal,
  );
  const convertFile = createConverter({ ...parts, jobs, cache: createCache(shared), pool, probes });

  async function convert(request: ConversionRequest, signal: AbortSignal): Promise<Conversion> {
    const real = await guardPath({ path: request.path, base: request.base, home, shared });
    const file = await openDocument(real);
    return convertFile({ file, name: basename(real), request }, signal).finally(() => file.close());
  }

  return {
    importExtensions: IMPORT_EXTENSIONS,
    known: probes.known,
    probe: probes.probe,
    async check(path) {
      if (!isAbsolute(path)) throw cannotStart();
      // First, so that the answer does not tell which files a credential store holds.
      await guardPath({ path, base: home, home }).catch((error: unknown) => {
        const isStore = error instanceof PortError && error.fault === 'forbidden' && !SYSTEM_FOLDERS.test(path);
        throw isStore ? error : cannotStart();
      });
      if (!isProgram(path)) throw cannotStart();
      const status = await probes.probe(path);
      if (status.state !== 'ready') throw cannotStart();
      return status;
    },
    convert: (request, signal) => pool.admit(signal, (either) => convert(request, either)),
    async close() {
      const reason = new PortError('unavailable', 'The daemon is stopping.');
      closing.abort(reason);
      await Promise.allSettled([pool.close(reason), probes.settled()]);
      if (parts.ephemeral === true) await rm(join(resolve(home), 'office'), { recursive: true, force: true });
    },
  };
}

interface ConverterParts extends OfficeParts {
  readonly jobs: ScratchFolders;
  readonly cache: Cache;
  readonly pool: WorkPool;
  readonly probes: ProbeCache;
}

/** Inspects an open input and converts a copy of it in a new folder; equal conversions share one run. */
function createConverter(parts: ConverterParts): (input: Input, signal: AbortSignal) => Promise<Conversion> {
  const { home, env, jobs, cache, pool, probes } = parts;
  const conversions = createSingleFlight<Omit<Conversion, 'engine_version'>>();

  async function run(job: StagedJob, signal: AbortSignal): Promise<Omit<Conversion, 'engine_version'>> {
    const { key, request, sniffed, staged } = job;
    const found = await cache.find(key);
    if (found !== null) return { ...found, cached: true };
    return pool.inSlot(signal, async () => {
      const steps = await stepsFor(request, sniffed, staged);
      const marker = callMarker(home, request.id);
      const engineJob = { ...request, ...job.engine, ...job, input: staged, env, steps, marker };
      const path = await runSteps(engineJob, signal).catch((error) => failed(error, request));
      const kept = await cache.keep(key, { path, extension: targetExtension(request.target) });
      return { ...kept, cached: false };
    });
  }

  /** Rethrows the error of a conversion. Without usable output, throws `unavailable` if the converter does not start. */
  async function failed(error: unknown, { configuredPath }: ConversionRequest): Promise<never> {
    if (error instanceof PortError && error.fault === 'bad_output') engineOf(await probes.probe(configuredPath));
    throw error;
  }

  return async ({ file, name, request }, signal) => {
    const { size: bytes } = await file.stat();
    if (bytes > INPUT_BYTES_MAX) throw tooLarge();
    const engine = engineOf(await probes.recent(request.configuredPath));
    const sniffed = await sniff(file, { name, bytes });
    requireTarget(request, sniffed);
    return jobs.use(async (folder) => {
      const title = isTable(sniffed) ? sheetName(name) : 'input';
      const staged = join(folder, `${title}.${sniffed.extension}`);
      const hash = await stage(file, staged, signal);
      // A table shows its name. Results of tables that an earlier program read in another way are not found.
      const format = isTable(sniffed) ? `${sniffed.extension} as written ${title}` : sniffed.extension;
      const key = cacheKey({ input: hash, target: `${request.target} ${format}`, engine: engine.version });
      const job = { key, request, sniffed, staged, folder, engine };
      const flight = `${key} ${request.timeoutSeconds}`;
      const { result, joined } = await conversions.run(flight, signal, (wanted) => run(job, wanted));
      return { ...result, cached: result.cached || joined, engine_version: engine.version };
    });
  };
}

interface StagedJob {
  /** Key of the result in the cache. */
  readonly key: string;
  readonly request: ConversionRequest;
  readonly sniffed: Sniffed;
  readonly staged: string;
  readonly folder: string;
  readonly engine: ReturnType<typeof engineOf>;
}

interface Input {
  readonly file: FileHandle;
  readonly name: string;
  readonly request: ConversionRequest;
}

function engineOf({ state, path, version, isolation, detail }: OfficeStatus) {
  if (state !== 'ready' || path === null || version === null || isolation === null) {
    throw new PortError('unavailable', detail);
  }
  return { program: path, version, isolation };
}

function cannotStart(): PortError {
  return new PortError('unsupported', 'path must be the absolute path of a LibreOffice program that starts.');
}

function requireTarget({ target }: ConversionRequest, { extension }: Sniffed): void {
  const family = familyOf(extension);
  if (family === undefined) throw new PortError('unsupported', 'The input has no supported format.');
  const targets = targetsOf(family);
  if (targets.includes(target)) return;
  throw new PortError('unsupported', `A .${extension} file cannot become ${target}; to: ${targets.join(', ')}.`);
}

/** The steps of a conversion. Reads a text input whole, for its encoding and fields, so it needs a slot to run. */
async function stepsFor({ target }: ConversionRequest, sniffed: Sniffed, staged: string): Promise<readonly Step[]> {
  const { extension } = sniffed;
  const text = sniffed.text ? await asUtf8(staged) : '';
  const infilterTail = isTable(sniffed) ? await csvOptions(text, { extension, target }) : '';
  return stepsTo(target, { extension, infilterTail }) ?? [];
}

function isTable({ extension }: Sniffed): boolean {
  return extension === 'csv' || extension === 'tsv';
}

const INPUT_BYTES_MAX = 100 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

function tooLarge(): PortError {
  return new PortError('too_large', `The input has more than ${INPUT_BYTES_MAX} bytes.`);
}

/** Copies to `path` and returns the SHA-256 of exactly these bytes. Throws `PortError` when the file grows past the limit. */
async function stage(file: FileHandle, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await using copy = await open(path, 'wx', 0o600);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    if (position > INPUT_BYTES_MAX) throw tooLarge();
    hash.update(buffer.subarray(0, bytesRead));
    await copy.writeFile(buffer.subarray(0, bytesRead));
  }
  return hash.digest('hex');
}

/** Rewrites a staged text as UTF-8 without a byte order mark and returns it. */
async function asUtf8(path: string): Promise<string> {
  const bytes = await readFile(path);
  const text = unicodeText(bytes) ?? new TextDecoder('windows-1252').decode(bytes);
  await writeFile(path, text);
  return text;
}
