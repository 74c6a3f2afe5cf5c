/**
 * The office converter behind `OfficePort`.
 *
 * - At most `RUNNING_MAX` conversions run and `WAITING_MAX` wait; who comes then is `busy`.
 * - Requests for the same result share one job; it is ended when nobody waits for it any more.
 * - A job's folder and processes are gone when it settles; what a killed daemon left is removed before the first job
 *   (its processes end with the daemon, see `tools/watchdog.ts`).
 */
import { realpathSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, rm } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { DocumentError } from '../../ports/documents.ts';
import {
  type Conversion,
  type ConversionRequest,
  OFFICE_TARGETS,
  type OfficePort,
  type OfficeStatus,
} from '../../ports/office.ts';
import { guardPath, openDocument } from '../documents/guard.ts';
import { createSlots } from '../documents/slots.ts';
import { callMarker } from '../tools/marker.ts';
import { cacheKey, createCache } from './cache.ts';
import { runSteps } from './engine.ts';
import { createFlights } from './flights.ts';
import { familyOf, IMPORT_EXTENSIONS, type Step, stepsTo, targetExtension, targetsOf } from './formats.ts';
import { isProgram } from './locate.ts';
import { createProber } from './prober.ts';
import { type Sniffed, sniff } from './sniff.ts';
import { asUtf8, INPUT_BYTES_MAX, separatorOf, stage, tooLarge } from './stage.ts';

export interface OfficeParts {
  /** DAYBOOK_HOME; jobs and results live in its `office` folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** Where to look beside PATH; the places of the system unless a test brings others. */
  readonly usualPlaces?: readonly string[];
  /** Results are removed when the daemon stops. */
  readonly ephemeral?: boolean;
}

const RUNNING_MAX = 2;
const WAITING_MAX = 16;

export function createOffice(parts: OfficeParts): OfficePort {
  const { home } = parts;
  const shared = join(resolve(home), 'office', 'cache');
  const jobs = createJobsFolder(join(resolve(home), 'office', 'jobs'));
  const cache = createCache(shared);
  const slots = createSlots({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
  const flights = createFlights<Omit<Conversion, 'engine_version'>>();
  const closing = new AbortController();
  const marker = callMarker(home, 'office-probe');
  const prober = createProber({ ...parts, marker, folder: jobs }, closing.signal);
  const running = new Set<Promise<unknown>>();

  /** Looks at an open input, and converts a copy of it in a folder of its own. */
  async function convertFile(input: Input, signal: AbortSignal): Promise<Conversion> {
    const { file, request } = input;
    const { size: bytes } = await file.stat();
    if (bytes > INPUT_BYTES_MAX) throw tooLarge();
    const engine = engineOf(await prober.lately(request.configuredPath));
    const sniffed = await sniff(file, { name: input.name, bytes });
    requireTarget(request, sniffed);
    const folder = join(await jobs(), request.id);
    await mkdir(folder, { mode: 0o700 });
    try {
      const staged = join(folder, `input.${sniffed.extension}`);
      const hash = await stage(file, staged, signal);
      const key = cacheKey({ input: hash, target: `${request.target} ${sniffed.extension}`, engine: engine.version });
      const job = { ...request, ...engine, folder, input: staged, env: parts.env };
      const made = await flights.join(`${key} ${request.timeoutSeconds}`, signal, async (wanted) => {
        const found = await cache.find(key);
        if (found !== null) return { ...found, cached: true };
        const release = await slots.run(wanted);
        try {
          const steps = await stepsFor(request, sniffed, staged);
          const path = await runSteps({ ...job, steps, marker: callMarker(home, request.id) }, wanted);
          const kept = await cache.keep(key, { path, extension: targetExtension(request.target) });
          return { ...kept, cached: false };
        } finally {
          release();
        }
      });
      return { ...made.result, cached: made.result.cached || made.joined, engine_version: engine.version };
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async function convert(request: ConversionRequest, signal: AbortSignal): Promise<Conversion> {
    const leave = slots.enter();
    if (leave === null) throw new DocumentError('busy', 'Too many conversions are waiting; try again later.');
    try {
      const real = await guardPath({ path: request.path, base: request.base, home, shared });
      const file = await openDocument(real);
      try {
        const either = AbortSignal.any([signal, closing.signal]);
        return await convertFile({ file, name: basename(real), request }, either);
      } finally {
        await file.close();
      }
    } finally {
      leave();
    }
  }

  return {
    importExtensions: IMPORT_EXTENSIONS,
    known: prober.known,
    probe: prober.probe,
    async check(path) {
      if (!isAbsolute(path) || !isProgram(path)) throw cannotStart();
      await guardPath({ path, base: home, home }).catch((error: unknown) => {
        throw error instanceof DocumentError && error.fault === 'forbidden' ? error : cannotStart();
      });
      const status = await prober.probe(path);
      if (status.state !== 'ready') throw cannotStart();
      return status;
    },
    convert(request, signal) {
      const job = convert(request, signal);
      const settled = Promise.allSettled([job]).finally(() => running.delete(settled));
      running.add(settled);
      return job;
    },
    async close() {
      closing.abort(new DocumentError('unavailable', 'The daemon is stopping.'));
      await Promise.allSettled([...running, prober.settled()]);
      if (parts.ephemeral === true) await rm(join(resolve(home), 'office'), { recursive: true, force: true });
    },
  };
}

interface Input {
  readonly file: FileHandle;
  readonly name: string;
  readonly request: ConversionRequest;
}

/** The folder of the jobs without links, emptied once of what an earlier daemon left. */
function createJobsFolder(path: string): () => Promise<string> {
  let emptied: Promise<void> | undefined;
  return async () => {
    emptied ??= rm(path, { recursive: true, force: true });
    await emptied;
    await mkdir(path, { recursive: true, mode: 0o700 });
    return realpathSync(path);
  };
}

function engineOf({ state, path, version, isolation, detail }: OfficeStatus) {
  if (state !== 'ready' || path === null || version === null || isolation === null) {
    throw new DocumentError('unavailable', detail);
  }
  return { program: path, version, isolation };
}

function cannotStart(): DocumentError {
  return new DocumentError('unsupported', 'path must be the absolute path of a LibreOffice program that starts.');
}

function requireTarget({ target }: ConversionRequest, { extension }: Sniffed): void {
  const family = familyOf(extension);
  if (family === undefined) throw new DocumentError('unsupported', 'The input has no supported format.');
  const targets = targetsOf(family, OFFICE_TARGETS);
  if (targets.includes(target)) return;
  throw new DocumentError('unsupported', `A .${extension} file cannot become ${target}; to: ${targets.join(', ')}.`);
}

/** The steps with what only the text itself can tell. It is read whole: only who has a place to run may. */
async function stepsFor({ target }: ConversionRequest, sniffed: Sniffed, staged: string): Promise<readonly Step[]> {
  const { extension } = sniffed;
  const text = sniffed.text ? await asUtf8(staged) : '';
  const table = extension === 'csv' || extension === 'tsv';
  const infilterTail = table ? `:${extension === 'tsv' ? 9 : separatorOf(text)},34,76,1` : '';
  return stepsTo(target, { extension, infilterTail }) ?? [];
}
