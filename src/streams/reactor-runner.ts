/**
 * Runs a reactor: for every stream of its category it looks at the newest state, performs the one effect that state
 * wants and lets the outcome come back as a command.
 *
 * - At most one effect per stream is in flight; when the state stops wanting it, its signal is aborted.
 * - The next effect starts only after the one before has let go, so two effects of one stream never overlap.
 * - After a crash `recover` first tells the decider that what was in flight is gone; only then effects start.
 */
import { map, merge, mergeMap, type Observable, Subject } from 'rxjs';
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
  /** The command that ends a stream whose effect failed by a bug of ours. */
  failure(message: string): Command;
}

export interface ReactorRunner {
  /** Takes up streams that were not at rest when the last process ended. */
  recover(ids: readonly string[], reason: string): Promise<void>;
  /** How many effects are in flight. */
  readonly inFlight: number;
  /** Aborts what is in flight, waits until it let go (at most `graceMs`) and records the interruptions. */
  stop(reason: string, graceMs: number): Promise<void>;
}

interface InFlight {
  readonly key: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export interface ReactorRunnerDependencies {
  readonly dispatcher: CommandHandler;
  /** What is durable: a reactor depends on states of deciders, not on views. */
  readonly appended$: Observable<EventBatch>;
  readonly report: (message: string) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: the one erased generic; each reactor is checked where it is made.
type AnyReactor = Reactor<any, any, any, any>;

export function createReactorRunner(
  reactor: AnyReactor,
  { dispatcher, appended$, report }: ReactorRunnerDependencies,
): ReactorRunner {
  const { category } = reactor.decider;
  const inFlight = new Map<string, InFlight>();
  const revisited$ = new Subject<string>();
  const changed$ = appended$.pipe(
    select({ category }),
    mergeMap((events) => events),
    map(({ stream }) => stream.slice(category.length + 1)),
  );
  let stopped = false;

  function look(id: string): void {
    try {
      if (!stopped) startOrAbort(id);
    } catch (error) {
      report(`${category}-${id}: ${(error as Error).message}`);
    }
  }

  function startOrAbort(id: string): void {
    const wanted = reactor.next(dispatcher.load(reactor.decider, id));
    const current = inFlight.get(id);
    if (current !== undefined) {
      if (current.key !== wanted?.key) current.controller.abort(new Error('The run moved on.'));
      return;
    }
    if (wanted === undefined) reactor.rested(id);
    else start(id, wanted);
  }

  function start(id: string, effect: { readonly key: string }): void {
    const controller = new AbortController();
    const send = async (command: unknown) => (await dispatch(id, command)).state;
    const done = reactor
      .perform(effect, { id, signal: controller.signal, send, state: () => dispatcher.load(reactor.decider, id) })
      .catch((error: unknown) => (controller.signal.aborted ? undefined : failed(id, error)))
      .finally(() => {
        inFlight.delete(id);
        revisited$.next(id);
      });
    inFlight.set(id, { key: effect.key, controller, done });
  }

  /** A bug, or a log that takes nothing any more: say so; the run ends only if that can still be recorded. */
  async function failed(id: string, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    report(`${category}-${id}: ${message}`);
    try {
      await dispatch(id, reactor.failure(message));
    } catch (second) {
      stopped = true;
      report(`Background work stops until a restart: ${(second as Error).message}`);
    }
  }

  function dispatch(id: string, command: unknown) {
    const origin = { actor: reactor.actor(id), correlation: id };
    return dispatcher.dispatch(reactor.decider, id, command, { origin });
  }

  const due$ = merge(changed$, revisited$).pipe(uniquePerTurn());
  const subscription = due$.subscribe((ids) => ids.forEach(look));

  return {
    get inFlight() {
      return inFlight.size;
    },
    async recover(ids, reason) {
      for (const id of ids) {
        await dispatch(id, reactor.recovery(reason));
        revisited$.next(id);
      }
    },
    async stop(reason, graceMs) {
      stopped = true;
      subscription.unsubscribe();
      const left = [...inFlight];
      for (const [, effect] of left) effect.controller.abort(new Error(reason));
      const grace = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
      await Promise.race([Promise.allSettled(left.map(([, effect]) => effect.done)), grace]);
      for (const [id] of left) await dispatch(id, reactor.recovery(reason)).catch(() => undefined);
    },
  };
}
