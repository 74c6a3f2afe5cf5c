/**
 * Runs a reactor: for every stream of its category it looks at the newest state, performs the one effect that state
 * wants and lets the outcome come back as a command.
 *
 * - At most one effect per stream is in flight; when the state stops wanting it, its signal is aborted.
 * - The next effect starts only after the one before has let go, so two effects of one stream never overlap.
 * - An effect runs under the lease of its stream, and its commands carry that lease. When the lease is lost the effect
 *   is aborted and sends nothing more. Streams that other daemons hold are taken up when their leases are free.
 * - While the disk is full, or the database is away, nothing can be recorded: streams wait, and are taken up as after a
 *   crash when the log takes events again.
 * - After a crash `recover` first tells the decider that what was in flight is gone; only then effects start.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { filter, map, merge, mergeMap, type Observable, Subject, type Subscription } from 'rxjs';
import type { Fence, Lease, Leases } from '../ports/leases.ts';
import type { RecordedEvent } from '../storage/event-log.ts';
import type { CommandHandler } from './command-handler.ts';
import type { EventBatch } from './committed-events.ts';
import { isFenced, isOfNewer, LeaseLost, type LogWait, waitingFor } from './log-refusals.ts';
import { select, uniquePerTurn } from './operators.ts';
import type { Reactor } from './reactor.ts';

export interface ReactorRunnerDependencies {
  readonly commandHandler: CommandHandler;
  readonly leases: Leases;
  /** What is durable: a reactor depends on states of deciders, not on views. */
  readonly appended$: Observable<EventBatch>;
  readonly report: (message: string) => void;
  /** Milliseconds between two attempts on a log that takes no events; 1 000 when left out. */
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;
const TAKEN_OVER = 'the daemon that ran it stopped answering';

interface InFlight {
  readonly key: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** A stream whose effect is gone, and the lease under which that is recorded; null: it was lost. */
interface Left {
  readonly reason: string;
  readonly lease: Lease | null;
}

// biome-ignore lint/suspicious/noExplicitAny: the one erased generic; each reactor is checked where it is made.
type AnyReactor = Reactor<any, any, any, any>;

export class ReactorRunner {
  readonly #reactor: AnyReactor;
  readonly #dependencies: ReactorRunnerDependencies;
  /** By the id of the stream. */
  readonly #inFlight = new Map<string, InFlight>();
  /** Ids of streams that are left to other daemons as long as one holds the lease, or as this one cannot take them. */
  readonly #elsewhere = new Set<string>();
  /** Why the state of a stream has to be recovered once this daemon has its lease, by id. */
  readonly #unrecovered = new Map<string, string>();
  /** Ids of streams that newer daemons have to take: this one does not know all of their events. */
  readonly #tooNew = new Set<string>();
  /** Ids of streams whose state is to be looked at although no event was appended. */
  readonly #revisited$ = new Subject<string>();
  readonly #subscription: Subscription;
  /** Ends the waiting for a log that takes no events. */
  readonly #stopping = new AbortController();
  #isStopped = false;
  /** Whether it was reported that the log takes no events, and no effect has succeeded since. */
  #isWaitReported = false;

  constructor(reactor: AnyReactor, dependencies: ReactorRunnerDependencies) {
    this.#reactor = reactor;
    this.#dependencies = dependencies;
    const { leases, appended$ } = dependencies;
    const { category } = reactor.decider;
    const changed$ = appended$.pipe(
      select({ category }),
      mergeMap((events) => events),
      map((event) => ({ event, id: event.stream.slice(category.length + 1) })),
      filter(({ event, id }) => this.#concerns(event, id)),
      map(({ id }) => id),
    );
    this.#subscription = merge(changed$, this.#revisited$)
      .pipe(uniquePerTurn())
      .subscribe((ids) => {
        for (const id of ids) this.#look(id);
      });
    this.#subscription.add(leases.onLost((name) => this.#leaseLost(name)));
    this.#subscription.add(leases.onLooked(() => this.#lookElsewhere()));
  }

  /** How many effects are in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Takes up streams that were not at rest when the last process ended. */
  async recover(ids: readonly string[], reason: string): Promise<void> {
    const { leases } = this.#dependencies;
    for (const id of ids) {
      if (leases.isShared) {
        if (!leases.isElsewhere(this.#lease(id))) this.#unrecovered.set(id, reason);
        this.#elsewhere.add(id);
      } else {
        const lease = await leases.acquire(this.#lease(id));
        const wait = await this.#recover(id, { reason, lease });
        if (wait === null) this.#revisited$.next(id);
        else void this.#recoverLater(id, { reason, lease, wait }).then(() => this.#revisited$.next(id));
      }
    }
    this.#lookElsewhere();
  }

  /** Aborts what is in flight, waits until it let go (at most `graceMs`) and records the interruptions. */
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
      const name = this.#lease(id);
      if (!leases.isHeld(name)) continue;
      const lease = await leases.acquire(name);
      // What is not recorded as interrupted must not be given back as if nothing were half done.
      await this.#dispatch(id, this.#reactor.recovery(reason), lease).catch(() => leases.lost(name));
    }
  }

  #lease(id: string): string {
    return `${this.#reactor.decider.category}-${id}`;
  }

  /** Another daemon's event concerns this one while it has an effect in flight; else that daemon takes the stream. */
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
      if (leases.isElsewhere(this.#lease(id))) this.#unrecovered.delete(id);
      else {
        this.#elsewhere.delete(id);
        this.#revisited$.next(id);
      }
    }
    for (const [id, { controller }] of this.#inFlight) {
      if (leases.isElsewhere(this.#lease(id))) controller.abort(new LeaseLost());
    }
  }

  #leaseLost(name: string): void {
    const prefix = `${this.#reactor.decider.category}-`;
    if (name.startsWith(prefix)) this.#inFlight.get(name.slice(prefix.length))?.controller.abort(new LeaseLost());
  }

  #look(id: string): void {
    try {
      if (!this.#isStopped && !this.#tooNew.has(id)) this.#startOrAbort(id);
    } catch (error) {
      if (isOfNewer(error)) this.#leaveToNewer(id, error);
      else this.#report(id, error);
    }
  }

  #startOrAbort(id: string): void {
    const current = this.#inFlight.get(id);
    if (current === undefined && this.#elsewhere.has(id)) return;
    const state = this.#state(id);
    const wanted = this.#reactor.next(state);
    if (current !== undefined) {
      if (current.key !== wanted?.key) current.controller.abort(new Error('The run moved on.'));
      return;
    }
    if (wanted === undefined) this.#rest(id);
    else if (this.#isLeft(id, state)) this.#elsewhere.add(id);
    else this.#start(id, wanted);
  }

  /** Whether another daemon has the stream, or has to take it. */
  #isLeft(id: string, state: unknown): boolean {
    return this.#dependencies.leases.isElsewhere(this.#lease(id)) || this.#reactor.takes?.(state) === false;
  }

  /** The lease runs out, and another daemon takes the stream over. */
  #leaveToNewer(id: string, error: Error): void {
    this.#tooNew.add(id);
    this.#report(id, error);
    this.#dependencies.leases.lost(this.#lease(id));
  }

  #rest(id: string): void {
    this.#elsewhere.delete(id);
    this.#unrecovered.delete(id);
    this.#reactor.rested(id);
    void this.#dependencies.leases.release(this.#lease(id));
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
    const name = this.#lease(id);
    await this.#reactor.admit?.(effect, { id, signal });
    const isNew = !leases.isHeld(name);
    const lease = await leases.acquire(name);
    if (lease === null) {
      this.#elsewhere.add(id);
      this.#reactor.rested(id);
      return;
    }
    if (isNew) {
      const left = this.#unrecovered.get(id) ?? (lease.isTakenOver ? TAKEN_OVER : undefined);
      this.#unrecovered.delete(id);
      if (left !== undefined) await this.#dispatch(id, this.#reactor.recovery(left), lease);
      // What the holder before has appended may want something else.
      if (this.#reactor.next(this.#state(id))?.key !== effect.key || left !== undefined) return;
    }
    const ensureHeld = (): void => {
      if (!leases.isHeld(name)) controller.abort(new LeaseLost());
      signal.throwIfAborted();
    };
    const send = async (command: unknown) => (await this.#dispatch(id, command, lease)).state;
    ensureHeld();
    await this.#reactor.perform(effect, { id, signal, send, ensureHeld, state: () => this.#state(id) });
    this.#isWaitReported = false;
  }

  /**
   * A lost lease, a log that takes no events, or a bug. A bug is reported, and the stream ends if that can still be
   * recorded.
   */
  async #failed(id: string, error: unknown): Promise<void> {
    const name = this.#lease(id);
    const { leases } = this.#dependencies;
    if (isFenced(error)) return leases.lost(name);
    if (isOfNewer(error)) return this.#leaveToNewer(id, error);
    const lease = leases.isHeld(name) ? await leases.acquire(name) : null;
    const wait = waitingFor(error);
    if (wait !== null) return this.#recoverLater(id, { reason: wait.reason, lease, wait });
    this.#report(id, error);
    const message = error instanceof Error ? error.message : String(error);
    try {
      await this.#dispatch(id, this.#reactor.failure(message), lease);
    } catch (second) {
      if (isFenced(second)) return leases.lost(name);
      const later = waitingFor(second);
      if (later !== null) return this.#recoverLater(id, { reason: later.reason, lease, wait: later });
      this.#isStopped = true;
      this.#dependencies.report(`Background work stops until a restart: ${(second as Error).message}`);
      // Not given back, as work is half done: they run out, and other daemons take over.
      for (const left of this.#inFlight.keys()) leases.lost(this.#lease(left));
    }
  }

  /** Tries to recover the stream until the log takes events, the lease is lost, or the runner stops. */
  async #recoverLater(id: string, left: Left & { readonly wait: LogWait }): Promise<void> {
    if (!this.#isWaitReported) this.#report(id, new Error(left.wait.note));
    this.#isWaitReported = true;
    const { retryMs = RETRY_MS } = this.#dependencies;
    try {
      do await sleep(retryMs, undefined, { ref: false, signal: this.#stopping.signal });
      while ((await this.#recover(id, left)) !== null);
    } catch (error) {
      if (!this.#isStopped) this.#report(id, error);
    }
  }

  /** What is to be waited for; null when it is recorded, or left to the next holder of the lease. */
  async #recover(id: string, { reason, lease }: Left): Promise<LogWait | null> {
    try {
      await this.#dispatch(id, this.#reactor.recovery(reason), lease);
      return null;
    } catch (error) {
      const wait = waitingFor(error);
      if (wait === null && !isFenced(error)) throw error;
      if (wait === null) this.#dependencies.leases.lost(this.#lease(id));
      return wait;
    }
  }

  /** The newest state. */
  #state(id: string): unknown {
    return this.#dependencies.commandHandler.load(this.#reactor.decider, id);
  }

  /** Throws `LeaseLost` unless this daemon surely holds the lease. */
  async #dispatch(id: string, command: unknown, lease: Fence | null) {
    const { leases, commandHandler } = this.#dependencies;
    if (lease === null || !leases.isHeld(this.#lease(id))) throw new LeaseLost();
    const origin = { actor: this.#reactor.actor(id), correlation: id };
    const { name, holder, epoch } = lease;
    const fence = { name, holder, epoch };
    return commandHandler.dispatch(this.#reactor.decider, id, command, { origin, fence });
  }

  #report(id: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#dependencies.report(`${this.#reactor.decider.category}-${id}: ${message}`);
  }
}
