/** The programs that `npm run` starts: `--help` prints a usage, and an unknown option is refused before any work. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const programs = Object.entries(scripts).flatMap(([name, line]) =>
  [...line.matchAll(/node ((?:bench|scripts|tests)\/[\w/-]+\.ts)/g)].map(([, file]) => ({ name, file: file! })),
);

describe.each(programs)('npm run $name: $file', ({ name, file }) => {
  const text = readFileSync(file, 'utf8');

  it('has a usage, which names the command', () => {
    expect(/^\/\*\*.*?\*\//s.exec(text)?.[0]).toContain(`npm run ${name}`);
  });

  it('reads its command line by options.ts', () => {
    expect(text).toMatch(/\b(?:optionsOf|answerHelp)\(|support\/parts\.ts/);
  });
});

describe.each(['bench/daemon.ts', 'bench/storage.ts', 'scripts/release.ts'])('node %s', (file) => {
  const run = (option: string) => spawnSync(process.execPath, [file, option], { encoding: 'utf8' });

  it('prints its usage', () => {
    const { status, stdout } = run('--help');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^`npm run .*--/s)]);
  });

  it('refuses an option that it does not have, with its usage', () => {
    const { status, stdout, stderr } = run('--nonsense');
    expect([status, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^Unknown option '--nonsense'.*`npm run /s),
    ]);
  });
});
