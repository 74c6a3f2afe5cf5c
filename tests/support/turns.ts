import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits for turns of the event loop; the default is enough for work that hands over a few times. */
export async function turns(count = 8): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}
