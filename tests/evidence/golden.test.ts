/** The present program verifies bundles that earlier programs made. Golden bundles are never written again. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyBundle } from '../../web/evidence/verify.js';
import { logKeyOf } from './support.ts';

const FOLDER = join(import.meta.dirname, 'golden');
/** The key of the log before it was changed. */
const { vkey } = logKeyOf(1);

describe.each(readdirSync(FOLDER))('%s', (name) => {
  it('verifies, from the key that was given out first', async () => {
    const report = await verifyBundle(readFileSync(join(FOLDER, name)), vkey);
    expect(report).toMatchObject({ ok: true, isTrusted: true, keyChanges: 1, size: 8 });
  });

  it('and not with any byte of its events changed', async () => {
    const bytes = readFileSync(join(FOLDER, name));
    const start = bytes.indexOf('{"actor"');
    for (let at = start; at < bytes.indexOf('\n', start); at += 1) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1;
      expect([at, await verifyBundle(copy, vkey)]).toEqual([at, expect.objectContaining({ ok: false })]);
    }
  });
});
