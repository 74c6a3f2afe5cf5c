/** Converts sound from the sample rate of a device to another rate, as 16-bit integers. */

const LARGEST = 0x7fff;

/**
 * Each sample is the mean of the samples in its interval, to suppress frequencies that are too high for the new rate.
 */
export function createResampler(fromHz: number, toHz: number): (input: Float32Array) => Int16Array<ArrayBuffer> {
  const span = fromHz / toHz;
  let sum = 0;
  let filled = 0;
  return (input) => {
    const output: number[] = [];
    for (const sample of input) {
      let rest = 1;
      while (filled + rest >= span) {
        const taken = span - filled;
        output.push(whole((sum + sample * taken) / span));
        sum = 0;
        filled = 0;
        rest -= taken;
      }
      sum += sample * rest;
      filled += rest;
    }
    return Int16Array.from(output);
  };
}

function whole(sample: number): number {
  return Math.round(Math.max(-1, Math.min(1, sample)) * LARGEST);
}
