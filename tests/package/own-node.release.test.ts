/** A Node that is too old starts the one that the package brings. Skipped where npm installed none. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

const OWN_NODE = resolve('bin/own-node.js');
const isThere = existsSync(`node_modules/node-${process.platform}-${process.arch}`);

interface Started {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Waits until it has written what the pattern names. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** What bin/daybook.js does on a Node that is too old, here with one that is not. */
function handOver(words: readonly string[], module = OWN_NODE): Started {
  const file = join(temporaryFolder('hand-over'), 'hand-over.mjs');
  writeFileSync(file, `import { handOver } from ${JSON.stringify(module)};\nhandOver(99);\n`);
  const child = spawn(process.execPath, [file, ...words], {
    env: { PATH: process.env.PATH, DAYBOOK_HOME: temporaryFolder('home'), DAYBOOK_STORAGE_OPS_PORT: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(stderr);
      if (found) return found;
      await once(child.stderr, 'data');
    }
  };
  return { child, stderr: () => stderr, until };
}

async function end({ child }: Started): Promise<readonly [number | null, NodeJS.Signals | null]> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return [code, signal];
}

describe.skipIf(!isThere)('the Node of the package', () => {
  it('runs the program with the same words and exit code', async () => {
    const started = handOver(['jobs', '--nonsense']);
    expect(await end(started)).toEqual([2, null]);
    expect(started.stderr()).toMatch(/^daybook jobs: unknown option '--nonsense'/);
  });

  it('gets SIGTERM and stops in order', async () => {
    const started = handOver(['serve', '--port', '0']);
    await started.until(/^listening \S+$/m);
    started.child.kill('SIGTERM');
    expect(await end(started)).toEqual([0, null]);
  });

  it('stops when the process that started it is killed', async () => {
    const started = handOver(['serve', '--port', '0']);
    const [, url] = await started.until(/^listening (\S+)$/m);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    started.child.kill('SIGKILL');
    // Its end of standard error closes when the daemon has ended too.
    expect(await end(started)).toEqual([null, 'SIGKILL']);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});

it('without one, says what is needed', async () => {
  const module = join(temporaryFolder('bare'), 'own-node.mjs');
  copyFileSync(OWN_NODE, module);
  const started = handOver(['serve'], module);
  expect(await end(started)).toEqual([2, null]);
  expect(started.stderr()).toMatch(/^Daybook needs Node 99 or newer; this is \d+\.\d+\.\d+\. The package brings one/);
});
