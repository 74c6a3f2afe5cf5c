/** `npm run release -- --dry-run`: its output, and the release notes. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { newestSection, releaseNotes } from '../../scripts/release/notes.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

describe('a changelog', () => {
  it('gives the newest section with its date', () => {
    const text = '# Changelog\n\n## 1.2.0 (2027-01-02)\n\n- One\n  line.\n- Two.\n\n## 1.1.0 (2026-12-01)\n\n- Old.\n';
    const section = newestSection(text);
    expect(section).toEqual({ version: '1.2.0', date: '2027-01-02', text: '- One\n  line.\n- Two.' });
    expect(releaseNotes(section)).toContain('# Daybook 1.2.0\n\n2027-01-02\n\n- One line.\n- Two.\n\nInstall: ');
  });

  it('that is not released has no date', () => {
    expect(newestSection('## 1.2.0 (not released)\n\n- One.\n').date).toBeUndefined();
  });

  it('without a section is refused', () => {
    expect(() => newestSection('# Changelog\n')).toThrow('has no section');
  });

  it('of this checkout agrees with package.json', () => {
    expect(newestSection(readFileSync('CHANGELOG.md', 'utf8')).version).toBe(version);
  });
});

it('a dry run upgrades the golden home, writes the notes, and prints how to publish', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/release.ts', '--dry-run'], {
    timeout: 60_000,
  });
  expect(stdout).toMatch(/^✓ upgrade from 0\.1\.0 \(.*\): 756 events, \d+ routes answer, 16 jobs replay/m);
  expect(stdout).toMatch(/^✓ npm run check:package .*: left out$/m);
  expect(stdout).toContain(`git push origin v${version}`);
  expect(readFileSync(`release/${version}.md`, 'utf8')).toContain(`# Daybook ${version}\n`);
}, 70_000);
