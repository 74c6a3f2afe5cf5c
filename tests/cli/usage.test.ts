/** The usage of the program: help for every command, and one clear sentence with exit code 2 for every bad usage. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serveCommandOf } from '../../src/cli/client.ts';
import { allCommands, treeOf } from '../../src/cli/completion/tree.ts';
import { execute } from '../../src/cli/execute.ts';
import { main, wholeProgram } from '../../src/cli/main.ts';
import { temporaryFolder } from '../support/folders.ts';

const home = temporaryFolder('home');
beforeEach(() => vi.stubEnv('DAYBOOK_HOME', home));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The program in this process. */
async function said(words: readonly string[], run = main) {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  }
  const before = [process.stdout, process.stderr].map((stream) => ({ stream, listeners: stream.listeners('error') }));
  process.exitCode = undefined;
  await run(words);
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  for (const { stream, listeners } of before) {
    for (const added of stream.listeners('error').filter((listener) => !listeners.includes(listener))) {
      stream.off('error', added as () => void);
    }
  }
  vi.restoreAllMocks();
  return { ...written, code };
}

test.each([
  [['nonsense'], "daybook: unknown command 'nonsense'. See daybook --help."],
  [['engagment', 'list'], "daybook: unknown command 'engagment' (Did you mean engagement?). See daybook --help."],
  [
    ['engagement', 'advance', 'x', '--force'],
    'daybook: --force needs --reason: it is recorded with the blockers that are passed over.',
  ],
  [
    ['engagement', 'show', 'x', '--at', 'yesterday'],
    'daybook: --at must be a position of the log from 1, or an RFC 3339 time such as 2026-01-31T09:30:00Z.',
  ],
  [
    ['engagement', 'list', '--at', '0'],
    'daybook: --at must be a position of the log from 1, or an RFC 3339 time such as 2026-01-31T09:30:00Z.',
  ],
  [
    ['goal', 'list', '--at', '2026-02-30T00:00:00Z'],
    'daybook: --at must be a position of the log from 1, or an RFC 3339 time such as 2026-01-31T09:30:00Z.',
  ],
  // With a daemon this read every event, and without one none.
  [['log', 'read', '--stream', ''], 'daybook: --stream must not be empty; leave it out for all events.'],
  [['log', 'read', '--type', ''], 'daybook: --type must not be empty; leave it out for all events.'],
  [['log', 'tail', '--type', ''], 'daybook: --type must not be empty; leave it out for all events.'],
  [['storage', 'read', '--stream', ''], 'daybook: --stream must not be empty; leave it out for all events.'],
  [
    ['memory', 'import', 'memories.json', '--format', 'mem1'],
    "daybook memory import: option '--format <name>' argument 'mem1' is invalid. Allowed choices are auto, mem0, zep, " +
      'openmemory, native. (Did you mean mem0?). See daybook memory import --help.',
  ],
  [['top', '--interval', '0'], 'daybook: --interval must be a whole number from 1 to 2147483.'],
  [['top', '--interval', '2147484'], 'daybook: --interval must be a whole number from 1 to 2147483.'],
  // A name, also of a file, can have control characters, which acted on the terminal.
  [['\u001b[31mnonsense'], "daybook: unknown command 'nonsense'. See daybook --help."],
  [['run', 'x', '--workspace', '/no/\u001b]0;x\u0007such'], 'daybook: There is no folder /no/such.'],
  [['--nonsense'], "daybook: unknown option '--nonsense'. See daybook --help."],
  // It showed the overview with exit code 0, as if there were such a command.
  [['help', 'nonsense'], "daybook: unknown command 'nonsense'. See daybook --help."],
  [['help', 'log', 'nonsense'], "daybook log: unknown command 'nonsense'. See daybook log --help."],
  [['jobs', 'nonsense', '--help'], "daybook jobs: unknown command 'nonsense'. See daybook jobs --help."],
  [['nonsense', '--help'], "daybook: unknown command 'nonsense'. See daybook --help."],
  [['run'], "daybook run: missing required argument 'task'. See daybook run --help."],
  [['run', ' '], 'daybook: The task is empty.'],
  [['run', 'x', '--colour'], "daybook run: unknown option '--colour'. See daybook run --help."],
  [
    ['run', 'x', '--approval', 'yolo'],
    'daybook: --approval must be suggest, auto-edit, full-auto, read-only or chat-only.',
  ],
  [
    ['run', 'x', '--approval', 'sugest'],
    "daybook: --approval must be suggest, auto-edit, full-auto, read-only or chat-only. Did you mean 'suggest'?",
  ],
  [
    ['engagement', 'set', 'x', '--status', 'actve'],
    "daybook engagement set: option '--status <status>' argument 'actve' is invalid. Allowed choices are draft, active, " +
      'paused, closed. (Did you mean active?). See daybook engagement set --help.',
  ],
  [['run', 'x', '--provider', 'openai'], 'daybook: --provider and --model go together: give both or none.'],
  // The folder was the current one: of a run, of a restored store, of a repository to commit to.
  [['run', 'x', '--workspace', ''], "daybook run: '--workspace <dir>' must not be empty. See daybook run --help."],
  [
    ['storage', 'restore', '--from', 'backup', '--data-dir', ''],
    "daybook storage restore: '--data-dir <dir>' must not be empty. See daybook storage restore --help.",
  ],
  // It read all files of the folder first, and failed at one that it could not.
  [['storage', 'restore', '--from', '/proc'], 'daybook: /proc holds no finished backup.'],
  [
    ['storage', 'snapshot', '--name', '.now'],
    'daybook: --name must be 1 to 100 letters, digits, dots, hyphens or underscores, the first no dot.',
  ],
  [
    ['mcp', '--path', '', 'probe', 'x'],
    "daybook mcp probe: '--path <dir>' must not be empty. See daybook mcp probe --help.",
  ],
  [['devex', ''], "daybook devex: '<path>' must not be empty. See daybook devex --help."],
  [['run', 'x', '--workspace', '/no/such/folder'], 'daybook: There is no folder /no/such/folder.'],
  [['engagement', 'new', 'x', '--workspace', '/no/such/folder'], 'daybook: There is no folder /no/such/folder.'],
  [['goal', 'new', 'x', '--workspace', '/no/such/folder'], 'daybook: There is no folder /no/such/folder.'],
  [['goal', 'pin', 'x', '--workspace', '/no/such/folder'], 'daybook: There is no folder /no/such/folder.'],
  // The run went to the daemon's own folder instead, and worked there.
  [['run', 'x', '--workspace', '/etc/hostname'], 'daybook: There is no folder /etc/hostname.'],
  [['run', 'x', '--workspace', `/${'a'.repeat(256)}`], `daybook: There is no folder /${'a'.repeat(256)}.`],
  [['run', 'x', '--reasoning', 'ultra'], 'daybook: --reasoning must be minimal, low, medium, high or extra-high.'],
  [['run', 'x', '--max-step-extensions', '-1'], 'daybook: --max-step-extensions must be a whole number from 0.'],
  [['fork', 'x', '--step', 'two'], 'daybook: --step must be a whole number from 0.'],
  [['room', 'write', ''], 'daybook: The id of a room must not be empty.'],
  [['room', 'write', 'x'.repeat(201)], 'daybook: The id of a room must have at most 200 bytes.'],
  // It made another text beside the one that the room has.
  [['room', 'write', 'x', '--text', ''], 'daybook: --text must not be empty; leave it out for the only text.'],
  [['replay'], "daybook replay: missing required argument 'session'. See daybook replay --help."],
  // It measured the tags, whatever the branch, also one that does not exist.
  [
    ['devex', '.', '--branch', 'main'],
    'daybook: --branch goes with --marker merges: releases that are tags are on no branch.',
  ],
  [['briefing', '--hours', '72'], 'daybook: --hours goes with --generate.'],
  [['briefing', '--generate', '--hours', 'x'], 'daybook: --hours must be a whole number from 1 to 9999.'],
  [['index', 'search', 'x', '--limit', '101'], 'daybook: --limit must be a whole number from 1 to 100.'],
  [['index', 'build', '--model', 'x'], 'daybook: --provider and --model go together: give both or none.'],
  [['jobs', '--limit', '0'], 'daybook: --limit must be a whole number from 1 to 9999.'],
  [['jobs', 'nonsense'], "daybook jobs: unknown command 'nonsense'. See daybook jobs --help."],
  [['log', 'read', '--after', 'x'], 'daybook: --after must be a whole number from 0.'],
  [['log', 'tail', '-n', 'x'], 'daybook: --lines must be a whole number from 0.'],
  [['log', 'verify', '--trusted', 'x'], 'daybook: --trusted must be <position>:<64 hex digits>, as verify prints it.'],
  [['log', 'read', '--colour'], "daybook log read: unknown option '--colour'. See daybook log read --help."],
  [
    ['storage', 'erase'],
    "daybook storage erase: required option '--position <n...>' not specified. See daybook storage erase --help.",
  ],
  [['log', 'nonsense'], "daybook log: unknown command 'nonsense'. See daybook log --help."],
  [['serve', '--port', '99999'], 'daybook: flag --port: must be a whole number from 0 to 65535'],
  [['--home', '/no/such/home', 'jobs', '--limit', '0'], 'daybook: --limit must be a whole number from 1 to 9999.'],
  [['--home', '/no/such/home'], "daybook: unknown option '--home'. See daybook --help."],
])('daybook %j is refused in one sentence', async (words, sentence) => {
  expect(await said(words)).toEqual({ stdout: '', stderr: `${sentence}\n`, code: 2 });
});

// `daybook goal new Ship it` made a goal named Ship, and `daybook log key rotate x` rotated the key.
test('every command refuses arguments that it does not name', async () => {
  const commands = allCommands(treeOf(await wholeProgram())).filter(({ commands: children }) => children.length === 0);
  expect(commands.length).toBeGreaterThan(80);
  for (const { path, arguments: named, options } of commands) {
    const required = options.find(({ long }) => ['--to', '--from', '--log', '--git'].includes(long));
    const words = [...path.slice(1), ...named.map(({ choices }) => choices[0] ?? 'a'), 'more', 'and-more'];
    const { code, stdout, stderr } = await said(required === undefined ? words : [...words, required.long, 'x']);
    expect({ path, code, stdout }).toEqual({ path, code: 2, stdout: '' });
    expect(stderr).toMatch(/: (too many arguments|required option)\b/);
  }
});

test.each(['serve', 'run', 'jobs', 'fork', 'replay', 'log', 'storage', 'doctor'])(
  'daybook %s has help',
  async (name) => {
    const help = await said([name, '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: daybook ${name}`);
    expect((await said(['help', name])).stdout).toBe(help.stdout);
    expect((await said([])).stdout).toContain(`\n  ${name} `);
  },
);

// Those that also run without a subcommand had none.
test.each(['jobs', 'goal', 'log'])('daybook %s help is its help', async (name) => {
  expect((await said([name, 'help'])).stdout).toBe((await said([name, '--help'])).stdout);
});

test.each([[['open']], [['mcp']], [['mcp', 'probe', 'x']], [['log', 'tail']], [['run', 'x', '--detach']]])(
  'without a daemon %j says how to start one on this home',
  async (words) => {
    const here = await said(words);
    expect(here).toMatchObject({ stdout: '', code: 1 });
    expect(here.stderr).toMatch(/^daybook: No daemon is running on .*\. Start one with: daybook serve\n$/);
    const there = join(home, "Ada's home");
    expect((await said([...words, '--home', there])).stderr.split(' with: ')[1]).toBe(
      `daybook serve --home '${home}/Ada'\\''s home'\n`,
    );
  },
);

// fork, run --resume and the two of the index started a daemon, which made a home, to find nothing in it.
test.each([
  [['log', 'verify']],
  [['log', 'read']],
  [['log', 'export']],
  [['log', 'key', 'rotate']],
  [['log', 'witness', 'list']],
  [['log', 'witness', 'key']],
  [['log', 'witness', 'remove', 'ab']],
  [['log', 'rebuild']],
  [['replay', 'ab']],
  [['fork', 'ab']],
  [['jobs']],
  [['jobs', 'show', 'ab']],
  [['jobs', 'cancel', 'ab']],
  [['memory']],
  [['memory', 'export']],
  [['briefing']],
  [['evidence', 'export', 'ab', '--to', 'ab.zip']],
  [['run', '--resume', 'ab', 'go on']],
  [['engagement', 'show', 'acme']],
  [['goal', 'tree']],
  [['approvals']],
  [['room', 'list']],
  [['top']],
  [['index', 'status']],
  [['index', 'search', 'where?']],
])('on a machine without a home %j makes none', async (words) => {
  const fresh = join(home, 'not', 'there');
  const start = `The first start of the daemon makes it: ${serveCommandOf(fresh)}`;
  const stderr = `daybook: There is no log in ${join(fresh, 'data')} yet. ${start}\n`;
  for (const line of [
    [...words, '--home', fresh],
    ['--home', fresh, ...words],
  ]) {
    expect(await said(line)).toEqual({ stdout: '', stderr, code: 1 });
  }
  expect(existsSync(join(home, 'not'))).toBe(false);
});

test('storage commands take the home before and behind them', async () => {
  const fresh = join(home, 'not', 'there');
  const stderr = `daybook: There is no Daybook store in ${join(fresh, 'data')}; name another --data-dir.\n`;
  for (const words of [
    ['storage', 'stats', '--home', fresh],
    ['storage', '--home', fresh, 'stats'],
    ['--home', fresh, 'storage', 'stats'],
  ]) {
    expect(await said(words)).toEqual({ stdout: '', stderr, code: 2 });
  }
});

test('the version is the package’s', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await said(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 });
});

test('serve loads no other command', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|\} from|export .* from)\b.*'(\.[^']+)';$/gm);
    for (const match of imports) visit(join(dirname(path), match[1]!));
  };
  visit(resolve('src/cli/main.ts'));
  visit(resolve('src/cli/serve.ts'));
  expect(seen).toContain(resolve('src/daemon.ts'));
  const commands = readFileSync('src/cli/main.ts', 'utf8').matchAll(/import\('(\.[^']+)'\)/g);
  const loaded = [...commands].map((match) => resolve('src/cli', match[1]!)).filter((path) => seen.has(path));
  expect([...new Set(loaded)]).toEqual([resolve('src/cli/serve.ts')]);
});

test('of a failure after which the store cannot be closed either, the first is named', async () => {
  const fail = async (): Promise<never> => {
    await using _store = { [Symbol.asyncDispose]: () => Promise.reject(new Error('It cannot be closed.')) };
    throw new Error('It is damaged.');
  };
  expect(await said([], (words) => execute(fail, words))).toEqual({
    stdout: '',
    stderr: 'daybook: It is damaged.\n',
    code: 1,
  });
});

test.each([
  ['--home', '/no/such/home', 'jobs', 'show', 'x'],
  ['--home=/no/such/home', 'jobs', 'show', 'x'],
  ['jobs', '--home', '/no/such/home', 'show', 'x'],
  ['jobs', 'show', 'x', '--home', '/no/such/home'],
])('the home is taken from anywhere on the command line: %s %s %s', async (...words) => {
  expect(await said(words)).toMatchObject({ stderr: expect.stringContaining('no log in /no/such/home/data'), code: 1 });
});

test.each([
  [['evidence', 'verify', '{}'], 'daybook: There is no file {}.'],
  [['evidence', 'verify', '{}', '--checkpoint', '{}'], 'daybook: There is no file {}.'],
  [['log', 'verify', '--file', '{}'], 'daybook: There is no file {}.'],
  [['log', 'verify', '--file', '{}', '--checkpoint', '{}', '--vkey', 'k'], 'daybook: There is no file {}.'],
])('daybook %j names the file that is missing, or is a folder', async (words, sentence) => {
  for (const [path, expected] of [
    ['/no/such/file', sentence],
    [home, 'daybook: {} is a folder; a file is expected.'],
  ] as const) {
    const named = words.map((word) => word.replace('{}', path));
    expect(await said(named)).toEqual({ stdout: '', stderr: `${expected.replace('{}', path)}\n`, code: 1 });
  }
});
