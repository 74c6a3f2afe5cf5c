/** The systemd units: `systemd-analyze` accepts them, and the backup is at 02:00. Skipped without systemd. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { confine } from '../../src/integrations/tools/confine.ts';
import { temporaryFolder } from '../support/folders.ts';

const UNITS = ['daybook.service', 'daybook-backup.service', 'daybook-backup.timer'];
const isThere = spawnSync('systemd-analyze', ['--version']).error === undefined;
const textOf = (unit: string): string => readFileSync(join('ops', unit), 'utf8');

describe('the units', () => {
  it.skipIf(!isThere)('are sound', () => {
    const folder = temporaryFolder('units');
    // The program is not installed here; systemd looks whether it is.
    for (const unit of UNITS) {
      writeFileSync(join(folder, unit), textOf(unit).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
    }
    const paths = UNITS.map((unit) => join(folder, unit));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });
    // It also warns about the units of other programs on the machine.
    expect([status, stderr.split('\n').filter((line) => line.includes('daybook'))]).toEqual([0, []]);
  });

  // The workspace lay in the home, where no tool may go: under systemd every run failed to read and to write.
  it('have the agents work in a folder that their tools may touch, and that systemd makes', async () => {
    const unit = textOf('daybook.service');
    const [, home = '', workspace = ''] =
      /^Environment=DAYBOOK_HOME=(\S+)$[\s\S]*^Environment=DAYBOOK_WORKSPACE=(\S+)$/m.exec(unit) ?? [];
    const root = temporaryFolder('state');
    for (const name of /^StateDirectory=(.+)$/m.exec(unit)![1]!.split(' '))
      mkdirSync(join(root, '/var/lib', name), { recursive: true });
    const place = { home: join(root, home), workspace: join(root, workspace) };
    expect(await confine(place, 'notes.md', 'write')).toMatchObject({ ok: true });
    expect(unit).toContain(`\nWorkingDirectory=${workspace}\n`);
  });

  it('start the daemon with the flags of npm start, as the image does', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    const [, command = ''] = /^ExecStart=(.+)$/m.exec(textOf('daybook.service')) ?? [];
    const packed = scripts.start.replace('bin/', '/opt/daybook/node_modules/daybook/bin/');
    expect(command).toBe(`/opt/daybook/node_modules/.bin/${packed}`);
    const image = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', '');
    const words = ['ENTRYPOINT', 'CMD'].flatMap((instruction) => {
      const [, list = '[]'] = new RegExp(`^${instruction} (\\[.+\\])$`, 'm').exec(image) ?? [];
      return JSON.parse(list) as string[];
    });
    expect(words.join(' ')).toBe(`tini -- ${packed}`);
  });

  it('make the backup at 02:00, also one that was missed', () => {
    const timer = textOf('daybook-backup.timer');
    expect(timer).toMatch(/^OnCalendar=\*-\*-\* 02:00:00$/m);
    expect(timer).toMatch(/^Persistent=true$/m);
  });
});
