/** Folders in which no run may work: by name, by location, and in every spelling. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCredentialFolder } from '../../src/queries/run/workspace.ts';
import { temporaryFolder } from '../support/folders.ts';
import { takeHomeDirectoryAway } from '../support/home-directory.ts';

const HOME = '/var/lib/daybook-of-nobody';
const own = (path: string): string => join(homedir(), path);

describe('a workspace root', () => {
  it.each([
    own('.ssh'),
    own('.aws/sso'),
    own('.GnuPG'),
    own('.config'),
    own('.config/anything/at/all'),
    own('.daybook'),
    own('.DayBook/data'),
    own('.claude/projects'),
    own('projects/../.ssh'),
    HOME,
    `${HOME}/data`,
    HOME.replace('daybook', 'DAYBOOK'),
    `${HOME}./data`,
    '/work/project/.config/gcloud',
    '/work/project/.aws. ',
    '/etc',
    '/etc/ssl/private',
    '/private/etc/ssh',
    '/proc/1/root',
    '/dev/shm',
  ])('%s is closed', (path) => expect(isCredentialFolder(path, HOME)).toBe(true));
  it.each([
    homedir(),
    own('projects'),
    own('.configuration'),
    '/work/project/.config',
    '/work/project/.config/nvim',
    '/work/project/.daybook/skills',
    '/work/project/.claude/worktrees/a',
    '/work/etc',
    '/etcetera',
    `${HOME}-2`,
    join(HOME, '..'),
  ])('%s is open', (path) => expect(isCredentialFolder(path, HOME)).toBe(false));

  it('is judged for a user without a home directory too', () => {
    takeHomeDirectoryAway();
    expect(isCredentialFolder('/work/project', HOME)).toBe(false);
    expect(isCredentialFolder('/work/.ssh', HOME)).toBe(true);
    expect(isCredentialFolder(`${HOME}/data`, HOME)).toBe(true);
  });

  it('that does not exist is closed when a link above it leads into a closed folder', () => {
    const folder = temporaryFolder('links');
    mkdirSync(join(folder, '.ssh'));
    symlinkSync(join(folder, '.ssh'), join(folder, 'innocent'));
    expect(isCredentialFolder(join(folder, 'innocent/none/at/all'), HOME)).toBe(true);
    expect(isCredentialFolder(join(folder, 'none/at/all'), HOME)).toBe(false);
  });
});
