/** `evidence verify` refuses altered bundles. With the page and the program in Go: `alterations.release.test.ts`. */
import { expect, it } from 'vitest';
import { verifyBundle } from '../../web/evidence/verify.js';
import { alterations, unaltered } from './alterations.ts';
import { logKeyOf } from './support.ts';

const key = logKeyOf(1);
const zip = await unaltered();

it('accepts the bundle as it was made', async () => {
  expect(await verifyBundle(zip, key.vkey)).toMatchObject({ ok: true });
});

it.each(alterations(key))('refuses: %s', async (_, alter) => {
  expect(await verifyBundle(alter(Buffer.from(zip)), key.vkey)).toMatchObject({ ok: false });
});
