/** Where no run may be sent to work: by name, by place, and in every spelling. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCredentialFolder } from '../../src/queries/run/workspace.ts';

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
    own('projects/../.ssh'),
    HOME,
    `${HOME}/data`,
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
    '/work/etc',
    '/etcetera',
    `${HOME}-2`,
  ])('%s is open', (path) => expect(isCredentialFolder(path, HOME)).toBe(false));
});
