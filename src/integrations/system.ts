/** The clock, the identifiers and the randomness of this machine. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';

export const systemClock: Clock = { now: () => Date.now() };

export const systemIds: IdGenerator = {
  uuid: () => v7(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};
