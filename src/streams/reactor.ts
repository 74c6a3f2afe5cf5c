/**
 * A reactor (process manager): a pure function from the newest state of a stream to the effect that is due, and the
 * effect itself, whose outcome is sent as a command. `reactor-runner.ts` runs it. An effect in flight goes on while
 * `next` returns the same key; undefined means that no effect is due.
 */
import type { Decider } from '../commands/decider.ts';

export interface EffectScope<Command, State> {
  readonly id: string;
  readonly signal: AbortSignal;
  /** The newest state. */
  state(): State;
  /** Sends a command to this stream and returns the state that it leads to. Throws when the lease is lost. */
  send(command: Command): Promise<State>;
  /**
   * Called before the outside is changed: aborts the signal and throws unless this daemon certainly holds the lease.
   */
  ensureHeld(): void;
}

export interface Reactor<Command, State, Event extends { readonly type: string; readonly data: unknown }, Effect> {
  readonly decider: Decider<Command, State, Event>;
  /** The actor of the events that effects lead to: `agent:<run>` for a run, `system` for the daemon's own work. */
  readonly actor: (id: string) => string;
  readonly next: (state: State) => (Effect & { readonly key: string }) | undefined;
  /** Whether this daemon can perform the effects of the stream; when left out, it always can. */
  readonly takes?: (state: State) => boolean;
  /** Resolves when the effect may start; the lease is taken after that. Rejects with the signal's reason on abort. */
  admit?(effect: Effect, place: { readonly id: string; readonly signal: AbortSignal }): Promise<void>;
  /** Performs the effect and sends its outcome. Throws only when aborted or on a bug. */
  perform(effect: Effect, scope: EffectScope<Command, State>): Promise<void>;
  /** Called when no effect is due, or another daemon performs it. */
  rested(id: string): void;
  /** The command that records that the effect in flight was interrupted. */
  recovery(reason: string): Command;
  /** The command that ends a stream whose effect threw: a bug. */
  failure(message: string): Command;
}

// biome-ignore lint/suspicious/noExplicitAny: the one erased generic; each reactor is checked where it is made.
export type AnyReactor = Reactor<any, any, any, any>;
