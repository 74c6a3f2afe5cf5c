/** The face of the program: help for every command, and one clear sentence with exit code 2 for every bad usage. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../support/daemon.ts';
import { cli } from './support.ts';

const home = temporaryFolder('home');
afterAll(() => removeFolder(home));

test.each([
  [['nonsense'], 'there is no command'],
  [['run'], "missing required argument 'task'"],
  [['run', ' '], 'The task is empty.'],
  [['run', 'x', '--colour'], "unknown option '--colour'"],
  [['run', 'x', '--approval', 'yolo'], '--approval must be'],
  [['run', 'x', '--provider', 'openai'], '--provider and --model go together'],
  [['run', 'x', '--workspace', '/no/such/folder'], 'There is no folder /no/such/folder.'],
  [['run', 'x', '--max-step-extensions', '-1'], '--max-step-extensions must be a whole number'],
  [['fork', 'x', '--step', 'two'], '--step must be a whole number'],
  [['replay'], "missing required argument 'session'"],
  [['jobs', '--limit', '0'], '--limit must be'],
  [['log', 'read', '--after', 'x'], '--after must be a whole number'],
  [['log', 'tail', '-n', 'x'], '--lines must be a whole number'],
  [['log', 'verify', '--trusted', 'x'], '--trusted must be'],
  [['log', 'nonsense'], "unknown command 'nonsense'"],
  [['serve', '--port', '99999'], 'flag --port'],
])('daybook %j is refused', async (words, sentence) => {
  const { code, stdout, stderr } = await cli(words, { home });
  expect(stderr).toContain(sentence);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test.each(['serve', 'run', 'jobs', 'fork', 'replay', 'log', 'doctor'])('daybook %s --help', async (name) => {
  const { code, stdout } = await cli([name, '--help'], { home });
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: daybook ${name}`);
  const overview = await cli([], { home });
  expect(overview.stdout).toContain(`\n  ${name} `);
});

test('without a daemon every command that needs one says how to start it', async () => {
  for (const words of [['jobs'], ['jobs', 'show', 'ab'], ['replay', 'ab'], ['log', 'tail']]) {
    const { code, stderr } = await cli(words, { home });
    expect(stderr).toBe(`daybook: No daemon is running on ${home}. Start one with: daybook serve\n`);
    expect(code).toBe(1);
  }
});

test('serve loads no other command', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const statics = readFileSync(path, 'utf8').matchAll(/^(?:import|\} from|export .* from).*?'(\.[^']+)'/gm);
    for (const match of statics) visit(join(dirname(path), match[1]!));
  };
  visit(resolve('src/cli/main.ts'));
  visit(resolve('src/cli/serve.ts'));
  expect(seen).toContain(resolve('src/daemon.ts'));
  const own = [...seen].filter((path) => dirname(path).startsWith(resolve('src/cli')));
  expect(own.sort()).toEqual([resolve('src/cli/main.ts'), resolve('src/cli/serve.ts')]);
});
