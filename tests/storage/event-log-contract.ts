/** The contract of `EventLog`, run on every engine: `eventLogContract('cow', …)`. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { memoryFolder } from '../support/folders.ts';
import { appending } from './event-log-contract/appending.ts';
import type { Context } from './event-log-contract/context.ts';
import { expecting, idempotency } from './event-log-contract/deciding.ts';
import { erasing, proving } from './event-log-contract/proving.ts';
import { listening, reading, reopening } from './event-log-contract/reading.ts';

export function eventLogContract(
  name: string,
  open: (directory: string) => Promise<KeyValueEngine>,
  { isPersistent = true }: { readonly isPersistent?: boolean } = {},
): void {
  describe(`event log on ${name}`, () => {
    const context = {} as Context;
    let directory: string;

    beforeEach(async () => {
      directory = memoryFolder('log');
      context.engine = await open(directory);
      context.log = openEventLog(context.engine);
      context.reopen = async () => {
        await context.log.close();
        if (isPersistent) {
          await context.engine.close();
          context.engine = await open(directory);
        }
        context.log = openEventLog(context.engine);
      };
    });
    afterEach(async () => {
      await context.log.close();
      await context.engine.close();
    });

    appending(context);
    expecting(context);
    idempotency(context);
    reading(context);
    listening(context);
    proving(context);
    erasing(context);
    reopening(context);
  });
}
