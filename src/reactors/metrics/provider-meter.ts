/** Counts the calls of models from the events of runs: tokens, errors and latencies by provider. */
import { decodeEvents } from '../../events/decode.ts';
import { runEvents } from '../../events/run/events.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

interface Counted {
  calls: number;
  errors: number;
  input: number;
  output: number;
  milliseconds: number[];
}

interface Asked {
  readonly provider: string;
  readonly at: number;
}

/** Further providers count as one. */
const PROVIDERS_MAX = 5;
const OTHERS = 'others';
/** Calls that wait for their answer; a run that was given up leaves one behind. */
const ASKED_MAX = 1_000;
const ALMOST_ALL = 0.99;

const COUNTED_TYPES = new Set(['ModelAsked', 'ModelAnswered', 'ModelCallFailed', 'ModelCallInterrupted']);

export class ProviderMeter {
  readonly #asked = new Map<string, Asked>();
  readonly #counted = new Map<string, Counted>();

  /** Takes in events as they are committed. */
  hear(events: readonly RecordedEvent[]): void {
    const counted = events.filter(({ type, stream }) => COUNTED_TYPES.has(type) && stream.startsWith('run-'));
    for (const { type, stream, at, data } of decodeEvents(runEvents, counted)) {
      if (type === 'ModelAsked') this.#ask(`${stream} ${data.call}`, { provider: data.provider, at });
      if (type === 'ModelAnswered') this.#answer(`${stream} ${data.call}`, at, data.usage);
      if (type === 'ModelCallFailed') this.#fail(`${stream} ${data.call}`);
      if (type === 'ModelCallInterrupted') this.#asked.delete(`${stream} ${data.call}`);
    }
  }

  /** By provider: `calls`, `errors`, `tokens_in`, `tokens_out`, and the latencies in seconds, null without an answer. */
  read(): Readonly<Record<string, number | null>> {
    const found: Record<string, number | null> = {};
    for (const [provider, { calls, errors, input, output, milliseconds }] of this.#counted) {
      const name = (what: string): string => `provider:${provider}:${what}`;
      found[name('calls')] = calls;
      found[name('errors')] = errors;
      found[name('tokens_in')] = input;
      found[name('tokens_out')] = output;
      const sorted = milliseconds.toSorted((one, other) => one - other);
      found[name('latency_p50')] = at(sorted, 0.5);
      found[name('latency_p99')] = at(sorted, ALMOST_ALL);
      this.#counted.set(provider, { calls: 0, errors: 0, input: 0, output: 0, milliseconds: [] });
    }
    return found;
  }

  #ask(call: string, asked: Asked): void {
    const [oldest] = this.#asked.keys();
    if (this.#asked.size >= ASKED_MAX && oldest !== undefined) this.#asked.delete(oldest);
    this.#asked.set(call, asked);
  }

  #answer(call: string, at: number, usage: { input_tokens: number | null; output_tokens: number | null }): void {
    const asked = this.#asked.get(call);
    if (asked === undefined) return;
    this.#asked.delete(call);
    const counted = this.#of(asked.provider);
    counted.calls += 1;
    counted.input += usage.input_tokens ?? 0;
    counted.output += usage.output_tokens ?? 0;
    counted.milliseconds.push(Math.max(0, at - asked.at));
  }

  #fail(call: string): void {
    const asked = this.#asked.get(call);
    if (asked === undefined) return;
    this.#asked.delete(call);
    const counted = this.#of(asked.provider);
    counted.calls += 1;
    counted.errors += 1;
  }

  #of(provider: string): Counted {
    const isKnown = this.#counted.has(provider) || this.#counted.size < PROVIDERS_MAX;
    const name = isKnown ? provider : OTHERS;
    const counted = this.#counted.get(name) ?? { calls: 0, errors: 0, input: 0, output: 0, milliseconds: [] };
    this.#counted.set(name, counted);
    return counted;
  }
}

function at(sorted: readonly number[], share: number): number | null {
  const found = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return found === undefined ? null : found / 1_000;
}
