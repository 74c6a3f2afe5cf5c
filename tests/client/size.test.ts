/** The bundle of the client for browsers is small and has no modules of Node. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundled } from './bundle.ts';

const FOLDER = join(import.meta.dirname, '../../src/client');
const KIB = 1_024;

describe('a bundle for browsers', () => {
  it.each([
    ['client.ts', 15 * KIB],
    ['yjs.ts', 2 * KIB],
    ['voice.ts', 1 * KIB],
  ])('of %s has at most %i bytes, gzipped', async (file, bytesMax) => {
    const { code, imports } = await bundled(join(FOLDER, file), { format: 'esm', minify: true });
    expect(gzipSync(code).length).toBeLessThanOrEqual(bytesMax);
    expect(imports).toEqual([]);
  });

  it('of rxjs.ts leaves RxJS to the program', async () => {
    const { imports } = await bundled(join(FOLDER, 'rxjs.ts'), { format: 'esm', external: ['rxjs'] });
    expect(imports).toEqual(['rxjs']);
  });
});
