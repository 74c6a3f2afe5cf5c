/** `npm run web:shots [folder]`: a picture of every page at 1440 and 390 pixels, light and dark, from a daemon of its own. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testDaemon } from '../support/daemon.ts';
import { launch, openPaired, PHONE, WIDE } from './browser.ts';
import { closePage, fill, openPage, PAGES } from './pages.ts';
import { startProvider } from './provider.ts';

const folder = resolve(process.argv[2] ?? 'tmp/shots');
const only = process.argv[3];
mkdirSync(folder, { recursive: true });
const provider = await startProvider();
const daemon = await testDaemon({ env: provider.env });
const browser = await launch();
try {
  const filled = await fill(daemon);
  for (const [size, viewport] of Object.entries({ 1440: WIDE, 390: PHONE })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await openPaired(browser, daemon.url, { viewport, colorScheme });
      for (const each of PAGES) {
        if (only !== undefined && !each.name.startsWith(only)) continue;
        await openPage(page, each, filled);
        const path = join(folder, `${each.name}-${size}-${colorScheme}.png`);
        // A window as high as the page, so that what is fixed to an edge of the window is at the edge of the picture.
        const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
        if (each.act === undefined || each.isWhole) await page.setViewportSize({ ...viewport, height });
        await page.screenshot({ path });
        await page.setViewportSize(viewport);
        await closePage(page, each);
      }
      await page.context().close();
    }
  }
  process.stdout.write(`The pictures are in ${folder}.\n`);
} finally {
  await browser.close();
  await daemon.stop();
  provider.close();
}
