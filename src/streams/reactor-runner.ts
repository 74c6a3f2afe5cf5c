/**
 * Runs a reactor: for every stream of its category it looks at the newest state, performs the one effect that state
 * wants and lets the outcome come back as a command.
 *
 * - At most one effect per stream is in flight; when the state stops wanting it, its signal is aborted.
 * - The next effect starts only after the one before has let go, so two effects of one stream never overlap.
 * - While the disk is full nothing can be recorded: streams wait, and are taken up as after a crash when there is room.
 * - After a crash `recover` first tells the decider that what was in flight is gone; only then effects start.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { map, merge, mergeMap, type Observable, Subject, type Subscription } from 'rxjs';
import type { Decider } from '../commands/decider.ts';
import type { CommandHandler } from './command-handler.ts';
import type { EventBatch } from './committed-events.ts';
import { select, uniquePerTurn } from './operators.ts';

export interface EffectScope<Command, State> {
  readonly id: string;
  readonly signal: AbortSignal;
  /** The newest state. */
  state(): State;
  /** Sends a command of this stream and answers the state it led to. */
  send(command: Command): Promise<State>;
}

export interface Reactor<Command, State, Event extends { readonly type: string; readonly data: unknown }, Effect> {
  readonly decider: Decider<Command, State, Event>;
  /** Who causes the events of a stream's effects: `agent:<run>` for a run, `system` for the daemon's own work. */
  readonly actor: (id: string) => string;
  readonly next: (state: State) => (Effect & { readonly key: string }) | undefined;
  /** Does the effect and sends its outcome. Throws only when aborted or on a bug. */
  perform(effect: Effect, scope: EffectScope<Command, State>): Promise<void>;
  /** The stream wants nothing any more. */
  rested(id: string): void;
  /** The command that says that what was in flight is gone. */
  recovery(reason: string): Command;
  /** The command that ends a stream whose effect threw: a bug. */
  failure(message: string): Command;
}

export interface ReactorRunnerDependencies {
  readonly commandHandler: CommandHandler;
  /** What is durable: a reactor depends on states of deciders, not on views. */
  readonly appended$: Observable<EventBatch>;
  readonly report: (message: string) => void;
  /** Milliseconds between two attempts on a full disk; 1 000 when left out. */
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;
const FULL = 'the disk was full';

interface InFlight {
  readonly key: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the one erased generic; each reactor is checked where it is made.
type AnyReactor = Reactor<any, any, any, any>;

export class ReactorRunner {
  readonly #reactor: AnyReactor;
  readonly #dependencies: ReactorRunnerDependencies;
  /** By the id of the stream. */
  readonly #inFlight = new Map<string, InFlight>();
  /** Ids of streams whose state is to be looked at although no event was appended. */
  readonly #revisited$ = new Subject<string>();
  readonly #subscription: Subscription;
  /** Ends the waiting for room. */
  readonly #stopping = new AbortController();
  #isStopped = false;
  /** Whether the full disk was reported, and no effect has succeeded since. */
  #isFullReported = false;

  constructor(reactor: AnyReactor, dependencies: ReactorRunnerDependencies) {
    this.#reactor = reactor;
    this.#dependencies = dependencies;
    const { category } = reactor.decider;
    const changed$ = dependencies.appended$.pipe(
      select({ category }),
      mergeMap((events) => events),
      map(({ stream }) => stream.slice(category.length + 1)),
    );
    this.#subscription = merge(changed$, this.#revisited$)
      .pipe(uniquePerTurn())
      .subscribe((ids) => {
        for (const id of ids) this.#look(id);
      });
  }

  /** How many effects are in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Takes up streams that were not at rest when the last process ended. */
  async recover(ids: readonly string[], reason: string): Promise<void> {
    for (const id of ids) {
      if (await this.#isRecovered(id, reason)) this.#revisited$.next(id);
      else void this.#recoverWithRoom(id, reason).then(() => this.#revisited$.next(id));
    }
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
    for (const [id] of left) await this.#dispatch(id, this.#reactor.recovery(reason)).catch(() => undefined);
  }

  #look(id: string): void {
    try {
      if (!this.#isStopped) this.#startOrAbort(id);
    } catch (error) {
      this.#report(id, error);
    }
  }

  #startOrAbort(id: string): void {
    const wanted = this.#reactor.next(this.#state(id));
    const current = this.#inFlight.get(id);
    if (current !== undefined) {
      if (current.key !== wanted?.key) current.controller.abort(new Error('The run moved on.'));
      return;
    }
    if (wanted === undefined) this.#reactor.rested(id);
    else this.#start(id, wanted);
  }

  #start(id: string, effect: { readonly key: string }): void {
    const controller = new AbortController();
    const { signal } = controller;
    const send = async (command: unknown) => (await this.#dispatch(id, command)).state;
    const done = this.#reactor
      .perform(effect, { id, signal, send, state: () => this.#state(id) })
      .then(() => {
        this.#isFullReported = false;
      })
      .catch((error: unknown) => (signal.aborted ? undefined : this.#failed(id, error)))
      .finally(() => {
        this.#inFlight.delete(id);
        this.#revisited$.next(id);
      });
    this.#inFlight.set(id, { key: effect.key, controller, done });
  }

  /** A bug, or a log that takes no more events: it is reported. The stream ends only if that can still be recorded. */
  async #failed(id: string, error: unknown): Promise<void> {
    if (isDiskFull(error)) return this.#recoverWithRoom(id, FULL);
    this.#report(id, error);
    const message = error instanceof Error ? error.message : String(error);
    try {
      await this.#dispatch(id, this.#reactor.failure(message));
    } catch (second) {
      if (isDiskFull(second)) return this.#recoverWithRoom(id, FULL);
      this.#isStopped = true;
      this.#dependencies.report(`Background work stops until a restart: ${(second as Error).message}`);
    }
  }

  /** Tries to recover the stream until there is room on the disk, or the runner stops. */
  async #recoverWithRoom(id: string, reason: string): Promise<void> {
    if (!this.#isFullReported) this.#report(id, new Error('The disk is full; it goes on when there is room again.'));
    this.#isFullReported = true;
    const { retryMs = RETRY_MS } = this.#dependencies;
    try {
      do await sleep(retryMs, undefined, { ref: false, signal: this.#stopping.signal });
      while (!(await this.#isRecovered(id, reason)));
    } catch (error) {
      if (!this.#isStopped) this.#report(id, error);
    }
  }

  /** False while the disk is full. */
  async #isRecovered(id: string, reason: string): Promise<boolean> {
    try {
      await this.#dispatch(id, this.#reactor.recovery(reason));
      return true;
    } catch (error) {
      if (isDiskFull(error)) return false;
      throw error;
    }
  }

  /** The newest state. */
  #state(id: string): unknown {
    return this.#dependencies.commandHandler.load(this.#reactor.decider, id);
  }

  #dispatch(id: string, command: unknown) {
    const origin = { actor: this.#reactor.actor(id), correlation: id };
    return this.#dependencies.commandHandler.dispatch(this.#reactor.decider, id, command, { origin });
  }

  #report(id: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#dependencies.report(`${this.#reactor.decider.category}-${id}: ${message}`);
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'STORAGE_FULL';
}
