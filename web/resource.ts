/**
 * An answer of the daemon, kept while the page is open and loaded again after relevant events. A view shows the kept
 * answer immediately and is updated when the new one comes.
 *
 * - Several events cause one request; two requests are at least `EVERY_MS` apart and respect the rate limit.
 * - A resource that is not shown is not loaded, only marked as stale.
 * - `fold` computes the new answer from the old one and an event, without a request, if the event contains everything.
 * - `change` shows an optimistic value until the next answer; views mark it with `isPending`. A change is sent when the one
 *   before it is answered, so that the newest one wins.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { type Envelope, isStatus, roomForBackground } from './api.ts';
import { epoch, isOpen, onEvents } from './live.ts';

const EVERY_MS = 2_000;
const TOGETHER_MS = 120;

export interface ResourceOptions<Value> {
  load(): Promise<Value>;
  /** Whether an event may change the answer. */
  concerns(event: Envelope): boolean;
  /** The answer after a relevant event, which it may contain already; null if only the daemon knows it. */
  fold?(value: Value, event: Envelope): Value | null;
  /** Whether a folded answer is complete; otherwise it is shown until the daemon has answered. */
  isWhole?(value: Value): boolean;
}

export interface Resource<Value> {
  /** The newest answer; undefined before the first. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why the last attempt failed; null after an answer. */
  readonly error: ReadonlySignal<Error | null>;
  /** Whether a change is shown that the daemon has not confirmed. */
  readonly isPending: ReadonlySignal<boolean>;
  /** Loads now. */
  refresh(): Promise<void>;
  /** Shows a change immediately, sends it after earlier ones, and then shows the answer of the daemon, even if it refused. */
  change(shown: (value: Value) => Value, sent: () => Promise<unknown>): Promise<void>;
  /** Stores an answer that came with another request. */
  put(value: Value): void;
  /** Keeps it up to date until the returned function is called. */
  watch(): () => void;
}

const all = new Set<{ hear(events: readonly Envelope[]): void; forget(): void }>();
let isHearing = false;

function hear(): void {
  if (isHearing) return;
  isHearing = true;
  onEvents((events) => {
    for (const each of all) each.hear(events);
  });
  let before = epoch.value;
  epoch.subscribe((now) => {
    if (now !== before) for (const each of all) each.forget();
    before = now;
  });
  // After a failure, the next attempt is made when the daemon is back.
  isOpen.subscribe((open) => {
    if (open) for (const each of all) each.hear([]);
  });
}

export function resource<Value>(options: ResourceOptions<Value>): Resource<Value> {
  const made = new Kept(options);
  all.add(made);
  hear();
  return made;
}

class Kept<Value> implements Resource<Value> {
  readonly value = signal<Value | undefined>(undefined);
  readonly error = signal<Error | null>(null);
  readonly isPending = signal(false);
  readonly #options: ResourceOptions<Value>;
  #watchers = 0;
  #isStale = true;
  #readAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is shown without the changes that are not confirmed. */
  #confirmed: Value | undefined;
  #changes: readonly ((value: Value) => Value)[] = [];
  #sending: Promise<unknown> = Promise.resolve();
  /** How often it was set other than by an answer to a request of `#read`. */
  #edits = 0;
  #reading: Promise<void> | null = null;
  /** Events since the request in progress was sent. */
  #heard: Envelope[] = [];

  constructor(options: ResourceOptions<Value>) {
    this.#options = options;
  }

  hear(events: readonly Envelope[]): void {
    for (const event of events) if (this.#options.concerns(event)) this.#take(event);
    if (this.error.value !== null) this.#isStale = true;
    this.#readSoon();
  }

  /** The answer of a request in progress may be older than the event. */
  #take(event: Envelope): void {
    const value = this.#confirmed;
    if (this.#reading !== null) this.#heard.push(event);
    const folded = value === undefined ? null : (this.#options.fold?.(value, event) ?? null);
    const isWhole = folded !== null && (this.#options.isWhole?.(folded) ?? true);
    if (!isWhole || this.#reading !== null || this.#changes.length > 0) this.#isStale = true;
    if (folded !== null) this.#show(folded);
  }

  #show(confirmed: Value | undefined): void {
    this.#confirmed = confirmed;
    let value = confirmed;
    for (const shown of this.#changes) value = value === undefined ? undefined : shown(value);
    this.value.value = value;
  }

  forget(): void {
    this.#show(undefined);
    this.#isStale = true;
    this.#readSoon();
  }

  put(value: Value): void {
    this.#edits += 1;
    this.#show(value);
    this.error.value = null;
    this.#isStale = false;
  }

  watch(): () => void {
    this.#watchers += 1;
    if (this.#isStale && this.#timer === undefined) void this.#read(false);
    return () => {
      this.#watchers -= 1;
    };
  }

  refresh(): Promise<void> {
    this.#isStale = true;
    return this.#read(false);
  }

  async change(shown: (value: Value) => Value, sent: () => Promise<unknown>): Promise<void> {
    this.#changes = [...this.#changes, shown];
    this.#show(this.#confirmed);
    this.isPending.value = true;
    const answered = this.#sending.then(sent);
    this.#sending = answered.catch(() => undefined);
    try {
      await answered;
      if (this.#confirmed !== undefined) this.#confirmed = shown(this.#confirmed);
    } finally {
      this.#changes = this.#changes.filter((each) => each !== shown);
      this.#edits += 1;
      this.#show(this.#confirmed);
      await this.refresh();
      this.isPending.value = this.#changes.length > 0;
    }
  }

  #readSoon(): void {
    if (!this.#isStale || this.#watchers === 0 || this.#timer !== undefined) return;
    // No longer than after a read, also when the clock was set back.
    const wait = Math.min(EVERY_MS, Math.max(TOGETHER_MS, this.#readAt + EVERY_MS - Date.now()));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#watchers > 0) void this.#read(true);
    }, wait);
  }

  /** An answer requested before an edit would undo what is shown, so a request in progress is followed by another. */
  async #read(isBackground: boolean): Promise<void> {
    while (this.#reading !== null) await this.#reading;
    if (!this.#isStale) return;
    this.#reading = this.#readOnce(isBackground).finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #readOnce(isBackground: boolean): Promise<void> {
    if (isBackground) await roomForBackground();
    this.#isStale = false;
    this.#readAt = Date.now();
    const edits = this.#edits;
    this.#heard = [];
    try {
      let value: Value = await this.#options.load();
      this.error.value = null;
      // An older answer would take away what came meanwhile, until the next one.
      for (const event of this.#heard) value = this.#options.fold?.(value, event) ?? value;
      if (this.#edits === edits) this.#show(value);
      else this.#isStale = true;
    } catch (error) {
      this.#isStale = true;
      this.error.value = error as Error;
      return;
    }
    this.#readSoon();
  }
}

/** Keeps a resource up to date while the component is shown. The request is sent before the page is painted. */
export function useResource<Value>(of: Resource<Value>): Resource<Value> {
  useLayoutEffect(() => of.watch(), [of]);
  return of;
}

/** Loads resources that change without events: again when they are shown, and regularly while the page is visible. */
export function useEvery(ms: number, ...of: readonly Resource<unknown>[]): void {
  useEffect(() => {
    for (const each of of) if (each.value.value !== undefined) void each.refresh();
    const timer = setInterval(() => {
      if (!document.hidden) for (const each of of) void each.refresh();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, ...of]);
}

/** A resource of one component, kept as long as it is shown. */
export function useOwnResource<Value>(make: () => ResourceOptions<Value>, key: unknown): Resource<Value> {
  const own = useMemo(() => new Kept(make()), [key]);
  useLayoutEffect(() => {
    all.add(own);
    hear();
    return () => void all.delete(own);
  }, [own]);
  return own;
}

/** A resource for each key, the newest `max` of them kept. */
export function resources<Value>(
  max: number,
  make: (key: string) => ResourceOptions<Value>,
): (key: string) => Resource<Value> {
  const kept = new Map<string, Resource<Value> & { hear(events: readonly Envelope[]): void; forget(): void }>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const made = new Kept(make(key));
    kept.set(key, made);
    all.add(made);
    hear();
    const [oldest] = kept;
    if (kept.size > max && oldest !== undefined) {
      kept.delete(oldest[0]);
      all.delete(oldest[1]);
    }
    return made;
  };
}

/** Whether an event is of one of these categories (the part of the stream's name before the first dash). */
export function ofCategory(...categories: readonly string[]): (event: Envelope) => boolean {
  return ({ stream }) => categories.some((category) => stream.startsWith(`${category}-`));
}

/** A failure as a message for the user. */
export function sentenceOf(error: Error, words: { readonly unreachable: string }): string {
  return isStatus(error, 0) ? words.unreachable : error.message;
}
