/**
 * Runs a reactor: for every stream of its category it looks at the newest state, performs the effect that the state
 * asks for and sends the outcome as a command.
 *
 * - At most one effect per stream is in flight. When the state asks for it no more, its signal is aborted.
 * - The next effect starts only after the previous one has settled, so effects of one stream never overlap.
 * - An effect runs under the lease of its stream, and its commands carry that lease. When the lease is lost, the effect
 *   is aborted and its commands are refused. A stream whose lease another daemon holds is looked at when it is free.
 * - While the log takes no appends (disk full, database unreachable), streams wait. Afterwards they are recovered as
 *   after a crash.
 * - After a crash `recover` first records that the effects in flight were interrupted; only then do these streams go on.
 *   Streams that were at rest before this process changed them need no recovery and do not wait for it.
 */
import { filter, map, merge, mergeMap, type Observable, Subject, type Subscription, tap } from 'rxjs';
import type { Leases } from '../ports/leases.ts';
import type { RecordedEvent } from '../storage/event-log.ts';
import type { CommandHandler } from './command-handler.ts';
import type { EventBatch } from './committed-events.ts';
import { EarlyChanges } from './early-changes.ts';
import { isFenced, isFromNewerProgram, LeaseLost, waitingFor } from './log-refusals.ts';
import { select, uniquePerTurn } from './operators.ts';
import type { AnyReactor } from './reactor.ts';
import { ReactorCommands } from './reactor-commands.ts';
import { streamOf } from './unit-of-work.ts';

export interface ReactorRunnerDependencies {
  readonly commandHandler: CommandHandler;
  readonly leases: Leases;
  /** Durable batches: a reactor depends on the states of deciders, not on views. */
  readonly appended$: Observable<EventBatch>;
  readonly report: (message: string) => void;
  /** Milliseconds between two attempts on a log that takes no appends; 1 000 when left out. */
  readonly retryMs?: number;
}

const TAKEN_OVER = 'the daemon that ran it stopped answering';

interface InFlight {
  readonly key: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Runs one reactor. */
export class ReactorRunner {
  readonly #reactor: AnyReactor;
  readonly #dependencies: ReactorRunnerDependencies;
  readonly #commands: ReactorCommands;
  readonly #early: EarlyChanges;
  /** By the id of the stream. */
  readonly #inFlight = new Map<string, InFlight>();
  /** Ids of streams that are left to other daemons: one holds the lease, or this one cannot perform the effects. */
  readonly #elsewhere = new Set<string>();
  /** Ids of streams to recover as soon as this daemon has the lease, each with the reason of its interruption. */
  readonly #unrecovered = new Map<string, string>();
  /** Ids of streams with events that only a newer program knows. */
  readonly #tooNew = new Set<string>();
  /** Ids of streams to look at although no event was appended. */
  readonly #revisited$ = new Subject<string>();
  readonly #subscription: Subscription;
  readonly #stopping = new AbortController();
  #isStopped = false;

  constructor(reactor: AnyReactor, dependencies: ReactorRunnerDependencies) {
    this.#reactor = reactor;
    this.#dependencies = dependencies;
    const { leases, appended$, commandHandler, report, retryMs } = dependencies;
    const stopping = this.#stopping.signal;
    const isStopped = () => this.#isStopped;
    this.#commands = new ReactorCommands({ reactor, commandHandler, leases, report, retryMs, stopping, isStopped });
    this.#early = new EarlyChanges({ reactor, commandHandler, leases });
    const { category } = reactor.decider;
    const changed$ = appended$.pipe(
      select({ category }),
      mergeMap((events) => events),
      map((event) => ({ event, id: event.stream.slice(category.length + 1) })),
      tap(({ event, id }) => this.#early.add(event, id)),
      filter(({ event, id }) => this.#concerns(event, id)),
      map(({ id }) => id),
    );
    this.#subscription = merge(changed$, this.#revisited$)
      .pipe(uniquePerTurn())
      .subscribe((ids) => {
        for (const id of ids) this.#look(id);
      });
    this.#subscription.add(leases.onLost((name) => this.#leaseLost(name)));
    this.#subscription.add(leases.onTableRead(() => this.#lookElsewhere()));
  }

  /** Number of effects in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /**
   * Recovers those of the streams that were not at rest when the last process ended. Called once; `ids` may contain
   * streams whose effects this process has begun.
   */
  async recover(ids: readonly string[], reason: string): Promise<void> {
    const { leases } = this.#dependencies;
    try {
      for (const id of ids) {
        if (this.#early.isBegunHere(id)) continue;
        if (leases.isShared) {
          if (!leases.isElsewhere(this.#stream(id))) this.#unrecovered.set(id, reason);
          this.#elsewhere.add(id);
        } else await this.#recoverOwn(id, reason);
      }
    } finally {
      for (const id of this.#early.end()) this.#revisited$.next(id);
    }
    this.#lookElsewhere();
  }

  /** Aborts the effects in flight, waits at most `graceMs` until they have settled and records the interruptions. */
  async stop(reason: string, graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    this.#subscription.unsubscribe();
    const left = [...this.#inFlight];
    for (const [, { controller }] of left) controller.abort(new Error(reason));
    const grace = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
    await Promise.race([Promise.allSettled(left.map(([, { done }]) => done)), grace]);
    const { leases } = this.#dependencies;
    for (const [id] of left) {
      const name = this.#stream(id);
      if (!leases.isHeld(name)) continue;
      const lease = await leases.acquire(name);
      // A lease whose interruption is not recorded must not be released as if nothing were half done.
      await this.#commands.send(id, this.#reactor.recovery(reason), lease).catch(() => leases.lost(name));
    }
  }

  /** Records an interruption on a log that only this process appends to, at once or as soon as the log takes it. */
  async #recoverOwn(id: string, reason: string): Promise<void> {
    const lease = await this.#dependencies.leases.acquire(this.#stream(id));
    const wait = await this.#commands.interrupt(id, { reason, lease });
    if (wait === null) {
      this.#early.recovered(id);
      return this.#revisited$.next(id);
    }
    this.#early.forget(id);
    void this.#commands.interruptLater(id, { reason, lease, wait }).then(() => this.#revisited$.next(id));
  }

  /** The name of a stream, which is also the name of its lease. */
  #stream(id: string): string {
    return streamOf(this.#reactor.decider, id);
  }

  /**
   * An event of another daemon matters only while an effect is in flight here; otherwise that daemon has the stream.
   */
  #concerns(event: RecordedEvent, id: string): boolean {
    const { leases, commandHandler } = this.#dependencies;
    const isOwn = !leases.isShared || commandHandler.isAppending(event);
    if (isOwn) this.#elsewhere.delete(id);
    else if (!this.#inFlight.has(id)) this.#elsewhere.add(id);
    return isOwn || this.#inFlight.has(id);
  }

  /** Looks at the streams whose leases are free. */
  #lookElsewhere(): void {
    const { leases } = this.#dependencies;
    for (const id of [...this.#elsewhere]) {
      if (leases.isElsewhere(this.#stream(id))) this.#unrecovered.delete(id);
      else {
        this.#elsewhere.delete(id);
        this.#revisited$.next(id);
      }
    }
    for (const [id, { controller }] of this.#inFlight) {
      if (leases.isElsewhere(this.#stream(id))) controller.abort(new LeaseLost());
    }
  }

  #leaseLost(name: string): void {
    const prefix = `${this.#reactor.decider.category}-`;
    const id = name.slice(prefix.length);
    const inFlight = name.startsWith(prefix) ? this.#inFlight.get(id) : undefined;
    if (inFlight === undefined) return;
    // The next lease may not know that work is half done: the restore of a backup removes rows of the table.
    this.#unrecovered.set(id, TAKEN_OVER);
    inFlight.controller.abort(new LeaseLost());
  }

  #look(id: string): void {
    try {
      if (!this.#isStopped && !this.#tooNew.has(id)) this.#startOrAbort(id);
    } catch (error) {
      if (isFromNewerProgram(error)) this.#leaveToNewer(id, error);
      else this.#commands.report(id, error);
    }
  }

  #startOrAbort(id: string): void {
    const current = this.#inFlight.get(id);
    const isElsewhere = current === undefined && this.#elsewhere.has(id);
    if (isElsewhere) this.#leave(id);
    if (isElsewhere || (current === undefined && this.#early.isUnrecovered(id))) return;
    const state = this.#state(id);
    const wanted = this.#reactor.next(state);
    if (current !== undefined) {
      if (current.key !== wanted?.key) current.controller.abort(new Error('The effect is not due any more.'));
      return;
    }
    if (wanted === undefined) this.#rest(id);
    else if (this.#isLeft(id, state)) this.#leave(id);
    else this.#start(id, wanted);
  }

  /** Whether another daemon holds the lease, or only another daemon can perform the effects. */
  #isLeft(id: string, state: unknown): boolean {
    return this.#dependencies.leases.isElsewhere(this.#stream(id)) || this.#reactor.takes?.(state) === false;
  }

  /** Leaves the stream to another daemon. */
  #leave(id: string): void {
    this.#elsewhere.add(id);
    this.#reactor.rested(id);
  }

  /** Lets the lease run out, so that a newer daemon takes the stream over. */
  #leaveToNewer(id: string, error: Error): void {
    this.#tooNew.add(id);
    this.#commands.report(id, error);
    this.#dependencies.leases.lost(this.#stream(id));
    this.#reactor.rested(id);
  }

  #rest(id: string): void {
    this.#elsewhere.delete(id);
    this.#unrecovered.delete(id);
    this.#reactor.rested(id);
    void this.#dependencies.leases.release(this.#stream(id));
  }

  #start(id: string, effect: { readonly key: string }): void {
    const controller = new AbortController();
    const done = this.#perform(id, effect, controller)
      .catch((error: unknown) => (controller.signal.aborted ? undefined : this.#failed(id, error)))
      .finally(() => {
        this.#inFlight.delete(id);
        this.#revisited$.next(id);
      });
    this.#inFlight.set(id, { key: effect.key, controller, done });
  }

  async #perform(id: string, effect: { readonly key: string }, controller: AbortController): Promise<void> {
    const { leases } = this.#dependencies;
    const { signal } = controller;
    const name = this.#stream(id);
    await this.#reactor.admit?.(effect, { id, signal });
    const isNew = !leases.isHeld(name);
    const lease = await leases.acquire(name);
    if (lease === null) return this.#leave(id);
    if (isNew) {
      const left = this.#unrecovered.get(id) ?? (lease.isTakenOver ? TAKEN_OVER : undefined);
      this.#unrecovered.delete(id);
      if (left !== undefined) await this.#commands.send(id, this.#reactor.recovery(left), lease);
      // The events of the previous holder may ask for another effect.
      if (this.#reactor.next(this.#state(id))?.key !== effect.key || left !== undefined) return;
    }
    const ensureHeld = (): void => {
      if (!leases.isHeld(name)) controller.abort(new LeaseLost());
      signal.throwIfAborted();
    };
    const send = async (command: unknown) => (await this.#commands.send(id, command, lease)).state;
    ensureHeld();
    await this.#reactor.perform(effect, { id, signal, send, ensureHeld, state: () => this.#state(id) });
    this.#commands.succeeded();
  }

  /**
   * Handles a lost lease, a log that takes no appends, or a bug. A bug is reported and ends the stream, if that can
   * still be recorded.
   */
  async #failed(id: string, error: unknown): Promise<void> {
    const name = this.#stream(id);
    const { leases } = this.#dependencies;
    if (isFenced(error)) return leases.lost(name);
    if (isFromNewerProgram(error)) return this.#leaveToNewer(id, error);
    const lease = leases.isHeld(name) ? await leases.acquire(name) : null;
    const wait = waitingFor(error);
    if (wait !== null) return this.#commands.interruptLater(id, { reason: wait.reason, lease, wait });
    this.#commands.report(id, error);
    const message = error instanceof Error ? error.message : String(error);
    try {
      await this.#commands.send(id, this.#reactor.failure(message), lease);
    } catch (second) {
      if (isFenced(second)) return leases.lost(name);
      const later = waitingFor(second);
      if (later !== null) return this.#commands.interruptLater(id, { reason: later.reason, lease, wait: later });
      this.#isStopped = true;
      this.#dependencies.report(`Background work stops until a restart: ${(second as Error).message}`);
      // Work is half done, so the leases are not released: they run out, and other daemons take over.
      for (const left of this.#inFlight.keys()) leases.lost(this.#stream(left));
    }
  }

  /** The newest state. */
  #state(id: string): unknown {
    return this.#dependencies.commandHandler.load(this.#reactor.decider, id);
  }
}
