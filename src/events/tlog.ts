/**
 * Settings of the signed log, appended by the routes under `/v1/log/`: its key (stream `settings-log-key`), the
 * witnesses that it asks (`settings-log-witnesses`), the logs that it witnesses (`settings-trusted-logs`), and the time
 * stamps of its checkpoints (`timestamp-<id>`). A verifier key is `<name>+<hash>+<base64>`, a checkpoint a signed note.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

const zVerifierKey = z.string();
const zNote = z.string();

/** A trusted log signed `other`, which does not continue `known`. */
export const zFork = z.object({
  origin: z.string(),
  size: z.int().describe('Events of both checkpoints.'),
  known: zNote.describe('The checkpoint that was cosigned before, as a signed note.'),
  other: zNote.describe('The later one that does not continue it, as a signed note.'),
});

export const zTimestamp = z.object({
  authority: z.string(),
  size: z.int().describe('Events that the checkpoint covers.'),
  checkpoint: zNote.describe('The signed note that was stamped.'),
  response: z.base64().describe('The reply of the authority (RFC 3161), in Base64.'),
});

export const logKeyEvents = {
  /** `statement`: a signed note that names both keys, with a signature of each. */
  LogKeyRotated: define(
    'LogKeyRotated',
    z.object({ log_id: z.string(), from: zVerifierKey, to: zVerifierKey, statement: zNote }),
  ),
} as const;
export type LogKeyEvent = EventIn<typeof logKeyEvents>;

export const witnessEvents = {
  /** `url`: up to and without `/add-checkpoint`. A witness that is added again has the new address. */
  WitnessAdded: define('WitnessAdded', z.object({ url: z.string(), vkey: zVerifierKey })),
  WitnessRemoved: define('WitnessRemoved', z.object({ vkey: zVerifierKey })),
} as const;
export type WitnessEvent = EventIn<typeof witnessEvents>;

export const trustedLogEvents = {
  /** The log named by the key may have its checkpoints cosigned. */
  LogTrusted: define('LogTrusted', z.object({ vkey: zVerifierKey })),
  LogDistrusted: define('LogDistrusted', z.object({ vkey: zVerifierKey })),
  ForkSeen: define('ForkSeen', zFork),
} as const;
export type TrustedLogEvent = EventIn<typeof trustedLogEvents>;

export const timestampEvents = {
  /** `response`: the reply of an RFC 3161 authority to the SHA-256 of the checkpoint, in Base64. */
  CheckpointTimestamped: define('CheckpointTimestamped', zTimestamp),
} as const;
export type TimestampEvent = EventIn<typeof timestampEvents>;
