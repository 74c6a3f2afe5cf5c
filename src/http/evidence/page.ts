/**
 * The verifier of a bundle: `verify.html`, one page that works from a file without network, and its guide `VERIFY.md`.
 *
 * - The content security policy of the page allows its one script and its one style by their hashes, and nothing else.
 */
import { hash } from 'node:crypto';
import { webFile } from '../html.ts';

const SCRIPTS = ['zip.js', 'note.js', 'form.js', 'streams.js', 'held.js', 'verify.js', 'page.js'];

let page: string | undefined;

export function verifyPage(): string {
  page ??= makePage();
  return page;
}

export function verifyGuide(): string {
  return webFile('evidence/VERIFY.md');
}

function makePage(): string {
  const script = SCRIPTS.map((name) => asScript(webFile(`evidence/${name}`))).join('\n');
  const style = webFile('evidence/page.css');
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return webFile('evidence/page.html')
    .replace('{policy}', () => policy)
    .replace('{style}', () => style)
    .replace('{script}', () => script);
}

/** A module without imports and exports, because the page joins its modules to one script. */
function asScript(text: string): string {
  return text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}

function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
