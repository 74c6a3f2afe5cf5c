/**
 * The operations that the process with the open store performs on request: long ones (backup, compaction, verification)
 * one at a time and with progress, and a few short ones. `daybook storage …` requests them through the daemon's routes.
 *
 * - A long operation continues when its client disconnects; the state of the latest 16 can be queried.
 * - A backup can be cancelled: it ends after the copy at the latest, and its files are removed.
 */
import { backupStorage } from '../backup.ts';
import type { KeyValueEngine } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { LogVerification } from '../event-log.ts';
import type { Storage } from '../open.ts';
import type { Backups, BackupsState, KeptBackup } from './backups.ts';
import { compactAsRead, type ErasureState, type Erasures, removeErased } from './erasures.ts';
import type { OperationRequest, OperationState } from './operation.ts';
import { type FullStats, fullStats } from './stats.ts';

export interface StorageControl {
  /** Starts an operation. Throws `STORAGE_BUSY` while another one runs. */
  start(request: OperationRequest): OperationState;
  /** The state when the operation has ended, or after `waitMs` at the latest; undefined for an unknown id. */
  operation(id: string, waitMs: number): Promise<OperationState | undefined>;
  /**
   * Asks a running backup to end; an operation that has ended stays as it is. Undefined for an unknown id. Throws
   * `STORAGE_BUSY` for a running operation that cannot be cancelled.
   */
  cancel(id: string): OperationState | undefined;
  stats(): FullStats;
  /** The kept backups, null when none are kept. */
  backups(): BackupsState | null;
  /** Whether the bytes of erased payloads have left the disk. */
  erasures(): ErasureState & {
    /** Kept backups that may hold erased payloads. */
    readonly olderBackups: number;
  };
  /** Changes the budget of the `lsm` block cache immediately. Throws `STORAGE_CONFIG` for other engines. */
  resizeCache(megabytes: number): void;
}

const REMEMBERED_MAX = 16;
const MIB = 1_048_576;
const CACHE_MIB_MAX = 65_536;

type Progress = (done: number, total: number) => void;
type Result = NonNullable<OperationState['result']>;

export interface ControlParts {
  readonly storage: Storage;
  readonly erasures: Erasures;
  /** Null when no backups are kept. */
  readonly backups: Backups | null;
}

/** The operations of one open store. */
export function createControl({ storage, backups, erasures }: ControlParts): StorageControl {
  const operations = new Map<string, Operation>();
  let count = 0;
  return {
    start(request) {
      checkIdle(operations.values());
      count += 1;
      const operation = new Operation(String(count), request.kind);
      const { state } = operation;
      operation.run((context) => perform({ storage, backups, erasures }, request, context));
      operations.set(state.id, operation);
      const [oldest] = operations.keys();
      if (operations.size > REMEMBERED_MAX) operations.delete(oldest!);
      return state;
    },
    async operation(id, waitMs) {
      const operation = operations.get(id);
      await operation?.endedWithin(waitMs);
      return operation?.state;
    },
    cancel(id) {
      const operation = operations.get(id);
      if (operation?.state.state === 'running') {
        checkCancellable(operation.state.kind);
        operation.abort(new Error('The backup was cancelled.'));
      }
      return operation?.state;
    },
    stats: () => ({ ...fullStats(storage), ...(backups !== null && backupStats(backups.state())) }),
    backups: () => backups?.state() ?? null,
    erasures() {
      const state = erasures.state();
      return { ...state, olderBackups: backups?.mayHoldErased(state.recorded) ?? 0 };
    },
    resizeCache: (megabytes) => resizeCache(storage.engine, megabytes),
  };
}

interface OperationContext {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** A long operation and its state. */
class Operation {
  state: OperationState;
  readonly #abort = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(id: string, kind: OperationRequest['kind']) {
    this.state = { id, kind, state: 'running', done: 0, total: 0, error: null, result: null };
  }

  /** Begins the work in a later microtask. */
  run(work: (context: OperationContext) => Promise<Result>): void {
    const { signal } = this.#abort;
    const progress: Progress = (done, total) => this.#set({ done, total });
    this.#ended = Promise.resolve({ signal, progress })
      .then(work)
      .then(
        (result) => this.#set({ state: 'done', result }),
        ({ code, message }: StorageError) =>
          this.#set({ state: signal.aborted ? 'cancelled' : 'failed', error: { code: code ?? null, message } }),
      );
  }

  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Resolves when the operation has ended, at the latest after `waitMs`. */
  async endedWithin(waitMs: number): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, waitMs);
    await Promise.race([this.#ended, timer.promise]);
    clearTimeout(timeout);
  }

  #set(change: Partial<OperationState>): void {
    this.state = { ...this.state, ...change };
  }
}

function checkIdle(operations: Iterable<Operation>): void {
  for (const { state } of operations) {
    if (state.state !== 'running') continue;
    throw new StorageError('STORAGE_BUSY', `A ${state.kind} is running; try again when it is done.`);
  }
}

function checkCancellable(kind: OperationRequest['kind']): void {
  if (kind === 'backup' || kind === 'verified_backup') return;
  throw new StorageError('STORAGE_BUSY', `A running ${kind} cannot be cancelled; wait until it is done.`);
}

async function perform(
  { storage, backups, erasures }: ControlParts,
  request: OperationRequest,
  { signal, progress }: OperationContext,
): Promise<Result> {
  switch (request.kind) {
    case 'backup':
      await finishErasures(erasures);
      return { ...(await backupStorage(storage, request.to, signal)), to: request.to };
    case 'verified_backup': {
      if (backups === null) throw new StorageError('STORAGE_CONFIG', 'An ephemeral store keeps no backups.');
      signal.addEventListener('abort', () => backups.cancel(signal.reason));
      return backupFacts(await backups.make());
    }
    case 'compact':
      return measured(storage, () => erasures.finishBy((engine) => compactAsRead(engine, progress)));
    case 'verify':
      return verificationFacts(await verifyStorage(storage, progress));
  }
}

/** Called before a backup, so that it holds no erased payload. A failure, which `erasures` reports, stops no backup. */
export function finishErasures(erasures: Pick<Erasures, 'finish'>): Promise<void> {
  return erasures.finish().catch(() => undefined);
}

/**
 * Compacts a store without operations, which also removes erased payloads. Resolves to the bytes on disk before and
 * after.
 */
export function compactStorage(storage: Storage, progress: Progress) {
  return measured(storage, () =>
    removeErased(storage, { compact: (engine) => compactAsRead(engine, progress), now: Date.now }),
  );
}

function backupStats({ last, failure }: BackupsState): Pick<FullStats, 'last_backup_at' | 'backup_failure'> {
  return { last_backup_at: last?.verifiedAt ?? null, backup_failure: failure };
}

async function measured({ engine }: Storage, compact: () => Promise<unknown>) {
  const before = engine.stats().diskBytes;
  await compact();
  return { disk_bytes_before: before, disk_bytes: engine.stats().diskBytes };
}

/** Verifies the engine and the log, and combines their faults. */
export async function verifyStorage({ engine, log }: Storage, progress?: Progress): Promise<LogVerification> {
  const faults = await engine.verify(progress);
  const verification = await log.verify(progress);
  const errors = [...faults, ...verification.errors];
  return { ...verification, ok: errors.length === 0, errors };
}

/** A verification as the routes and the command line show it. */
export function verificationFacts({ ok, head, treeHash, errors }: LogVerification) {
  return { ok, head, tree_hash: treeHash, errors: [...errors] };
}

/** A kept backup as the routes and the command line show it. */
export function backupFacts({ path, position, treeHash, bytes, madeAt, verifiedAt }: KeptBackup) {
  return { path, position, tree_hash: treeHash, bytes, made_at: madeAt, verified_at: verifiedAt };
}

function resizeCache(engine: KeyValueEngine, megabytes: number): void {
  if (!Number.isSafeInteger(megabytes) || megabytes < 0 || megabytes > CACHE_MIB_MAX) {
    const what = `The block cache must be a whole number of megabytes from 0 to ${CACHE_MIB_MAX}; it is ${megabytes}.`;
    throw new StorageError('STORAGE_CONFIG', what);
  }
  if (engine.resizeCache === undefined) {
    const what = `Only the block cache of lsm can be changed while it runs; this store is ${engine.backend}.`;
    throw new StorageError('STORAGE_CONFIG', what);
  }
  engine.resizeCache(megabytes * MIB);
}
