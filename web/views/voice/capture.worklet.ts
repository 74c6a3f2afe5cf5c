/**
 * Runs in the audio thread of the browser: cuts the microphone's sound into pieces of 40 ms for the daemon's socket.
 */
import { createResampler } from '../../lib/resample.ts';

/** Globals of the audio thread that the types of a page do not declare. */
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

  /** The first channel: the browser mixes all channels of the microphone into it. */
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
