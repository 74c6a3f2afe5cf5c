/** The clock and the identifiers of this machine. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import { uuidV7 } from '../storage/uuid.ts';

export const systemClock: Clock = { now: () => Date.now() };

export const systemIds: IdGenerator = {
  uuid: ascendingUuid,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};

const IDS_PER_MS = 4_096;
let lastMs = 0;
let sequence = 0;

/** Ids of one millisecond have an ascending sequence. The time in the ids never decreases. */
function ascendingUuid(): string {
  const now = Date.now();
  sequence = now > lastMs ? 0 : (sequence + 1) % IDS_PER_MS;
  if (now > lastMs) lastMs = now;
  else if (sequence === 0) lastMs += 1;
  return uuidV7(lastMs, sequence);
}
