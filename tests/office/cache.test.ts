/** The cache of results: complete or absent, checked when it is used, the least recently used removed first. */
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Cache, cacheKey, createCache } from '../../src/integrations/office/cache.ts';
import { temporaryFolder } from '../support/folders.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('cache');
  mkdirSync(join(folder, 'job'));
});

async function keep(cache: Cache, key: string, text: string) {
  const path = join(folder, 'job', `${key}.pdf`);
  writeFileSync(path, text);
  return cache.keep(key, { path, extension: 'pdf' });
}

describe('a result', () => {
  it('is found again, and only under its key', async () => {
    const cache = createCache(join(folder, 'cache'));
    const kept = await keep(cache, 'k', 'text');
    expect(kept).toEqual({ output: join(folder, 'cache', 'k.pdf'), bytes: 4 });
    expect(await cache.find('k')).toEqual(kept);
    expect(await cache.find('other')).toBeNull();
    expect(await createCache(join(folder, 'cache')).find('k')).toEqual(kept);
  });

  it.each([
    ['changed', (path: string) => writeFileSync(path, 'tex!')],
    ['shortened', (path: string) => truncateSync(path, 1)],
    ['removed', (path: string) => rmSync(path)],
  ])('that was %s is made again', async (_, spoil) => {
    const cache = createCache(join(folder, 'cache'));
    const { output } = await keep(cache, 'k', 'text');
    spoil(output);
    expect(await cache.find('k')).toBeNull();
    await keep(cache, 'k', 'text');
    expect(await cache.find('k')).not.toBeNull();
  });

  it('that cannot have a note is not left in the folder, where nothing would remove it', async () => {
    mkdirSync(join(folder, 'cache', 'k.json'), { recursive: true });
    await expect(keep(createCache(join(folder, 'cache')), 'k', 'text')).rejects.toThrow('EISDIR');
    expect(readdirSync(join(folder, 'cache'))).toEqual(['k.json']);
  });

  it('with a note that cannot be read is none', async () => {
    const cache = createCache(join(folder, 'cache'));
    await keep(cache, 'k', 'text');
    writeFileSync(join(folder, 'cache', 'k.json'), '{');
    expect(await cache.find('k')).toBeNull();
  });

  it('used longest ago goes first, the newest never', async () => {
    const cache = createCache(join(folder, 'cache'), { bytesMax: 10, entriesMax: 100 });
    for (const [age, key] of ['a', 'b'].entries()) {
      await keep(cache, key, '12345');
      utimesSync(join(folder, 'cache', `${key}.json`), 1_000 + age, 1_000 + age);
    }
    await cache.find('a');
    await keep(cache, 'c', '12345');
    expect(await cache.find('b')).toBeNull();
    expect(existsSync(join(folder, 'cache', 'b.pdf'))).toBe(false);
    expect(await cache.find('a')).not.toBeNull();
    await keep(cache, 'huge', '12345678901234567890');
    expect(await cache.find('huge')).not.toBeNull();
    expect(await cache.find('a')).toBeNull();
  });

  it('is kept and found while others are removed', async () => {
    const cache = createCache(join(folder, 'cache'), { bytesMax: 1_000, entriesMax: 2 });
    const both = async (lane: string): Promise<void> => {
      for (let turn = 1; turn <= 100; turn += 1) {
        await keep(cache, `${lane}${turn}`, 'text');
        const found = await cache.find(`${lane}${turn - 1}`);
        if (found !== null) expect(existsSync(found.output)).toBe(true);
      }
    };
    await Promise.all([both('a'), both('b')]);
  });

  it('is one of at most so many', async () => {
    const cache = createCache(join(folder, 'cache'), { bytesMax: 1_000, entriesMax: 2 });
    for (const key of ['a', 'b', 'c']) await keep(cache, key, key);
    const found = await Promise.all(['a', 'b', 'c'].map((key) => cache.find(key)));
    expect(found.filter((entry) => entry !== null)).toHaveLength(2);
  });
});

it('a key differs when anything that matters does', () => {
  const of = { input: 'i', target: 't', engine: 'e' };
  const keys = [of, { ...of, input: 'j' }, { ...of, target: 'u' }, { ...of, engine: 'f' }].map(cacheKey);
  expect(new Set(keys).size).toBe(4);
  expect(cacheKey(of)).toBe(keys[0]);
});
