/** The settings of the engines as a program gives them: an unknown one is an error, like a number out of range. */
import { describe, expect, it } from 'vitest';
import { type BackendConfig, openBackend } from '../../src/storage/backends.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { memoryFolder } from '../support/folders.ts';

const NAMES: Readonly<Record<DiskBackend, string>> = {
  cow: 'max_keys_per_node',
  lsm: 'level_growth',
  embedded_kv: 'cache_bytes',
};

describe.each(Object.entries(NAMES) as [DiskBackend, string][])('%s', (backend, name) => {
  const open = (text: string) => {
    // As a program in JavaScript gives it.
    const config: BackendConfig = JSON.parse(`{"${backend}":${text}}`);
    return openBackend(backend, { directory: memoryFolder('settings'), config });
  };

  it('refuses a setting that it does not have', async () => {
    await expect(open(`{"${name}s":100}`)).rejects.toMatchObject({
      code: 'STORAGE_CONFIG',
      message: expect.stringContaining(`${backend}_config has no setting "${name}s". Its settings are `),
    });
  });

  it.each(['0', '1.5', '"64"', '1e300'])('refuses %s', async (value) => {
    await expect(open(`{"${name}":${value}}`)).rejects.toMatchObject({
      code: 'STORAGE_CONFIG',
      message: expect.stringContaining(`${backend}_config.${name} must be a whole number from `),
    });
  });
});
