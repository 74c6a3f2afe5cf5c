/** The clock, the identifiers and the name of this machine. */
import { hash, randomBytes } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { Clock } from '../ports/clock.ts';
import type { Host } from '../ports/host.ts';
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

const HOST_ID_DIGITS = 32;

export const systemHost: Host = {
  name: hostname,
  id: () => hash('sha256', `daybook:${hostname()}`).slice(0, HOST_ID_DIGITS),
  addresses: () =>
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address),
};
