/**
 * Runs one index build in a child process and computes the vectors that it requests.
 *
 * - The build is a process, because only its end frees the memory of grammars and parsed files.
 * - When the signal or the embedder ends a build, the process has `KEEP_MS_MAX` to save its vectors, which may have cost
 *   money; then it is killed.
 * - The process ends by itself when this one is gone.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BoundedProcess, startBoundedProcess } from '../../lib/bounded-process.ts';
import { isFolder } from '../../lib/paths.ts';
import { type BuildOutcome, type BuildRequest, IndexError } from '../../ports/code-index.ts';
import type { BuildJob, BuildMessage, BuiltIndex, EmbeddedTexts } from './build-worker.ts';
import { indexRecipe } from './open-index.ts';

export interface BuildPlace {
  /** Real paths. */
  readonly workspace: string;
  readonly home: string;
  readonly path: string;
  /** Dimension of the model when it is known to differ from that of the existing index. */
  readonly dimension: number | null;
}

const HEAP_MIB_MAX = 512;
/** Time for an ended build to keep its vectors. */
const KEEP_MS_MAX = 2_000;

export async function buildIndex(request: BuildRequest, place: BuildPlace): Promise<BuildOutcome> {
  request.signal.throwIfAborted();
  // Without this check, an unmounted disk would replace a good index by an empty one.
  if (!isFolder(place.workspace)) {
    throw new IndexError('failed', 'The index could not be built: the workspace is gone or cannot be read.');
  }
  prepareFolder(place.path);
  const job = jobOf(request, place);
  const worker = startBoundedProcess(import.meta.url, './build-worker', { heapMebibytesMax: HEAP_MIB_MAX });
  try {
    return { ...(await follow(worker, job, request)), path: place.path };
  } finally {
    await worker.end();
    rmSync(job.part, { force: true });
  }
}

function jobOf({ choice, embedder, at }: BuildRequest, place: BuildPlace): BuildJob {
  const { workspace, home, path, dimension } = place;
  return {
    walk: { root: workspace, from: '.', home, includeIgnored: false },
    meta: {
      provider: choice.provider,
      model: choice.model,
      dimensions: choice.dimensions ?? null,
      workspace,
      recipe: indexRecipe(embedder),
    },
    builtAt: at,
    dimension,
    path,
    part: `${path.slice(0, -'.idx'.length)}.${randomBytes(4).toString('hex')}.new`,
    kept: `${path.slice(0, -'.idx'.length)}.kept`,
  };
}

function prepareFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    sweepUnfinished(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new IndexError('failed', `The index could not be built: its folder cannot be written (${code}).`);
  }
}

/** Builds of one index never overlap, so an unfinished file is a leftover. */
function sweepUnfinished(path: string): void {
  const folder = dirname(path);
  const own = basename(path, 'idx');
  for (const name of readdirSync(folder)) {
    if (name.startsWith(own) && name.endsWith('.new')) rmSync(join(folder, name), { force: true });
  }
}

async function follow(
  worker: BoundedProcess,
  job: BuildJob,
  { embedder, signal, progress }: BuildRequest,
): Promise<BuiltIndex> {
  const { promise, resolve, reject } = Promise.withResolvers<BuiltIndex>();
  let embeddingError: Error | null = null;
  let late: NodeJS.Timeout | undefined;
  const fail = (why: string): void =>
    reject(signal.aborted ? signal.reason : new IndexError('failed', `The index could not be built: ${why}`));
  const send = (message: BuildJob | EmbeddedTexts): void => worker.send(message);
  // The embedder stops with the signal, which fails the pending request of the process.
  const onAbort = (): void => {
    late = setTimeout(() => reject(signal.reason), KEEP_MS_MAX);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  worker.child.once('error', (error) => fail(error.message));
  worker.child.once('exit', (code, by) => fail(`its process ended early (${by ?? code}).`));
  worker.child.on('message', (message: BuildMessage) => {
    switch (message.type) {
      case 'progress':
        return progress(message.progress);
      case 'embed':
        return void embedder.embed(message.texts, { kind: 'document', signal }).then(
          (vectors) => send({ vectors }),
          (error: Error) => {
            embeddingError = error;
            send({ failure: error.message });
          },
        );
      case 'built':
        return resolve(message.built);
      case 'failed':
        return embeddingError === null || signal.aborted ? fail(message.message) : reject(embeddingError);
    }
  });
  send(job);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', onAbort);
  }
}
