/**
 * Every event type of the house in one table: the check before an append, and the list that OpenAPI and `doctor` show.
 */
import type { EventDefinition } from './define.ts';
import { harnessEvents } from './harness.ts';
import { pairingEvents } from './pairing.ts';
import { requestEvents } from './request.ts';
import { runEvents } from './run.ts';
import { taskEvents } from './task.ts';

export const registry: Readonly<Record<string, EventDefinition>> = {
  ...runEvents,
  ...harnessEvents,
  ...taskEvents,
  ...pairingEvents,
  ...requestEvents,
};
