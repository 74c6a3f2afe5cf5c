/** Plays the sentences of an answer one after another, until the user speaks. */

export class Player {
  readonly #context = new AudioContext();
  readonly #playing = new Set<AudioBufferSourceNode>();
  /** When the last piece ends, on the clock of the context. */
  #endsAt = 0;

  play(samples: Float32Array<ArrayBuffer>, rateHz: number): void {
    if (samples.length === 0) return;
    const buffer = this.#context.createBuffer(1, samples.length, rateHz);
    buffer.copyToChannel(samples, 0);
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    source.onended = () => this.#playing.delete(source);
    this.#playing.add(source);
    this.#endsAt = Math.max(this.#endsAt, this.#context.currentTime);
    source.start(this.#endsAt);
    this.#endsAt += buffer.duration;
  }

  /** Stops the playback, and discards the queue. */
  flush(): void {
    for (const source of this.#playing) source.stop();
    this.#playing.clear();
    this.#endsAt = 0;
  }

  close(): void {
    this.flush();
    void this.#context.close();
  }
}
