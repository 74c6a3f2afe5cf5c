/**
 * What a reactor is: a function from the newest state of a stream to the one effect that it wants, and the effect,
 * whose outcome comes back as a command. `reactor-runner.ts` runs it.
 */
import type { Decider } from '../commands/decider.ts';

export interface EffectScope<Command, State> {
  readonly id: string;
  readonly signal: AbortSignal;
  /** The newest state. */
  state(): State;
  /** Sends a command of this stream and answers the state it led to. Throws when the lease is lost. */
  send(command: Command): Promise<State>;
  /** Throws, and aborts the signal, unless this daemon surely holds the lease: called before the outside is changed. */
  ensureHeld(): void;
}

export interface Reactor<Command, State, Event extends { readonly type: string; readonly data: unknown }, Effect> {
  readonly decider: Decider<Command, State, Event>;
  /** Who causes the events of a stream's effects: `agent:<run>` for a run, `system` for the daemon's own work. */
  readonly actor: (id: string) => string;
  readonly next: (state: State) => (Effect & { readonly key: string }) | undefined;
  /** Whether this daemon can do what the state wants; when left out, it can. */
  readonly takes?: (state: State) => boolean;
  /** Waits until the effect may start; the lease is taken after that. Rejects with the signal's reason on abort. */
  admit?(effect: Effect, place: { readonly id: string; readonly signal: AbortSignal }): Promise<void>;
  /** Does the effect and sends its outcome. Throws only when aborted or on a bug. */
  perform(effect: Effect, scope: EffectScope<Command, State>): Promise<void>;
  /** The stream wants nothing any more, or another daemon does it. */
  rested(id: string): void;
  /** The command that says that what was in flight is gone. */
  recovery(reason: string): Command;
  /** The command that ends a stream whose effect threw: a bug. */
  failure(message: string): Command;
}
