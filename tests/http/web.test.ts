/** The console's files fit together and to their policy; what it does in a browser is `npm run check:web`. */
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/http/server/answer.ts';
import type { Call } from '../../src/http/server/route.ts';
import { WEB_POLICY, webRoutes } from '../../src/http/web.ts';

type Text = Extract<Answer, { kind: 'text' }>;

const routes = webRoutes();

function get(path: string): Text {
  const [name, query = ''] = path.split('?v=');
  const spec = routes.find((each) => each.path === name);
  if (spec === undefined) throw new Error(`The console has no ${path}.`);
  return spec.handle({ query: { v: query } } as Call<never, never, never>) as Text;
}

const page = get('/web').text;
const scripts = ['app.js', 'client.js', 'view.js'].map((name) => get(`/web/${name}`).text);
const style = get('/web/style.css').text;

describe('the page', () => {
  it('has no script, style or handler of its own in it', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
    expect(WEB_POLICY).not.toContain('unsafe');
  });

  it('loads nothing from elsewhere', () => {
    for (const text of [page, style, ...scripts]) expect(text).not.toMatch(/https?:\/\/|@import|url\(|import\(/);
  });

  it('says how it gets its token', () => {
    expect(page).toContain('GET /pair');
    expect(page).toContain('POST /pair');
    expect(page).toContain('loopback');
  });

  it('names each field it asks for', () => {
    const fields = [...page.matchAll(/<(?:input|select|textarea) id="([^"]+)"/g)].map(([, id]) => id);
    expect(fields.length).toBeGreaterThan(2);
    for (const id of fields) expect(page).toContain(`for="${id}"`);
  });
});

describe('its files', () => {
  it('are all there: what the page loads and what the scripts import, in one version', () => {
    const loaded = [...page.matchAll(/(?:src|href)="(\/web\/[^"]+)"/g)].map(([, path]) => path!);
    const imported = scripts.flatMap((text) =>
      [...text.matchAll(/from '\.(\/[^']+)'/g)].map(([, name]) => `/web${name}`),
    );
    expect(loaded).toHaveLength(2);
    expect(imported).toHaveLength(2);
    const versions = [...loaded, ...imported].map((path) => {
      expect(get(path).headers).toMatchObject({ 'cache-control': expect.stringContaining('immutable') });
      return path.split('?v=')[1];
    });
    expect(new Set(versions).size).toBe(1);
  });

  it('are not kept under another version or none', () => {
    for (const path of ['/web/app.js', '/web/app.js?v=old', '/web/style.css']) {
      expect(get(path).headers).not.toHaveProperty('cache-control');
    }
  });

  it('carry the policy', () => {
    for (const path of ['/web', '/web/app.js', '/web/style.css']) {
      expect(get(path).headers).toMatchObject({ 'content-security-policy': WEB_POLICY });
    }
  });

  it('speak of elements that the page has', () => {
    const used = scripts.flatMap((text) => [...text.matchAll(/\$\('([^']+)'\)/g)].map(([, id]) => id));
    expect(used.length).toBeGreaterThan(10);
    for (const id of used) expect(page).toContain(`id="${id}"`);
  });

  it('write text as text only', () => {
    for (const text of scripts)
      expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(/);
  });

  it('never put the token into an address', () => {
    for (const text of scripts) expect(text).not.toMatch(/token=|localStorage|document\.cookie/);
  });

  it('let the words of people and models run in their own direction', () => {
    const rules = [...style.matchAll(/([^{}]+)\{[^}]*unicode-bidi: plaintext[^}]*\}/g)];
    const selectors = rules.flatMap(([, list]) => list!.split(',').map((selector) => selector.trim()));
    expect(selectors.sort()).toEqual(['#task', '.call .quiet', '.output > *', '.text', '.what', 'h1', 'h2']);
  });

  it('use only colours that both themes have', () => {
    const defined = (block: string): string[] => [...block.matchAll(/(--[a-z-]+):/g)].map(([, name]) => name!).sort();
    const [light, dark] = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) => defined(block!));
    expect(light!.filter((name) => name !== '--mono')).toEqual(dark);
    for (const [, name] of style.matchAll(/var\((--[a-z-]+)\)/g)) expect(light).toContain(name);
  });
});
