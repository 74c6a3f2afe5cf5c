/** The clock and the identifiers of this machine. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import { uuidV7 } from '../storage/uuid.ts';

export const systemClock: Clock = { now: () => Date.now() };

const IDS_PER_MS = 4_096;

/** Ids of one millisecond have an ascending sequence. The time in the ids never decreases. */
export function idsOn(clock: Clock): IdGenerator {
  let lastMs = 0;
  let sequence = 0;
  return {
    uuid() {
      const ms = clock.now();
      sequence = ms > lastMs ? 0 : (sequence + 1) % IDS_PER_MS;
      if (ms > lastMs) lastMs = ms;
      else if (sequence === 0) lastMs += 1;
      return uuidV7(lastMs, sequence);
    },
    hex: (bytes) => randomBytes(bytes).toString('hex'),
  };
}

/** The generator of this process. All callers share it, so that ids ascend. */
export const systemIds = idsOn(systemClock);
