/** The reserve of a data directory on a file system that reports free space and refuses bytes, as with a quota. */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { diskError } from '../../src/storage/disk-error.ts';
import { DISK_FULL, DiskReserve } from '../../src/storage/disk-reserve.ts';
import { temporaryFolder } from '../support/folders.ts';

/** Every write to it fails with ENOSPC. */
const FULL = '/dev/full';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('an error of a quota is one of a full disk', () => {
  const errno = -constants.errno.EDQUOT;
  const quota = Object.assign(new Error('write'), { errno, code: `Unknown system error ${errno}` });
  const { code, message } = diskError(quota, 'Cannot write');
  expect([code, message]).toEqual(['STORAGE_FULL', 'Cannot write: the disk is full (the quota is used up)']);
});

it.skipIf(!existsSync(FULL))(
  'appends are refused while the reserve cannot be filled, and accepted afterwards',
  async () => {
    const directory = temporaryFolder('reserve');
    const file = join(directory, 'reserve');
    symlinkSync(FULL, file);
    const reserve = new DiskReserve({ directory, bytes: 4_096 });
    reserve.keep();
    expect(reserve.refusal).toBeNull();
    await vi.advanceTimersByTimeAsync(11_000);
    await vi.waitFor(() => expect(reserve.refusal?.message).toBe(DISK_FULL), { timeout: 30_000 });
    rmSync(file);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(reserve.refusal).toBeNull(), { timeout: 30_000 });
    await reserve.close();
  },
);
