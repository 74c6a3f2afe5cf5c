/** The console as it is served: its page, its bundled files and their security policy. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Call } from '../../src/http/server/route.ts';
import { WEB_POLICY, webRoutes } from '../../src/http/web.ts';

type Text = Extract<Answer, { kind: 'text' }>;

const FIRST_VIEW_BYTES_MAX = 100_000;

const routes = webRoutes();
const index = routes.find(({ path }) => path === '/web');

/** A file by its path behind `/web/`. */
async function file(path: string): Promise<Text> {
  const [folder, name] = path.split('/') as [string, string];
  const spec = routes.find((each) => each.path === `/web/${folder}/{name}`);
  return (await spec!.handle({ params: { name } } as Call<{ name: string }, never, never>)) as Text;
}

let page: Text;
let script: string;
let style: string;
/** What the browser loads before the view Now is shown: the page's script, and all that it and the view import. */
let first: ReadonlyMap<string, string>;

beforeAll(async () => {
  page = (await index!.handle({} as Call<never, never, never>)) as Text;
  [script, style] = ['src', 'href'].map(
    (name) => new RegExp(`${name}="/web/([^"]+\\.(?:js|css))"`).exec(page.text)![1]!,
  ) as [string, string];
  const main = (await file(script)).text;
  const view = /import\(`\.\/(view-[\w-]+\.js)`\)/.exec(main)![1]!;
  const loaded = new Map<string, string>();
  for (const queue = [script, `scripts/${view}`]; queue.length > 0; ) {
    const name = queue.pop()!;
    if (loaded.has(name)) continue;
    const { text } = await file(name);
    loaded.set(name, text);
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["`']\.\/([\w-]+\.js)["`']/g))
      queue.push(`scripts/${imported}`);
  }
  first = loaded;
});

describe('the page', () => {
  it('has no script, style or handler of its own in it', () => {
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
    expect(WEB_POLICY).not.toContain('unsafe');
  });

  it('loads one script and one style sheet, both of this daemon', () => {
    const named = page.text.replace(/<link rel="modulepreload".*/g, '');
    expect([...named.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path).sort()).toEqual([
      '/favicon.svg',
      `/web/${script}`,
      `/web/${style}`,
    ]);
  });

  it('names all scripts of the first view, so that none waits for another to be read', () => {
    const named = [...page.text.matchAll(/<link rel="modulepreload" href="\/web\/([^"]+)">/g)].map(([, path]) => path);
    expect(named.sort()).toEqual([...first.keys()].filter((name) => name !== script).sort());
  });
});

it('says what to install in a checkout without the packages that build it', async () => {
  const missing: string = 'no-such-package';
  const [unbuilt] = webRoutes({ consoleFolder: () => import(missing) });
  await expect(unbuilt!.handle({} as Call<never, never, never>)).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('Run npm ci without --omit=dev'),
  });
});

describe('its files', () => {
  it(`of the first view have at most ${FIRST_VIEW_BYTES_MAX} bytes gzipped`, async () => {
    const texts = [page.text, (await file(style)).text, ...first.values()];
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
    expect(first.size).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(FIRST_VIEW_BYTES_MAX);
  });

  it('load nothing from elsewhere', async () => {
    expect((await file(style)).text).not.toMatch(/https?:\/\/|@import|url\(/);
    const addresses = [...first.values()].flatMap((text) => text.match(/["'`](?:https?:)?\/\/[a-z][^"'`]*/g) ?? []);
    // Names of the kinds of elements; nothing is there to be loaded.
    expect(addresses.filter((address) => !address.includes('//www.w3.org/'))).toEqual([]);
  });

  it('are kept for ever by a browser, and the page is not', async () => {
    for (const name of [script, style]) {
      expect((await file(name)).headers).toMatchObject({ 'cache-control': expect.stringContaining('immutable') });
    }
    expect(page.headers).not.toHaveProperty('cache-control');
  });

  it('carry the policy', async () => {
    for (const answer of [page, await file(script), await file(style)]) {
      expect(answer.headers).toMatchObject({ 'content-security-policy': WEB_POLICY });
    }
  });

  it.each(['scripts/main.js', 'scripts/..', 'scripts/__proto__', 'styles/stamp', 'styles/'])(
    'are no other than these: %s',
    async (name) => {
      await expect(file(name)).rejects.toMatchObject({ status: 404 });
    },
  );
});
