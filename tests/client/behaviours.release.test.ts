/** The client against a real daemon: in this Node, in Node 20, Bun, Deno and Chromium. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runtimes } from '../../scripts/runtimes.ts';
import { temporaryFolder } from '../support/folders.ts';
import { closeTabs, sharedBrowser } from '../web/browser.ts';
import { behaviours, programBehaviours } from './behaviours.ts';
import { bundled } from './bundle.ts';
import { type Rig, startRig } from './rig.ts';

const names = Object.keys(programBehaviours);
const WS = import.meta.resolve('ws');

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

it.each(names)('in this Node: %s', async (name) => {
  await programBehaviours[name]!(rig);
});

describe.each(runtimes())('in $name', ({ program, words, version }) => {
  const isMissing = program === undefined && process.env.DAYBOOK_TEST_RUNTIMES !== 'required';

  let results: Map<string, unknown>;

  beforeAll(async () => {
    if (isMissing) return;
    const script = join(temporaryFolder('runtime'), 'behaviours.mjs');
    writeFileSync(script, (await bundled(join(import.meta.dirname, 'program.ts'), { format: 'esm' })).code);
    const { stdout } = await promisify(execFile)(program!, [...words, script, rig.controlUrl, WS], { timeout: 60_000 });
    const lines = stdout.trim().split('\n');
    results = new Map(lines.map((line) => JSON.parse(line)).map(({ name, error }) => [name, error]));
  }, 70_000);

  it.skipIf(isMissing)('the runtime is this one', () => {
    expect(results.get('versions')).toHaveProperty(version.of, expect.stringContaining(version.beginsWith));
  });

  it.skipIf(isMissing).each(names)('%s', (name) => expect(results.get(name)).toBeNull());
});

describe('in Chromium', () => {
  let page: Page;

  beforeAll(async () => {
    page = await (await sharedBrowser()).newPage();
    const { code } = await bundled(join(import.meta.dirname, 'behaviours.ts'), { format: 'iife' });
    await page.goto(rig.controlUrl);
    await page.evaluate(`${code}\nglobalThis.behaviours = bundled.behaviours; null`);
  });
  afterAll(async () => closeTabs(await sharedBrowser()));

  it.each(Object.keys(behaviours))('%s', async (name) => {
    const place = JSON.stringify({ controlUrl: rig.controlUrl });
    await page.evaluate(`behaviours[${JSON.stringify(name)}](${place})`);
  });
});
