/** The bundle of the daemon that `npm ci` makes, and `npm test` before the end-to-end tests. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

/** `bin/fast-start.js` reads it as latin1: characters beyond ASCII would reach clients as several wrong ones. */
test('the bundle has ASCII characters only', () => {
  const bundle = readFileSync(resolve('node_modules/.cache/daybook/bundle/daemon/daemon.cjs'), 'utf8');
  expect(bundle.match(/[^\0-\x7f].*/g)).toBeNull();
});
