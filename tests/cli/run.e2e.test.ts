/** `daybook run`: exit codes, output, cancelling, a dropped connection, and a daemon that the command starts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../examples/demo/support.ts';
import type { AgentEvent } from '../../src/events/run/agent-event.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { callsTool, hangs, rateLimits, refuses, says, saysAfter } from '../fakes/providers/server.ts';
import { childDaemon, daemonHere, sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import type { ProgramEnd } from '../support/program.ts';
import { hasTerminal, startOnTerminal } from '../support/terminal.ts';
import { type Cli, cli, cliHere, jsonLines, startCli } from './support.ts';

const provider = await startFakeOpenAi();
afterAll(() => provider.close());
const fake = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url };
const pair = ['--provider', 'openai', '--model', 'm'];

describe('on a running daemon', () => {
  const home = temporaryFolder('home');
  const daemon = sharedDaemon({ home, workspace: home });
  const asked = { home: temporaryFolder('home') };
  sharedDaemon({ ...asked, workspace: asked.home, env: fake });

  test('a complete run shows text and steps once, works in the folder it is called in, exit code 0', async () => {
    const workspace = temporaryFolder('workspace');
    writeFileSync(join(workspace, 'README.md'), 'A readme.\n');
    const words = ['run', 'Read README.md and write NOTES.md', '--approval', 'auto-edit'];
    const { code, stdout } = await cli(words, { home, cwd: workspace });
    expect(code).toBe(0);
    expect(stdout).toContain('rehearsal/rehearsal-1 · auto-edit');
    expect(stdout).toContain('✓ 3. read_file');
    expect(stdout).toContain('changed NOTES.md');
    expect(stdout.split('What happened:')).toHaveLength(2);
    expect(stdout.includes('\u001b')).toBe(false);
    expect(readFileSync(join(workspace, 'NOTES.md'), 'utf8')).toContain('> A readme.');
  });

  test('a run with open steps ends with 3 and lists what is left', async () => {
    const { code, stdout } = await cliHere(['run', 'rehearse: plan sweep; mop'], { home });
    expect(code).toBe(3);
    expect(stdout).toContain('1. sweep\n2. mop');
    expect(stdout).toMatch(/daybook run --resume [0-9a-f]{32}/);
  });

  test('a partial run is resumed under its own id', async () => {
    const first = await cliHere(['run', 'rehearse: plan sweep; mop'], { home });
    const id = /run ([0-9a-f]{32})/.exec(first.stdout)![1]!;
    const second = await cliHere(['run', '--resume', id.slice(0, 8), 'rehearse: tools 1'], { home });
    expect(second.stdout).toContain(`run ${id}`);
  });

  test('a resumed run stays in its own folder wherever the person is, unless told to go', async () => {
    const [first, elsewhere] = [temporaryFolder('workspace'), temporaryFolder('workspace')];
    const workspace = async (): Promise<unknown> =>
      ((await (await daemon.request('/jobs')).json()) as { workspace: string }[])[0]!.workspace;
    const { stdout } = await cliHere(['run', 'rehearse: tools 1', '--json', '--detach'], { home, cwd: first });
    const { session_id } = JSON.parse(stdout) as { session_id: string };
    await (await daemon.request(`/stream/${session_id}`)).text();
    await cliHere(['run', '--resume', session_id, 'rehearse: tools 1'], { home, cwd: elsewhere });
    expect(await workspace()).toBe(first);
    await cliHere(['run', '--resume', session_id, '--workspace', '.', 'rehearse: tools 1'], { home, cwd: elsewhere });
    expect(await workspace()).toBe(elsewhere);
  });

  test('retries are shown, a failed run ends with 1 and the provider’s sentence', async () => {
    provider.script(rateLimits(0), says('Hello there.'));
    const good = await cliHere(['run', 'Greet', ...pair], asked);
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toMatch(/↻ attempt 1 of \d+ failed: .*\(429\)\. Again in /);
    expect(good.stdout).toContain('Hello there.');
    provider.script(refuses(401));
    const bad = await cliHere(['run', 'Greet', ...pair], asked);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('rejected the key in OPENAI_API_KEY');
  });

  test('--json prints the AgentEvents of the stream, one a line', async () => {
    const { code, stdout } = await cliHere(['run', '--json', 'rehearse: tools 2'], { home });
    expect(code).toBe(0);
    const [{ session_id }] = (await (await daemon.request('/jobs')).json()) as [{ session_id: string }];
    const stream = await readSse(await daemon.request(`/stream/${session_id}`));
    expect(jsonLines(stdout)).toEqual(stream.map(({ data }) => JSON.parse(data)));
  });

  test('--interactive without a terminal prints how to answer and keeps following the run; fork takes it too', async () => {
    const workspace = temporaryFolder('workspace');
    const answer = async (running: Cli): Promise<ProgramEnd> => {
      await running.says('answer with: daybook approvals answer');
      const [, words] = /answer with: daybook (approvals answer apr-\S+ allow-once) /.exec(running.stdout())!;
      expect((await cliHere(words!.split(' '), { home })).stdout).toMatch(/^bash of run [0-9a-f]{12}: allowed\n$/);
      return running.ended;
    };
    const words = ['--interactive', '--approval', 'suggest'];
    const first = await answer(
      startCli(['run', 'rehearse: bash echo here > it.txt', ...words], { home, cwd: workspace }),
    );
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain("Tool 'bash' was allowed once.");
    expect(first.stdout).not.toContain('POST /approvals/');
    expect(readFileSync(join(workspace, 'it.txt'), 'utf8')).toBe('here\n');
    const id = /run ([0-9a-f]{32})/.exec(first.stdout)![1]!;
    const fork = ['fork', id, '--step', '0', '--task', 'rehearse: bash echo there > it.txt'];
    expect(await answer(startCli([...fork, ...words], { home, cwd: workspace }))).toMatchObject({ code: 0 });
    expect(readFileSync(join(workspace, 'it.txt'), 'utf8')).toBe('there\n');
  });

  test('calls that the policy rejected are counted in the last line, and in the record', async () => {
    const { code, stdout } = await cliHere(['run', 'rehearse: bash true', '--approval', 'suggest'], { home });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^complete in .* · 0 steps · 1 call rejected$/m)]);
    const [, id] = /run ([0-9a-f]{32})/.exec(stdout)!;
    expect((await cliHere(['jobs', 'show', id!], { home })).stdout).toMatch(/^rejected +1 call$/m);
  });

  test.skipIf(!hasTerminal)('a run on a terminal asks', async () => {
    const workspace = temporaryFolder('workspace');
    const words = ['run', 'rehearse: bash echo here > it.txt', '--approval', 'suggest'];
    const terminal = startOnTerminal(words, { cwd: workspace, env: { HOME: home, DAYBOOK_HOME: home } });
    await expect.poll(terminal.shown, { timeout: 20_000 }).toContain('Run it?');
    expect(terminal.shown()).toContain('command: echo here > it.txt');
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).not.toContain('POST /approvals/');
    expect(readFileSync(join(workspace, 'it.txt'), 'utf8')).toBe('here\n');
  });

  // The status line still said that it waits for its turn while the model was asked.
  test.skipIf(!hasTerminal)('a run that was queued says when it begins', async () => {
    const busy = await daemonHere({ env: { ...fake, DAYBOOK_RUNS_MAX: '1' } });
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    provider.script(hangs('At work'), saysAfter(told, 'Done.'));
    const { home, workspace } = busy;
    const { stdout: first } = await cliHere(['run', 'One', '--detach', ...pair], { home, cwd: workspace });
    const env = { HOME: home, DAYBOOK_HOME: home };
    const terminal = startOnTerminal(['run', 'Two', ...pair], { cwd: workspace, env });
    await expect.poll(terminal.shown).toContain('waiting for its turn');
    expect(terminal.shown()).not.toContain('thinking');
    await cliHere(['jobs', 'cancel', first.trim()], { home });
    await expect.poll(terminal.shown).toContain('thinking');
    tell();
    expect(await terminal.ended).toBe(0);
  });

  // When another model answers, the output names it, also with --json.
  test.each([[[]], [['--json']], [['--detach']]])('a model that cannot be asked is named, with %j', async (more) => {
    const named = await cliHere(['run', 'x', '--provider', 'nobody', '--model', 'm', ...more], { home });
    expect(named).toMatchObject({
      code: 0,
      stderr: 'daybook: the daemon cannot ask nobody/m; rehearsal/rehearsal-1 answers instead. See daybook doctor.\n',
    });
    const own = await cliHere(['run', 'x', '--provider', 'Rehearsal', '--model', 'rehearsal-1', ...more], { home });
    expect(own).toMatchObject({ code: 0, stderr: '' });
  });

  test.skipIf(!hasTerminal)('a dumb terminal gets no escape sequence', async () => {
    const env = { HOME: home, DAYBOOK_HOME: home, TERM: 'dumb', NO_COLOR: '1' };
    const terminal = startOnTerminal(['run', 'x'], { cwd: home, env });
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain('complete in');
    expect(terminal.shown().includes('\u001b')).toBe(false);
  });

  test('--detach prints the session id and leaves the run to the daemon', async () => {
    const { code, stdout } = await cliHere(['run', '--detach', 'rehearse: slow 1000'], { home });
    expect(code).toBe(0);
    const at = `/jobs/${stdout.trim()}`;
    const job = (await (await daemon.request(at)).json()) as { status: string };
    expect(['queued', 'running']).toContain(job.status);
    await daemon.request(`${at}/cancel`, { method: 'POST' });
  });

  test('Ctrl-C cancels the run and its tool, exit code 4', async () => {
    const workspace = temporaryFolder('workspace');
    const words = ['run', 'rehearse: bash echo $$ > pid.txt; sleep 300', '--approval', 'full-auto'];
    const running = startCli(words, { home, cwd: workspace });
    const written = (): string => readFileSync(join(workspace, 'pid.txt'), { encoding: 'utf8', flag: 'a+' }).trim();
    await expect.poll(written, { timeout: 20_000 }).toMatch(/^\d+$/);
    running.process.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(4);
    expect(stdout).toContain('cancelled in');
    expect(stdout).not.toContain('stream interrupted');
    await expect.poll(() => isAlive(Number(written()))).toBe(false);
    const [job] = (await (await daemon.request('/jobs')).json()) as [{ status: string }];
    expect(job.status).toBe('cancelled');
  });

  test('escape sequences in a task or an answer do not reach the terminal', async () => {
    provider.script(says('Look: \u001b]0;owned\u0007 \u001b[31mred\u001b[0m.'));
    const { stdout } = await cliHere(['run', 'Greet', ...pair], asked);
    expect(stdout).toContain('red');
    for (const control of ['\u001b', '\u0007']) expect(stdout.includes(control)).toBe(false);
  });

  test('the command follows a run across a SIGKILL of the daemon and a restart: every event once, in order', async () => {
    const home = temporaryFolder('home');
    const first = await childDaemon({ home, workspace: home, env: fake });
    onTestFinished(() => void first.kill('SIGKILL'));
    const reads = callsTool({ name: 'list_directory', input: { path: '.' } });
    provider.script(hangs('One, ', 'two, '), reads, says('Three, ', 'four.'));
    const running = startCli(['run', '--json', 'Count', ...pair], { home });
    await running.says('two, ');
    await first.kill('SIGKILL');
    const second = await daemonHere({ home, workspace: home, env: fake });
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('connecting again');
    const [{ session_id }] = (await (await second.request('/jobs')).json()) as [{ session_id: string }];
    const whole = await readSse(await second.request(`/stream/${session_id}`));
    expect(jsonLines(stdout)).toEqual(whole.map(({ data }) => JSON.parse(data)));
  });
});

describe('without a daemon', () => {
  test('one is started for the time of the run and is gone after it', async () => {
    const home = temporaryFolder('home');
    const { code, stdout } = await cli(['run', '--json', 'rehearse: tools 1'], { home });
    expect(code).toBe(0);
    expect(jsonLines<AgentEvent>(stdout).at(-1)?.type).toBe('complete');
    expect(existsSync(join(home, 'daemon.json'))).toBe(false);
    expect(existsSync(join(home, 'data', 'daybook.lock'))).toBe(false);
  });

  test('the daemon it started ends even when the command is killed', async () => {
    const home = temporaryFolder('home');
    const running = startCli(['run', 'rehearse: slow 1000'], { home });
    await running.says('Slowly, 2 of');
    const { pid } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as { pid: number };
    running.process.kill('SIGKILL');
    await running.ended;
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(existsSync(join(home, 'daemon.json'))).toBe(false);
  });

  // The daemon of the first went with it; the second waited for a minute, failed, and its run hung in the air.
  test('a second command continues its run when the first command, whose daemon it used, ends', {
    timeout: 60_000,
  }, async () => {
    const home = temporaryFolder('home');
    const workspace = temporaryFolder('workspace');
    const waits = 'rehearse: bash touch ready; while [ ! -e go ]; do sleep 0.02; done';
    const words = ['run', waits, '--approval', 'full-auto', '--provider', 'rehearsal', '--model', 'rehearsal-1'];
    const first = startCli(words, { home, cwd: workspace, env: fake });
    await expect.poll(() => existsSync(join(workspace, 'ready'))).toBe(true);
    const detached = await cliHere(['run', 'x', '--detach'], { home });
    expect(detached).toMatchObject({
      code: 1,
      stderr:
        `daybook: Only the daemon of another command, which ends with it, runs on ${home} to leave the run to. ` +
        'Start one with: daybook serve\n',
    });
    provider.script(hangs('One, '), says('One, two.'));
    const second = startCli(['run', 'Count', '--json', ...pair], { home, cwd: workspace, env: fake });
    await second.says('One, ');
    writeFileSync(join(workspace, 'go'), '');
    expect((await first.ended).code).toBe(0);
    const { code, stdout, stderr } = await second.ended;
    expect(stderr).toContain('stream interrupted');
    expect(code).toBe(0);
    const events = jsonLines<AgentEvent>(stdout);
    expect(events.at(-1)).toMatchObject({ type: 'complete', content: expect.stringContaining('One, two.') });
    expect(existsSync(join(home, 'daemon.json'))).toBe(false);
  });

  test('--detach is refused, because the daemon would end with the command', async () => {
    const home = temporaryFolder('home');
    const { code, stderr } = await cliHere(['run', '--detach', 'x'], { home });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `daybook: No daemon is running on ${home} to leave the run to. Start one with: daybook serve\n`,
    );
  });

  test('a daemon that cannot start is shown with its own sentence', async () => {
    const home = temporaryFolder('home');
    writeFileSync(join(home, 'config.json'), '{"colour": "red"}');
    const { code, stderr } = await cliHere(['run', 'x'], { home });
    expect(code).toBe(1);
    expect(stderr).toContain("Unknown setting 'colour'");
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
