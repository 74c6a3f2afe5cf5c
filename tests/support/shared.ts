/** What all tests of a file, or of a `describe`, use together. */
import { afterAll, beforeAll } from 'vitest';

/** An object without a class, which `start` makes before the first of the tests; `stop` ends it after the last one. */
export function shared<Thing extends object>(
  start: () => Promise<Thing>,
  stop: (thing: Thing) => Promise<unknown>,
): Thing {
  const thing = {} as Thing;
  beforeAll(async () => void Object.assign(thing, await start()));
  afterAll(async () => {
    await stop(thing);
    // The process keeps the modules of all its test files, and they would keep their daemons.
    for (const name of Object.keys(thing)) Reflect.deleteProperty(thing, name);
  });
  return thing;
}
