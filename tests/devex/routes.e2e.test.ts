/** The contract of the eight routes over HTTP, row by row. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { sharedDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { DAY, HOUR, makeRepository, type TestRepository } from './repository.ts';

const NOW = Math.floor(Date.now() / 1_000);
const T = NOW - 40 * DAY;
const HOSTILE_BRANCH = 'a<script>|`x`_';

const daemon = sharedDaemon();
let repository: TestRepository;
let plain: string;

beforeAll(async () => {
  repository = makeRepository([
    { commit: 'c1', at: T, files: { 'README.md': 'x', Makefile: 'x', 'tests/a': 'x' } },
    { commit: 'c2', at: T + 6 * HOUR, author: 'Bob', files: { 'README.md': 'y' } },
    { tag: 'v1.0.0', on: 'c2', at: T + 10 * HOUR },
    { commit: 'hot', at: T + 14 * HOUR, message: 'hotfix: checkout' },
    { commit: 'c3', at: T + 20 * HOUR },
    { tag: 'v1.1.0', on: 'c3', at: T + 30 * HOUR },
    { commit: 'side', at: T, parents: ['c1'], branch: HOSTILE_BRANCH },
  ]);
  repository.git('checkout', '-q', '-f', 'main');
  plain = temporaryFolder('devex');
});

const JSON_ROUTES = ['dora', 'practices', 'onboarding', 'scorecard', 'space'] as const;
const TEXT_ROUTES = { 'scorecard.md': 'text/markdown', 'survey.md': 'text/markdown', 'scorecard.html': 'text/html' };
const ROUTES = [...JSON_ROUTES, ...Object.keys(TEXT_ROUTES)];

async function ask(route: string, query: Readonly<Record<string, string>>) {
  const response = await daemon.request(`/devex/${route}?${new URLSearchParams(query)}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

async function report(route: string, query: Readonly<Record<string, string>> = {}) {
  const { status, text } = await ask(route, { path: repository.path, ...query });
  expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return JSON.parse(text)[route];
}

describe('a query', () => {
  // Every route reads its query by the same schema; the rows on the route of reports, a refusal on each of the others.
  it.each([
    ['no path', {}, 'path'],
    ['a blank path', { path: '  ' }, 'path'],
    ['a relative path', { path: '.' }, 'path'],
    ['a path with a NUL', { path: '/tmp\0x' }, 'path: must not contain a zero byte'],
    ['an endless path', { path: `/${'x'.repeat(5_000)}` }, 'path'],
    ['nothing there', { path: '/nowhere' }, 'not inside a git repository'],
    ['no repository', { path: '{plain}' }, 'not inside a git repository'],
    ['another marker', { path: '{repository}', marker: 'tagz' }, 'tags|merges'],
    ['a marker in capitals', { path: '{repository}', marker: 'TAGS' }, 'tags|merges'],
    ...['0', '1826', '-1', '1.5', '1e2', '0x10', '', ' 90', 'NaN', '99999999999999999999'].map(
      (window) => [`window ${window}`, { path: '{repository}', window }, 'window'] as const,
    ),
    ['a relative path last: the marker before it', { path: '.', marker: 'tagz', window: '0' }, 'tags|merges'],
    ['a relative path last: the window before it', { path: '.', window: '0' }, 'window'],
    ['no such branch', { path: '{repository}', marker: 'merges', branch: '--help' }, 'branch'],
  ] as const)('with %s is refused', async (_name, query, named) => {
    const filled = Object.entries(query).map(([key, text]): [string, string] => [
      key,
      text.replace('{plain}', plain).replace('{repository}', repository.path),
    ]);
    const { status, text, type } = await ask('dora', Object.fromEntries(filled));
    expect([status, type]).toEqual([400, 'application/json; charset=utf-8']);
    const { error } = JSON.parse(text);
    expect(error).toContain(named);
    if (named === 'window') expect(error).toMatch(/1 to 1825/);
  });
});

describe.each(ROUTES)('/devex/%s', (route) => {
  it('refuses a wrong window, a parameter that is given twice, and another method', async () => {
    const wrong = await ask(route, { path: repository.path, window: '0' });
    expect([wrong.status, wrong.type, wrong.text]).toEqual([
      400,
      'application/json; charset=utf-8',
      expect.stringContaining('1 to 1825'),
    ]);
    const twice = await daemon.request(`/devex/${route}?path=${repository.path}&path=/`);
    expect([twice.status, await twice.text()]).toEqual([400, expect.stringContaining('path')]);
    const posted = await daemon.request(`/devex/${route}?path=${repository.path}`, { method: 'POST' });
    expect(posted.status).toBe(405);
  });

  it('answers with every window and marker', async () => {
    const expected = TEXT_ROUTES[route as keyof typeof TEXT_ROUTES] ?? 'application/json';
    for (const query of [
      {},
      { window: '1' },
      { window: '1825' },
      { marker: 'tags' },
      { marker: '' },
      { marker: 'version-tags', branch: 'no matter' },
      { marker: 'merges', branch: '' },
      { marker: 'release-branch-merges', branch: HOSTILE_BRANCH },
    ]) {
      const { status, type } = await ask(route, { path: repository.path, ...query });
      expect([query, status, type]).toEqual([query, 200, `${expected}; charset=utf-8`]);
    }
  });
});

describe('reports', () => {
  test('dora has all its fields, and echoes what was asked', async () => {
    const dora = await report('dora', { window: '60' });
    expect(Object.keys(dora)).toEqual([
      ...['repo', 'window_days', 'since', 'generated_at', 'release_marker', 'release_marker_description'],
      ...['band_source', 'deployment_frequency', 'lead_time_for_changes', 'change_failure_rate', 'time_to_restore'],
      ...['unmeasured', 'deployments', 'commits_in_window', 'authors_in_window', 'notes'],
    ]);
    expect(dora).toMatchObject({ repo: repository.path, window_days: 60, release_marker: 'version-tags' });
    expect(dora.generated_at - dora.since).toBe(60 * DAY);
    expect(dora.generated_at).toBeGreaterThanOrEqual(NOW);
    expect(dora.lead_time_for_changes).toMatchObject({ value: 10, band: 'elite', sample_size: 4 });
    expect(dora.deployments).toHaveLength(2);
  });

  test('practices are ten in their order with three signals each, found by the first path that exists', async () => {
    const { practices, mean_level, max_detectable_level, workspace } = await report('practices');
    expect(practices.map(({ key }: { key: string }) => key)).toEqual([
      ...['ci-pipeline', 'automated-testing', 'code-review', 'security-scanning', 'observability'],
      ...['infrastructure-as-code', 'release-management', 'onboarding', 'architecture-decisions', 'golden-path'],
    ]);
    expect({ workspace, max_detectable_level }).toEqual({ workspace: repository.path, max_detectable_level: 3 });
    const of = (key: string) => practices.find((practice: { key: string }) => practice.key === key);
    expect(of('automated-testing')).toMatchObject({
      signals: [
        { name: 'test directory', found: true, path: 'tests' },
        { name: 'coverage configuration', found: false },
        { name: 'test command documented', found: true, path: 'Makefile' },
      ],
      found: 2,
      expected: 3,
      level: 2,
      level_name: 'managed',
      detection_caveat: expect.any(String),
    });
    expect(of('observability')).toMatchObject({ level: 0, level_name: 'absent' });
    // ci 1, testing 2, onboarding 2.
    expect(mean_level).toBeCloseTo(0.5, 12);
    const caveats = practices.filter((practice: object) => 'detection_caveat' in practice);
    expect(caveats.map(({ key }: { key: string }) => key)).toEqual(['automated-testing', 'golden-path']);
  });

  test('a directory counts, a fresh file is seen at once, a dangling link is nothing', async () => {
    const level = async () => (await report('onboarding')).readiness_found;
    symlinkSync('nowhere', join(repository.path, '.nvmrc'));
    expect(await level()).toBe(2);
    mkdirSync(join(repository.path, '.devcontainer'));
    expect(await level()).toBe(3);
  });

  test('onboarding, scorecard and space have their fields', async () => {
    expect(Object.keys(await report('onboarding'))).toEqual([
      ...['repo', 'window_days', 'generated_at', 'readiness', 'readiness_found', 'readiness_expected'],
      ...['new_contributors', 'not_measured', 'notes'],
    ]);
    const scorecard = await report('scorecard');
    expect(Object.keys(scorecard)).toEqual(['dora', 'practices', 'dora_coverage', 'delivery_grade', 'headline']);
    expect(scorecard).toMatchObject({ dora_coverage: 1, delivery_grade: 'C' });
    const none = await report('scorecard', { window: '1' });
    expect(none.dora_coverage).toBe(0);
    expect(none).not.toHaveProperty('delivery_grade');
    const space = await report('space');
    expect(Object.keys(space)).toEqual([
      ...['repo', 'window_days', 'generated_at', 'dimensions', 'dimensions_measured', 'outcome_signal', 'scope_note'],
    ]);
    expect(space.dimensions.map(({ key }: { key: string }) => key)).toEqual([
      ...['satisfaction', 'performance', 'activity', 'collaboration', 'efficiency'],
    ]);
    for (const { dimension, key } of space.dimensions) expect(dimension).toBe(key);
  });

  test('many at once are answered alike', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => report('dora', { window: '90' })));
    expect(new Set(all.map(({ deployments }) => JSON.stringify(deployments))).size).toBe(1);
  });
});

describe('texts', () => {
  test('scorecard.md has its outline', async () => {
    const { text } = await ask('scorecard.md', { path: repository.path });
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# Developer excellence scorecard',
      '## Delivery performance',
      '## Practice maturity',
      '### What the scan cannot see',
    ]);
    expect(text).toContain(
      '| lead_time_for_changes | **10.00 hours (p50)** (p50 10.0, p75 10.0, p90 16.0): elite, n = 4 |',
    );
    expect(text).toContain('- Coverage of the delivery keys: 100% (4 of 4)');
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^\*.*\*$/);
    const { text: empty } = await ask('scorecard.md', { path: repository.path, window: '1' });
    expect(empty).toContain('*none measurable*');
    expect(empty).toContain('### Not measured, and why');
    expect(empty.match(/ {2}- To measure it: /g)).toHaveLength(4);
  });

  test('no name of a branch is markup anywhere', async () => {
    const query = { path: repository.path, marker: 'merges', branch: HOSTILE_BRANCH };
    const { text } = await ask('scorecard.md', query);
    expect(text).toContain('a\\<script>|\\`x\\`\\_');
    const { text: page } = await ask('scorecard.html', query);
    expect(page).toContain('a&lt;script&gt;|`x`_');
    expect(page).not.toContain('<script');
  });

  test('a path is code in markdown, with whatever it is named', async () => {
    const path = join(temporaryFolder('devex'), 'a``b\n# c');
    mkdirSync(path);
    makeRepository([], path);
    const { text } = await ask('scorecard.md', { path });
    expect(text).toContain('- Repository: ``` ');
    expect(text).not.toMatch(/^# c/m);
  });

  test('scorecard.html is one page without script or outside resources, with plots that say what they show', async () => {
    const response = await daemon.request(`/devex/scorecard.html?path=${repository.path}`);
    const text = await response.text();
    expect(response.headers.get('content-security-policy')).toContain("script-src 'none'");
    expect(text).not.toMatch(/<script|\son\w+=|javascript:|https?:\/\//i);
    expect(text.match(/<svg /g)).toHaveLength(6);
    expect(text.match(/<title id="[\w-]+">[^<]+<\/title>/g)).toHaveLength(6);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null/);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    const { text: empty } = await ask('scorecard.html', { path: repository.path, window: '1' });
    expect(empty).not.toContain('<svg');
    expect(empty).toContain('Not measured, and why');
  });

  test('survey.md asks ten questions under four headings', async () => {
    const { text } = await ask('survey.md', { path: repository.path });
    expect(text).toMatch(/^# Engineering experience survey\n/);
    expect(text).toMatch(/^Quarterly, .*under five minutes\. Anonymous\./m);
    expect(text.match(/^\d+\. /gm)).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}. `));
    expect([...text.matchAll(/^(\d+)\..*free text/gm)].map((match) => match[1])).toEqual(['3', '6', '9']);
    expect(text.match(/^### /gm)).toHaveLength(4);
  });
});

test('the daemon is stopped while git is slow, and leaves none behind', async () => {
  const bin = temporaryFolder('devex');
  const pidFile = join(bin, 'pid');
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho $$ > '${pidFile}'\nexec sleep 60\n`, { mode: 0o755 });
  const slow = await testDaemon({ env: { PATH: `${bin}:${process.env.PATH}` } });
  const answer = slow.request(`/devex/dora?path=${repository.path}`).then(
    ({ status }) => status,
    () => 'closed',
  );
  await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
  await slow.stop();
  expect([503, 'closed']).toContain(await answer);
  expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow();
});
