/** `daybook doctor` names plugins that differ from what was signed, and prints nothing where there are none. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { daemonHere } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { pluginsOf } from './support.ts';

async function findings(home: string, workspace: string) {
  const env = { DAYBOOK_DAEMON_PORT: '0', OLLAMA_HOST: 'http://127.0.0.1:1', DAYBOOK_WORKSPACE: workspace };
  const { stdout } = await cliHere(['doctor', '--json'], { home, env });
  const { findings: all } = JSON.parse(stdout) as { findings: { name: string; state: string; detail: string }[] };
  return all.filter(({ name }) => name === 'plugins').map(({ state, detail }) => [state, detail]);
}

test('plugins are counted while they are as signed, and named when they are not', async () => {
  const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
  expect(await findings(home, workspace)).toEqual([]);
  const daemon = await daemonHere({ home, workspace });
  await pluginsOf(daemon).post('install', { name: 'bundle-engineering' });
  expect(await findings(home, workspace)).toEqual([['ok', '4 as they were signed']]);
  appendFileSync(join(workspace, '.vibecli/plugins/core-debugging/skills/debugging.md'), 'x');
  expect(await findings(home, workspace)).toEqual([
    ['warning', 'core-debugging: skills/debugging.md is not as it was signed'],
  ]);
});

test('a plugin that the settings require and the workspace lacks is named', async () => {
  const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
  writeFileSync(join(home, 'config.json'), '{"required_plugins":["core-secure-defaults"]}');
  expect(await findings(home, workspace)).toEqual([
    ['warning', 'core-secure-defaults is required and not in the workspace'],
  ]);
});
