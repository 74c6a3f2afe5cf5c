/**
 * The tool bash: no process outlives its call, and none outlives its daemon. Sleeping processes are recognised by a
 * marker file of this test, so that those of other test files are not counted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../examples/demo/support.ts';
import { callMarker, TOOL_VARIABLE } from '../../src/integrations/tools/marker.ts';
import { createTools } from '../../src/integrations/tools/tools.ts';
import { start, underWatchdog, WATCHDOG_DESCRIPTOR } from '../../src/integrations/tools/watchdog.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { type Bench, bench } from './helper.ts';

const onLinux = process.platform === 'linux';

/** Shell text that starts a sleeper through `how`, waits until it runs, and leaves its pid in a file. */
function sleeper(name: string, how = '', redirect = ''): string {
  const body = `echo $$ > ${name}.tmp; mv ${name}.tmp ${name}.pid; exec sleep 300`;
  return `${how} sh -c '${body}' ${redirect} & while [ ! -e ${name}.pid ]; do sleep 0.01; done;`;
}

function pidOf({ workspace }: Bench, name: string): number {
  return Number(readFileSync(join(workspace, `${name}.pid`), 'utf8'));
}

describe('a command', () => {
  test('runs in the workspace and answers with exit code and both streams', async () => {
    const { run, workspace } = bench();
    expect(await run('bash', { command: 'pwd; echo oops >&2; exit 3' })).toEqual({
      success: false,
      output: `exit code 3\nstdout:\n${workspace}\n\nstderr:\noops\n`,
      files_modified: [],
    });
    expect(await run('bash', { command: 'true' })).toMatchObject({ success: true, output: 'exit code 0\n[no output]' });
  });

  test('a signal, a missing program and a syntax error are exit codes', async () => {
    const { run } = bench();
    expect((await run('bash', { command: 'kill -TERM $$' })).output).toContain('exit code 143');
    expect((await run('bash', { command: 'no-such-program-here' })).output).toContain('exit code 127');
    expect((await run('bash', { command: 'if' })).success).toBe(false);
  });

  test('has no input, no terminal and nothing of the daemon in its environment', async () => {
    const env = { ...process.env, OPENAI_API_KEY: 'sk-secret', DAYBOOK_WEBHOOK_SECRET: 'hook', DAYBOOK_HOME: '/x' };
    const { run } = bench({}, env);
    const { output } = await run('bash', { command: 'cat; tty; env' });
    expect(output).toContain('not a tty');
    expect(output).not.toMatch(/sk-secret|hook|DAYBOOK_(?!TOOL=)/);
  });

  test('of git waits for no editor, and starts no collection of garbage that would be killed with the call', async () => {
    const home = temporaryFolder('home');
    const person = '[user]\n\tname = t\n\temail = t@example.org\n';
    writeFileSync(join(home, '.gitconfig'), `[core]\n\teditor = "sleep 60 #"\n${person}`);
    const { run } = bench({}, { ...process.env, HOME: home });
    const commands = ['init', 'commit --allow-empty', 'commit --allow-empty -m first', 'commit --allow-empty --amend'];
    const all = [...commands, 'rebase -i --root', 'log --format=subject:%s'].map((words) => `git ${words}`);
    const command = `export GIT_TRACE=1; ${all.join('; ')}`;
    const { success, output } = await run('bash', { command, timeout_seconds: 10 });
    expect(success).toBe(true);
    expect(output).toContain('git commit --allow-empty --amend');
    expect(output).not.toMatch(/run_command:.* (?:gc|maintenance)/);
    for (const part of ['empty commit message', 'problem with the editor', 'subject:first']) {
      expect(output).toContain(part);
    }
  });

  test('of git that runs out of time leaves no lock behind', async () => {
    const { run, put, workspace } = bench();
    await run('bash', {
      command: 'git init -q; git config user.name t; git config user.email t@example.org; git add .',
    });
    put('.git/hooks/pre-commit', '#!/bin/sh\nsleep 60\n');
    chmodSync(join(workspace, '.git/hooks/pre-commit'), 0o755);
    const { output } = await run('bash', { command: 'git commit -a --allow-empty -m first', timeout_seconds: 1 });
    expect(output).toContain('did not finish in time');
    expect(existsSync(join(workspace, '.git/index.lock'))).toBe(false);
  });

  test('does not hold the descriptor that keeps the watchdog waiting', async () => {
    const { run } = bench();
    expect((await run('bash', { command: ': <&3' })).output).toContain('3: Bad file descriptor');
  });

  test('output beyond the budget keeps both ends and stays within it', async () => {
    const { run } = bench({ outputBytesMax: 2_000 });
    const { output } = await run('bash', { command: 'seq 1 100000; seq 1 100000 >&2' });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2_000);
    expect(output).toMatch(
      /stdout:\n1\n2\n[\s\S]*bytes left out[\s\S]*100000\n\nstderr:\n1\n2\n[\s\S]*bytes left out[\s\S]*100000\n$/,
    );
  });

  test('a command that never stops printing is ended', async () => {
    const { run } = bench({ bashPrintedBytesMax: 1_000_000 });
    const outcome = await run('bash', { command: 'yes' });
    expect(outcome.success).toBe(false);
    expect(outcome.output).toContain('printed more than 1000000 bytes');
  });

  test('terminal sequences do not reach the model', async () => {
    const { run } = bench();
    const { output } = await run('bash', { command: "printf '\\033[31mred\\033[0m\\a'" });
    expect(output).toBe('exit code 0\nstdout:\nred\\x07');
  });

  test('names the files it created, changed and deleted, but not what git ignores', async () => {
    const { run, put } = bench();
    put('.gitignore', 'ignored\n');
    for (const name of ['same', 'changed', 'deleted', 'moved']) put(name, 'old');
    const command =
      'echo new > changed; rm deleted; mkdir d; echo x > d/made; echo x > ignored; mv moved there; ln -s same link; cat same';
    const { files_modified } = await run('bash', { command });
    expect(files_modified).toEqual(['changed', 'd/made', 'deleted', 'link', 'moved', 'there']);
    const again = await run('bash', { command: 'ln -sfn there link' });
    expect(again).toEqual({ success: true, output: 'exit code 0\n[no output]', files_modified: ['link'] });
  });

  test('claims nothing about files, and says so, when there are too many or too many changed', async () => {
    const { run, put } = bench({ walkFilesMax: 2 });
    for (const name of ['a', 'b', 'c']) put(name, '');
    expect(await run('bash', { command: 'echo x > a' })).toEqual({
      success: true,
      output: 'exit code 0\n[no output]\n[the changed files are not named: the workspace has more than 2 files]',
      files_modified: [],
    });
    const many = await bench().run('bash', { command: 'touch $(seq 1001)' });
    expect(many.output).toContain('[the changed files are not named: there are more than 1000]');
    expect(many.files_modified).toEqual([]);
  });

  test.each([
    ['an empty command', { command: '' }],
    ['a NUL byte', { command: 'echo \0' }],
    ['a command longer than an argument may be', { command: `: ${'x'.repeat(200_000)}` }],
    ['a timeout of nothing', { command: 'true', timeout_seconds: 0 }],
  ])('%s is refused', async (_what, input) => {
    const { run } = bench();
    expect((await run('bash', input)).success).toBe(false);
  });

  test('a workspace that is gone, or that is the home, is an outcome', async () => {
    const { tools, home, outside } = bench();
    for (const workspace of [join(outside, 'gone'), home]) {
      const call = { callId: 'x', name: 'bash', input: { command: 'pwd' }, workspace };
      const outcome = await tools.call(call, new AbortController().signal);
      expect(outcome.success).toBe(false);
      expect(outcome.output).not.toContain(outside);
    }
  });
});

describe.runIf(onLinux)('nothing outlives its call', () => {
  const escapes: readonly (readonly [string, string, string])[] = [
    ['a background child', '', ''],
    ['one that ignores signals', "trap '' HUP TERM INT;", ''],
    ['a session of its own', 'setsid', ''],
    ['a session of its own, output closed', 'setsid', '>/dev/null 2>&1'],
    ['nohup in a session of its own', 'nohup setsid', '>/dev/null 2>&1'],
    ['an emptied environment', 'env -i', ''],
    ['an emptied environment in a session of its own', 'env -i setsid', ''],
  ];

  test('a command does not begin before its output is known, by which what it leaves behind is found', async () => {
    const child = spawn('/bin/sh', underWatchdog('held', ['true']), {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const { pid = 0 } = child;
    for (let round = 0; round < 100 && isAlive(pid); round++)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    expect(isAlive(pid)).toBe(true);
    start(child);
    expect(await once(child, 'exit')).toEqual([0, null]);
    child.stdio[WATCHDOG_DESCRIPTOR]?.destroy();
  });

  test.each(escapes)('after a normal end: %s', async (_what, how, redirect) => {
    const it = bench();
    const outcome = await it.run('bash', { command: `${sleeper('s', how, redirect)} echo done` });
    expect(outcome.output).toContain('exit code 0\nstdout:\ndone');
    expect(isAlive(pidOf(it, 's'))).toBe(false);
  });

  // The group gets a signal first, and is killed; what hides is found as a descendant, which it is until the group has ended.
  test.each([escapes[1]!, ['hidden in every way', 'env -i setsid', '>/dev/null 2>&1'] as const])(
    'after a timeout: %s',
    async (_what, how, redirect) => {
      const it = bench();
      const outcome = await it.run('bash', { command: `${sleeper('s', how, redirect)} wait`, timeout_seconds: 2 });
      expect(outcome.output).toContain('ended after 2 s');
      expect(isAlive(pidOf(it, 's'))).toBe(false);
    },
  );

  test('after an abort, and before the call rejects', async () => {
    const it = bench();
    const abort = new AbortController();
    const reason = new Error('cancelled');
    const command = `${sleeper('a')} ${sleeper('b', 'setsid')} touch ready; wait`;
    const call = it.run('bash', { command }, abort.signal);
    await until(() => existsSync(join(it.workspace, 'ready')), 'the command is running');
    const pids = [pidOf(it, 'a'), pidOf(it, 'b')];
    expect(pids.map(isAlive)).toEqual([true, true]);
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('after close', async () => {
    const it = bench();
    const call = it.run('bash', { command: `${sleeper('a', 'setsid')} touch ready; wait` });
    const settled = expect(call).rejects.toThrow('closed');
    await until(() => existsSync(join(it.workspace, 'ready')), 'the command is running');
    await it.tools.close();
    expect(isAlive(pidOf(it, 'a'))).toBe(false);
    await settled;
  });

  test('even when the command killed its own watchdog with its whole group', async () => {
    const it = bench();
    const outcome = await it.run('bash', { command: `${sleeper('s', 'setsid')} kill -KILL 0` });
    expect(outcome.output).toContain('exit code 137');
    expect(isAlive(pidOf(it, 's'))).toBe(false);
  });

  test('one call does not end what another is running', async () => {
    const it = bench();
    const long = it.run('bash', { command: 'touch ready; while [ ! -e go ]; do sleep 0.01; done; echo still here' });
    await until(() => existsSync(join(it.workspace, 'ready')), 'the first command is running');
    await it.run('bash', { command: 'true' });
    expect(await it.tools.sweep()).toBe(0);
    await it.run('write_file', { path: 'go', content: '' });
    expect((await long).output).toContain('still here');
  });
});

/** Starts the stand-in for a daemon and waits until its command is running. */
async function startDaemon(it: Bench, command: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./daemon-with-tools.ts', import.meta.url));
  const args = [script, it.home, it.workspace, `${command} touch ready; wait`];
  const daemon = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => {
    daemon.kill('SIGKILL');
  });
  await until(() => existsSync(join(it.workspace, 'ready')), 'the daemon runs its command');
  return daemon;
}

async function killHard(daemon: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => daemon.once('exit', resolve));
  daemon.kill('SIGKILL');
  await ended;
}

/** Every process whose environment names this home, watchdogs included. */
function leftOf(it: Bench): readonly string[] {
  const marker = callMarker(realpathSync(it.home), 'held');
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(marker);
    } catch {
      return false;
    }
  });
}

describe.runIf(onLinux)('nothing outlives its daemon', () => {
  test('SIGKILL to the daemon ends the command, its children and those in sessions of their own', async () => {
    const it = bench();
    const sessions = `${sleeper('b', 'setsid')} ${sleeper('c', 'setsid', '>/dev/null')}`;
    // The last one has no marker: only the group knows it.
    const daemon = await startDaemon(it, `${sleeper('a')} ${sessions} ${sleeper('d', 'env -i')}`);
    const pids = ['a', 'b', 'c', 'd'].map((name) => pidOf(it, name));
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);
    await killHard(daemon);
    await until(() => !pids.some(isAlive), 'all sleepers are gone');
    await until(() => leftOf(it).length === 0, 'shell and watchdog are gone too');
  });

  /**
   * Found under load: the watchdog set its own trap, and a command quick to signal its group ended it before it
   * had. Now the signals are ignored before the watchdog is forked.
   */
  test('also when the command tries to end its watchdog with every signal it may ignore', async () => {
    const it = bench();
    const hurt = "trap '' HUP INT QUIT TERM USR1 USR2; for s in HUP INT QUIT TERM USR1 USR2; do kill -$s 0; done;";
    const daemon = await startDaemon(it, `${hurt} ${sleeper('a', 'setsid')}`);
    await killHard(daemon);
    await until(() => leftOf(it).length === 0, 'everything is gone');
    expect(isAlive(pidOf(it, 'a'))).toBe(false);
  });

  test('what a stopped watchdog could not end, the next start sweeps', async () => {
    const it = bench();
    const stop = '(while [ ! -e ready ]; do sleep 0.01; done; kill -STOP 0) &';
    const daemon = await startDaemon(it, `${sleeper('a')} ${sleeper('b', 'setsid')} ${stop}`);
    const stopped = () => / T /.test(readFileSync(`/proc/${pidOf(it, 'a')}/stat`, 'latin1'));
    await until(stopped, 'the group is stopped');
    await killHard(daemon);
    const next = createTools({ home: it.home, env: process.env });
    expect(await next.sweep()).toBeGreaterThanOrEqual(2);
    expect(leftOf(it)).toEqual([]);
    expect([pidOf(it, 'a'), pidOf(it, 'b')].map(isAlive)).toEqual([false, false]);
    expect(await next.sweep()).toBe(0);
    await next.close();
  });

  test('sweep leaves the processes of another home alone', async () => {
    const it = bench();
    const other = bench();
    const marker = callMarker(realpathSync(other.home), 'theirs');
    const child = spawn('sleep', ['300'], {
      env: { [TOOL_VARIABLE]: marker, PATH: process.env.PATH },
      stdio: 'ignore',
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    expect(await it.tools.sweep()).toBe(0);
    expect(isAlive(child.pid ?? 0)).toBe(true);
    symlinkSync(other.home, join(other.outside, 'other-name'));
    const same = createTools({ home: join(other.outside, 'other-name'), env: process.env });
    expect(await same.sweep()).toBe(1);
    await same.close();
  });
});

describe.runIf(process.platform !== 'win32')('special files', () => {
  test('a FIFO is refused without waiting for its other end', async () => {
    const it = bench();
    await it.run('bash', { command: 'mkfifo pipe; mkdir d; mkfifo d/pipe' });
    for (const name of ['read_file', 'write_file', 'edit_file']) {
      const input = { path: 'pipe', ...INPUTS[name] };
      const outcome = await it.run(name, input);
      expect(outcome.success, name).toBe(false);
      expect(outcome.output, name).toContain('not a regular file');
    }
    expect((await it.run('search_files', { pattern: 'x' })).output).toBe('[nothing found]');
    const unread = '[nothing found; files and directories that could not be read: 1]';
    expect((await it.run('search_files', { pattern: 'x', path: 'pipe' })).output).toBe(unread);
    expect((await it.run('list_directory', {})).output).toContain('pipe?');
  });

  test('a file that may not be read is said to be so', async (context) => {
    context.skip(process.getuid?.() === 0, 'root may read everything');
    const it = bench();
    it.put('closed', 'x');
    chmodSync(join(it.workspace, 'closed'), 0);
    expect((await it.run('read_file', { path: 'closed' })).output).toContain('permission denied');
  });

  test('a folder that may be listed but not entered hides no change elsewhere', async (context) => {
    context.skip(process.getuid?.() === 0, 'root may enter everything');
    const it = bench();
    it.put('odd/file', 'x');
    chmodSync(join(it.workspace, 'odd'), 0o644);
    onTestFinished(() => chmodSync(join(it.workspace, 'odd'), 0o755));
    expect((await it.run('bash', { command: 'echo x > new.txt' })).files_modified).toEqual(['new.txt']);
  });

  test('a workspace removed while tools are open is an outcome', async () => {
    const it = bench();
    mkdirSync(join(it.workspace, 'x'));
    rmSync(it.workspace, { recursive: true });
    for (const [name, input] of Object.entries({ ...INPUTS, bash: { command: 'pwd' }, git_diff: {} })) {
      const outcome = await it.run(name, name in INPUTS ? { path: 'f', ...input } : input);
      expect(outcome).toMatchObject({ success: false, output: 'The workspace does not exist or is not a directory.' });
    }
  });
});

const INPUTS: Readonly<Record<string, Record<string, string>>> = {
  read_file: {},
  write_file: { content: 'x' },
  edit_file: { old_string: 'a', new_string: 'b' },
};
