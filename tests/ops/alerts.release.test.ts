/**
 * The alert rules: their unit tests by promtool, and that a live service exports every metric they name. promtool is in
 * Debian's package `prometheus`. Where it is missing its tests are skipped, unless DAYBOOK_TEST_PROMTOOL=required.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { freePort } from '../support/ports.ts';
import { readExposition } from './exposition-reader.ts';

const FOLDER = resolve('ops/prometheus');
const RULES = readFileSync(`${FOLDER}/alerts.yml`, 'utf8');
const run = promisify(execFile);

/** Answers what promtool said; rejects when it found a fault. */
async function promtool(words: readonly string[], input = ''): Promise<string> {
  const child = run('promtool', words, { cwd: FOLDER });
  child.child.stdin!.end(input);
  const { stdout, stderr } = await child;
  return stdout + stderr;
}

const isThere = spawnSync('promtool', ['--version']).error === undefined;
const isNeeded = process.env.DAYBOOK_TEST_PROMTOOL === 'required';
const withPromtool = it.skipIf(!isThere && !isNeeded);

describe('promtool', () => {
  withPromtool('finds thirteen sound rules', async () => {
    expect(await promtool(['check', 'rules', 'alerts.yml'])).toContain('13 rules found');
  });

  withPromtool('finds each threshold where it is tested: below, at, above, and how long it must hold', async () => {
    expect(await promtool(['test', 'rules', 'alerts.test.yml'])).toContain('SUCCESS');
  });
});

it('each alert names a chapter of the runbook that is there', () => {
  const headings = readFileSync('docs/operations.md', 'utf8').match(/^#+ .+$/gm) ?? [];
  const anchors = headings.map((text) => text.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'));
  const named = [...RULES.matchAll(/runbook: docs\/operations\.md#(\S+)/g)].map((match) => match[1]);
  expect(named).toHaveLength(13);
  expect(named.filter((anchor) => !anchors.includes(anchor!))).toEqual([]);
});

describe('a live service', () => {
  let daemon: TestDaemon;
  let text: string;
  beforeAll(async () => {
    const port = await freePort();
    daemon = await testDaemon({ flags: { storage_ops_port: port } });
    text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  });
  afterAll(() => daemon.stop());

  it('exports every metric that the rules name', () => {
    const exported = new Set(
      readExposition(text, 'prometheus').flatMap(({ series }) => series.map(({ name }) => name)),
    );
    const named = [...new Set(RULES.match(/daybook_storage_\w+/g))];
    expect(named.length).toBeGreaterThanOrEqual(6);
    expect(named.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('has a bucket bound at each latency threshold, so that the percentile is exact there', () => {
    for (const [metric, bound] of [
      ['write', '0.1'],
      ['read', '0.05'],
    ]) {
      expect(text).toContain(`daybook_storage_${metric}_duration_seconds_bucket{backend="${backend()}",le="${bound}"}`);
    }
  });

  withPromtool('exports what promtool finds well formed and well named', async () => {
    expect(await promtool(['check', 'metrics'], text)).toBe('');
  });

  function backend(): string {
    return /backend="(\w+)"/.exec(text)?.[1] ?? '';
  }
});
