/** Runs in the audio thread of the browser: the microphone's sound in pieces of 40 ms, as the daemon's socket takes it. */
import { createResampler } from '../../lib/resample.ts';

/** What the audio thread has, and the types of a page do not. */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

const RATE_HZ = 16_000;
const PIECE_SAMPLES = 640;

class Capture extends AudioWorkletProcessor {
  readonly #resample = createResampler(sampleRate, RATE_HZ);
  #piece = new Int16Array(PIECE_SAMPLES);
  #filled = 0;

  /** The first channel: the browser mixes what the microphone has into it. */
  process([input]: readonly Float32Array[][]): boolean {
    const [channel] = input ?? [];
    if (channel === undefined) return true;
    for (const sample of this.#resample(channel)) {
      this.#piece[this.#filled++] = sample;
      if (this.#filled === PIECE_SAMPLES) this.#send();
    }
    return true;
  }

  #send(): void {
    this.port.postMessage(this.#piece, [this.#piece.buffer]);
    this.#piece = new Int16Array(PIECE_SAMPLES);
    this.#filled = 0;
  }
}

registerProcessor('capture', Capture);
