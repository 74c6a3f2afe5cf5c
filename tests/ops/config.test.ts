/** The storage configuration file: allowed values, presets, and the error for everything else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { checkStorageConfig, configFacts, readStorageConfig } from '../../src/storage/ops/config.ts';
import { temporaryFolder } from '../support/folders.ts';

const SOURCE = '/home/someone/.daybook/storage.json';
const check = (value: unknown) => checkStorageConfig(value, SOURCE);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError);
    expect((error as StorageError).code).toBe('STORAGE_CONFIG');
    return (error as StorageError).message;
  }
  throw new Error('it was accepted');
}

describe('what the file may say', () => {
  /** It was shown by the program's own names, which no file may use. */
  it.each([
    {},
    { backend: 'LsmTree', preset: 'low-memory', cow_config: { max_keys_per_node: 64 } },
    { preset: 'high-performance', backup: { enabled: false, at: '23:05', directory: 'copies', max_age_hours: 9 } },
  ])('is shown by the names of the file, so that it can be one: %j', (file) => {
    const config = check(file);
    expect(check(configFacts(config))).toEqual(config);
  });

  it('is shown with what a preset fills in', () => {
    expect(configFacts(check({ backend: 'CowBTree', preset: 'low-memory' }))).toMatchObject({
      backend: 'cow',
      cow_config: { max_keys_per_node: 32, wal_buffer_size: 65_536 },
      backup: { at: '02:00', retention: 7, max_age_hours: 50 },
    });
    expect(configFacts(check({ preset: 'high-performance' }))).toMatchObject({
      cow_config: { max_keys_per_node: 256, wal_buffer_size: 4_194_304 },
    });
  });

  it('nothing: cow is kept lean, the others choose for themselves, a backup is made at 02:00, seven are kept', () => {
    const config = check({});
    expect(config.backend).toBeUndefined();
    expect(config.engines).toEqual({
      cow: { wal_buffer_size: 1_048_576, cache_bytes: 8_388_608 },
      lsm: {},
      embedded_kv: {},
    });
    expect(config.backup).toEqual({
      enabled: true,
      at: { hour: 2, minute: 0 },
      directory: null,
      retention: 7,
      maxAgeHours: 50,
    });
  });

  it.each([
    ['CowBTree', 'cow'],
    ['LsmTree', 'lsm'],
    ['EmbeddedKv', 'embedded_kv'],
    ['cow', 'cow'],
    ['lsm', 'lsm'],
    ['embedded_kv', 'embedded_kv'],
  ])('backend %s is %s', (name, backend) => {
    expect(check({ backend: name }).backend).toBe(backend);
  });

  it.each([
    ['low-memory', 32, 65_536],
    ['high-performance', 256, 4_194_304],
  ])('preset %s has the contract’s figures', (preset, keys, buffer) => {
    expect(check({ preset }).engines.cow).toMatchObject({ max_keys_per_node: keys, wal_buffer_size: buffer });
  });

  it('the preset low-memory gives the engine of new homes a smaller cache than no preset does', () => {
    const [small, usual] = [check({ preset: 'low-memory' }), check({})].map(({ engines }) => engines.cow?.cache_bytes);
    expect(small).toBeLessThan(usual ?? 0);
  });

  it('a setting beside a preset wins over it and leaves the others', () => {
    const { cow } = check({ preset: 'low-memory', cow_config: { max_keys_per_node: 64 } }).engines;
    expect(cow).toMatchObject({ max_keys_per_node: 64, wal_buffer_size: 65_536 });
  });

  it('a backup folder lies beside the file unless it is absolute', () => {
    expect(check({ backup: { directory: 'copies' } }).backup.directory).toBe('/home/someone/.daybook/copies');
    expect(check({ backup: { directory: '/mnt/copies' } }).backup.directory).toBe('/mnt/copies');
  });

  it.each([
    [32, 65_536],
    [1024, 67_108_864],
  ])('the ends of the ranges belong to them: %i keys, %i bytes', (keys, bytes) => {
    const section = { max_keys_per_node: keys, wal_buffer_size: bytes };
    expect(check({ cow_config: section }).engines.cow).toEqual({ ...section, cache_bytes: 8_388_608 });
  });
});

describe('what it may not say', () => {
  it.each<[string, unknown, string[]]>([
    ['an unknown key', { bakend: 'lsm' }, ['"bakend"', 'backend', 'cow_config']],
    ['an unknown key of an engine', { cow_config: { max_keys: 64 } }, ['"cow_config.max_keys"', 'max_keys_per_node']],
    ['too few keys', { cow_config: { max_keys_per_node: 31 } }, ['cow_config.max_keys_per_node', '32', '1024']],
    ['too many keys', { cow_config: { max_keys_per_node: 1025 } }, ['cow_config.max_keys_per_node', '32', '1024']],
    ['half a key', { cow_config: { max_keys_per_node: 64.5 } }, ['cow_config.max_keys_per_node', 'whole number']],
    ['text for a number', { cow_config: { wal_buffer_size: '64k' } }, ['cow_config.wal_buffer_size', '65536']],
    ['a huge cache', { lsm_config: { block_cache_mb: 70_000 } }, ['lsm_config.block_cache_mb', '0', '65536']],
    ['a negative cache', { lsm_config: { block_cache_mb: -1 } }, ['lsm_config.block_cache_mb', '0', '65536']],
    ['a small cache', { embedded_kv_config: { cache_bytes: 5 } }, ['embedded_kv_config.cache_bytes', '1048576']],
    ['an unknown engine', { backend: 'BTree' }, ['backend', 'CowBTree', 'LsmTree', 'EmbeddedKv']],
    ['an unknown preset', { preset: 'fast' }, ['preset', 'low-memory', 'high-performance']],
    ['an hour that is none', { backup: { at: '24:00' } }, ['backup.at', '02:00']],
    ['no backups kept', { backup: { retention: 0 } }, ['backup.retention', '1', '3650']],
    ['a section that is a list', { cow_config: [] }, ['cow_config', 'JSON object']],
    ['a list', [], ['the file', 'JSON object']],
  ])('%s', (_what, value, names) => {
    const message = refusal(() => check(value));
    expect(message).toContain(SOURCE);
    for (const name of names) expect(message).toContain(name);
  });

  it('tells every fault at once, a line each', () => {
    const message = refusal(() => check({ x: 1, cow_config: { max_keys_per_node: 1, wal_buffer_size: 1 } }));
    expect(message.split('\n')).toHaveLength(3);
  });
});

describe('the file itself', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder('config');
  });

  it('may be absent unless somebody named it', () => {
    const path = join(folder, 'storage.json');
    expect(readStorageConfig(path, { named: false }).backend).toBeUndefined();
    expect(refusal(() => readStorageConfig(path, { named: true }))).toContain(path);
  });

  it('must be JSON', () => {
    const path = join(folder, 'storage.json');
    writeFileSync(path, '{"backend": ');
    expect(refusal(() => readStorageConfig(path, { named: false }))).toContain(path);
  });
});
