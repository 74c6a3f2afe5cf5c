/** The package, packed and installed into an empty folder: it has the expected files, and the demo runs with it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { install, pack, type Tarball } from '../../scripts/package/install.ts';
import { temporaryFolder } from '../support/folders.ts';

const execute = promisify(execFile);

let tarball: Tarball;
let printed: string;
let prefix: string;
let program: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const folder = temporaryFolder('package');
  const home = join(folder, 'home');
  prefix = join(folder, 'prefix');
  mkdirSync(home);
  tarball = await pack(folder);
  // Without the Node of the package, which `npm run check:package` installs: it is half of the bytes.
  const flags = ['--prefer-offline', '--omit=optional'];
  printed = await install({ what: [tarball.path], prefix, isGlobal: false, home, flags });
  program = join(prefix, 'node_modules/daybook/bin/daybook.js');
  env = { PATH: process.env.PATH, HOME: home };
}, 300_000);

it('the tarball holds the program, the web files and the pages, and nothing for development', () => {
  expect(tarball.files).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'bin/daybook.js',
      'dist/cli/main.js',
      'dist/web/index.html',
      'web/base.css',
    ]),
  );
  expect(tarball.files.filter((path) => /^(src|tests|bench|scripts|examples|node_modules)\//.test(path))).toEqual([]);
  expect(tarball.files.filter((path) => /(?<!\.d)\.ts$|\.map$|^bin\/(warm|check-node)/.test(path))).toEqual([]);
});

describe('the installed program', () => {
  it('needs no script at install', () => {
    expect(printed).toMatch(/added \d+ packages/);
    expect(printed).not.toMatch(/install-scripts|deprecated/);
  });

  it('is where the units of systemd start it, with the console', () => {
    for (const unit of ['daybook.service', 'daybook-backup.service']) {
      const text = readFileSync(join('ops', unit), 'utf8');
      const paths = text.match(/(?<=\/opt\/daybook\/)\S+\.(?:js|md)/g) ?? [];
      expect([unit, paths.filter((path) => !existsSync(join(prefix, path)))]).toEqual([unit, []]);
      expect(paths).toContain('node_modules/daybook/bin/daybook.js');
    }
    expect(existsSync(join(prefix, 'node_modules/daybook/dist/web/index.html'))).toBe(true);
  });

  it('says its version', async () => {
    const { stdout } = await execute(process.execPath, [program, '--version'], { env });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('keeps compiled code with the user, not in its own folder', () => {
    expect(existsSync(join(env.HOME!, '.cache/daybook'))).toBe(true);
    expect(existsSync(join(program, '../../node_modules'))).toBe(false);
  });

  it('runs the demo', async () => {
    const { stdout } = await execute(process.execPath, ['examples/demo.ts'], {
      env: { ...env, DAYBOOK_DEMO_PROGRAM: program },
      timeout: 90_000,
    });
    expect(stdout).toContain('All 19 checks held.');
    expect(stdout).not.toContain('✗');
  }, 100_000);
});
