/** The console while the disk of the daemon is full, and after there is room again. */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { smallDisk } from '../support/small-disk.ts';
import { openAt, sharedConsole } from './shared-console.ts';

const WAIT_MS_MAX = 20_000;
/** Now asks for the state of the storage this often. */
const ASKED_EVERY = '00:15';
const disk = smallDisk(64);

describe.skipIf(disk === null)('the storage of Now', () => {
  let daemon: TestDaemon;
  let page: Page;
  sharedConsole(
    () => testDaemon({ home: disk!.path }),
    (shared) => {
      ({ daemon, page } = shared);
    },
  );
  afterAll(() => disk!.remove());
  const takesWrites = async (): Promise<boolean> =>
    (await daemon.request('/memory/add', { method: 'POST', body: JSON.stringify({ content: 'x'.repeat(9_000) }) })).ok;

  it('says that it takes no writes, and that it does again', async () => {
    await post(daemon, '/v1/goals', { title: 'Before' });
    await page.clock.install();
    await page.reload();
    await openAt(page, 'now');
    await page.getByText('takes writes', { exact: true }).waitFor();
    disk!.fill();
    await expect.poll(takesWrites, { timeout: WAIT_MS_MAX, interval: 1 }).toBe(false);
    await page.clock.fastForward(ASKED_EVERY);
    await page.getByText('takes no writes', { exact: true }).waitFor();
    disk!.makeRoom();
    await expect.poll(takesWrites, { timeout: WAIT_MS_MAX }).toBe(true);
    await page.clock.fastForward(ASKED_EVERY);
    await page.getByText('takes writes', { exact: true }).waitFor();
  });
});
