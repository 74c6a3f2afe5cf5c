/**
 * `npm run web:shots [folder] [page]`: a picture of every page at 1440 and 390 pixels, light and dark, from a daemon of
 * its own; `--looks contrast,forced,rtl` adds other themes. `npm run web:shots -- --docs` makes the pictures of
 * `docs/console.md`, in `docs/pictures/`.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { optionsOf } from '../../scripts/options.ts';
import { testDaemon } from '../support/daemon.ts';
import { launch, openPaired, type PairedOptions, PHONE, WIDE } from './browser.ts';
import { closePage, fill, openPage, PAGES } from './pages.ts';
import { startProvider } from './provider.ts';

/** The pages in `docs/console.md`. */
const IN_DOCS = ['now', 'run', 'engagement', 'log-event'];

const LOOKS: Readonly<Record<string, PairedOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  contrast: { colorScheme: 'light', contrast: 'more' },
  forced: { colorScheme: 'dark', forcedColors: 'active' },
  rtl: { colorScheme: 'light', query: '?dir=rtl' },
};

const { values: options, positionals } = optionsOf({
  allowPositionals: true,
  options: { docs: { type: 'boolean', default: false }, looks: { type: 'string', default: 'light,dark' } },
});
const [given = 'tmp/shots', only] = positionals;
const isForDocs = options.docs;
const folder = resolve(isForDocs ? 'docs/pictures' : given);
const sizes = isForDocs ? { 1440: WIDE } : { 1440: WIDE, 390: PHONE };
const looks = isForDocs ? ['light'] : options.looks.split(',');
const pages = PAGES.filter(({ name }) => (isForDocs ? IN_DOCS.includes(name) : name.startsWith(only ?? '')));
mkdirSync(folder, { recursive: true });
const provider = await startProvider();
const daemon = await testDaemon({ env: provider.env });
const browser = await launch();
try {
  const filled = await fill(daemon);
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const look of looks) {
      const { page } = await openPaired(browser, daemon.url, { viewport, ...LOOKS[look] });
      for (const each of pages) {
        await openPage(page, each, filled);
        const path = join(folder, isForDocs ? `${each.name}.png` : `${each.name}-${size}-${look}.png`);
        // A window as high as the page, so that what is fixed to an edge of the window is at the edge of the picture.
        const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
        if (!isForDocs && (each.act === undefined || each.isWhole)) await page.setViewportSize({ ...viewport, height });
        if (isForDocs) await page.evaluate('scrollTo(0, 0)');
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
