/** The settings of webhooks and approvals: accepted values, and the errors for others. */
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/folders.ts';

function load(env: NodeJS.ProcessEnv) {
  const home = temporaryFolder('config');
  return loadConfig(env, { home, workspace: tmpdir() }, tmpdir());
}

describe('DAYBOOK_FORGE_HOSTS', () => {
  it('is the common forge’s hosts unless set', () => {
    expect(load({}).forge_hosts).toEqual(['github.com', 'patch-diff.githubusercontent.com']);
    expect(load({ DAYBOOK_FORGE_HOSTS: '' }).forge_hosts).toContain('github.com');
  });
  it('takes names and addresses with or without a port', () => {
    const hosts = 'git.example.com, localhost:8080,127.0.0.1,[::1]:3000,[fd00::1]';
    const listed = ['git.example.com', 'localhost:8080', '127.0.0.1', '[::1]:3000', '[fd00::1]'];
    expect(load({ DAYBOOK_FORGE_HOSTS: hosts }).forge_hosts).toEqual(listed);
  });
  it.each(['https://github.com', 'github.com/o/r', 'a b', '*', '::1', 'x:', 'x:123456'])(
    'refuses %j by name',
    (hosts) => {
      expect(() => load({ DAYBOOK_FORGE_HOSTS: hosts })).toThrow('DAYBOOK_FORGE_HOSTS');
    },
  );
});

describe('DAYBOOK_APPROVAL_TIMEOUT_SECS', () => {
  it.each([
    [undefined, 600],
    ['30', 30],
    ['0.5', 0.5],
    ['604800', 604_800],
  ])('%j is %d seconds', (text, seconds) => {
    expect(load({ DAYBOOK_APPROVAL_TIMEOUT_SECS: text }).approval_timeout_secs).toBe(seconds);
  });
  it.each(['0', '-1', 'soon', '604801'])('refuses %j by name', (text) => {
    expect(() => load({ DAYBOOK_APPROVAL_TIMEOUT_SECS: text })).toThrow('DAYBOOK_APPROVAL_TIMEOUT_SECS');
  });
});
