/** Measures model calls from the events of runs: tokens, errors and latencies by provider. */
import { decodeReadable } from '../../events/decode.ts';
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

/** Further providers are counted together. */
const PROVIDERS_MAX = 5;
const OTHERS = 'others';
/** Calls without an answer that are remembered; an abandoned run leaves its call here. */
const ASKED_MAX = 1_000;
const ALMOST_ALL = 0.99;

const COUNTED_TYPES = new Set(['ModelAsked', 'ModelAnswered', 'ModelCallFailed', 'ModelCallInterrupted']);

export class ProviderMeter {
  readonly #asked = new Map<string, Asked>();
  readonly #counted = new Map<string, Counted>();

  /** Counts committed events, without those of a newer program. */
  count(events: readonly RecordedEvent[]): void {
    const counted = events.filter(({ type, stream }) => COUNTED_TYPES.has(type) && stream.startsWith('run-'));
    for (const { type, stream, at, data } of decodeReadable(runEvents, counted, () => undefined)) {
      if (type === 'ModelAsked') this.#ask(`${stream} ${data.call}`, { provider: data.provider, at });
      if (type === 'ModelAnswered') this.#answer(`${stream} ${data.call}`, at, data.usage);
      if (type === 'ModelCallFailed') this.#fail(`${stream} ${data.call}`);
      if (type === 'ModelCallInterrupted') this.#asked.delete(`${stream} ${data.call}`);
    }
  }

  /** The values since the last call, by provider; latencies are in seconds, null without an answer. */
  take(): Readonly<Record<string, number | null>> {
    const values: Record<string, number | null> = {};
    for (const [provider, { calls, errors, input, output, milliseconds }] of this.#counted) {
      const name = (metric: string): string => `provider:${provider}:${metric}`;
      values[name('calls')] = calls;
      values[name('errors')] = errors;
      values[name('tokens_in')] = input;
      values[name('tokens_out')] = output;
      const sorted = milliseconds.toSorted((one, other) => one - other);
      values[name('latency_p50')] = quantile(sorted, 0.5);
      values[name('latency_p99')] = quantile(sorted, ALMOST_ALL);
      this.#counted.set(provider, { calls: 0, errors: 0, input: 0, output: 0, milliseconds: [] });
    }
    return values;
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

function quantile(sorted: readonly number[], share: number): number | null {
  const milliseconds = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return milliseconds === undefined ? null : milliseconds / 1_000;
}
