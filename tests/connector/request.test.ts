/** What a request may describe as a connector, and what is refused before any part of it is stored. */
import { describe, expect, it } from 'vitest';
import { CONNECTOR_CATALOG } from '../../src/commands/connector/catalogue.ts';
import { type ConnectorRequest, newConnector } from '../../src/commands/connector/request.ts';
import { Refused } from '../../src/commands/refusal.ts';

const SECRET = 'tok_0123456789';
const custom = { id: 'notes', command: 'notes-server' } as const;
const github = CONNECTOR_CATALOG.find(({ id }) => id === 'github')!;
const [token] = github.credentials;
const withToken = (secret: string) => ({ [token!.env]: secret });

/** The sentence of the refusal; fails when the request is accepted. */
function refusalOf(request: ConnectorRequest): string {
  try {
    newConnector(request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    expect(error.refusal.kind).toBe('invalid');
    return error.message;
  }
  throw new Error('The request was accepted.');
}

describe('a custom connector', () => {
  it('has its id as title, no arguments and no credentials, unless the request says otherwise', () => {
    const least = { ...custom, catalog_id: null, title: 'notes', args: [], credentials: {} };
    expect(newConnector(custom)).toEqual(least);
    expect(newConnector({ ...custom, catalog_id: '', title: ' ', args: null, credentials: null })).toEqual(least);
    const all = { title: 'My notes', args: ['--all'], credentials: { NOTES_KEY: SECRET } };
    expect(newConnector({ ...custom, ...all })).toEqual({ ...custom, catalog_id: null, ...all });
  });

  it('is trimmed, and blank credentials are left out', () => {
    const { title, command, credentials } = newConnector({
      id: 'notes',
      title: ' My notes ',
      command: ' notes-server ',
      credentials: { NOTES_KEY: ' \t', OTHER_KEY: ' a ' },
    });
    expect({ title, command, credentials }).toEqual({
      title: 'My notes',
      command: 'notes-server',
      credentials: { OTHER_KEY: ' a ' },
    });
  });

  it.each([{}, { id: 'notes' }, { command: 'x' }, { id: ' ', command: 'x' }, { id: 'notes', command: ' ' }])(
    'needs an id and a command: %j',
    (request) => {
      expect(refusalOf(request)).toBe('A connector needs either catalog_id, or id and command.');
    },
  );

  it.each(['Notes', 'my notes', 'a_b', 'ä', '../notes', 'a'.repeat(65), 'a\n'])('has no id like %j', (id) => {
    expect(refusalOf({ ...custom, id })).toMatch(/^id must have 1 to 64 characters/);
  });

  it('has an id of up to 64 characters', () => {
    expect(newConnector({ ...custom, id: `a-0${'z'.repeat(61)}` }).id).toHaveLength(64);
  });

  it.each(['', 'key', 'KEY NAME', 'KEY-NAME', 'K'.repeat(129), 'KEY\n'])('has no credential named %j', (name) => {
    expect(refusalOf({ ...custom, credentials: { [name]: SECRET } })).toMatch(/^Names of credentials must have 1 to/);
  });

  it('has credentials with names of up to 128 characters', () => {
    const name = `_9${'K'.repeat(126)}`;
    expect(newConnector({ ...custom, credentials: { [name]: SECRET } }).credentials).toEqual({ [name]: SECRET });
  });

  it.each(
    `PATH HOME SHELL PROMPT_COMMAND LD_PRELOAD DYLD_INSERT_LIBRARIES BASH_ENV DAYBOOK_HOME MALLOC_CHECK_ SHELLOPTS BASHOPTS
    GLIBC_TUNABLES NLSPATH NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_HISTORY NPM_CONFIG_PREFIX BUN_CONFIG_X DENO_DIR
    PYTHONPATH PYTHONSTARTUP PERL5OPT RUBYLIB PERLLIB LUA_INIT LUA_CPATH PHP_INI_SCAN_DIR CLASSPATH _JAVA_OPTIONS
    JAVA_OPTIONS JAVA_HOME DOTNET_STARTUP_HOOKS GIT_SSH GIT_CONFIG_COUNT GIT_PAGER SSH_ASKPASS EDITOR PAGER BROWSER
    UV_PYTHON PIP_CONFIG_FILE XDG_CONFIG_HOME`.split(/\s+/),
  )('has no credential named %s: it decides how programs start', (name) => {
    expect(refusalOf({ ...custom, credentials: { [name]: SECRET } })).toMatch(`${name} decides how programs start`);
  });

  it.each(
    'MY_PATH PATHS HOMEPAGE NODE_KEY NODE_OPTIONS_X PYTHON PERL5 MY_LD_X XLD_PRELOAD GIT_TOKEN GIT_SSHX JAVA_KEY UV_KEY'.split(
      ' ',
    ),
  )('has a credential named %s, which decides nothing', (name) => {
    expect(newConnector({ ...custom, credentials: { [name]: SECRET } }).credentials).toEqual({ [name]: SECRET });
  });
});

describe('the value of a credential', () => {
  const request = { ...custom, credentials: { NOTES_KEY: SECRET } };

  it.each([
    ['command', { command: `serve ${SECRET}` }],
    ['an argument', { args: ['-k', `--key=${SECRET}!`] }],
  ])('is not in %s: the sentence names its place holder', (_place, fields) => {
    expect(refusalOf({ ...request, ...fields })).toBe(
      'The value of NOTES_KEY is also in the command; write {secret:NOTES_KEY} there instead.',
    );
  });

  it.each([
    ['title', { ...request, title: `with ${SECRET}` }],
    ['id', { ...custom, id: 'notes-server-1', credentials: { NOTES_KEY: 'server-1' }, command: 'x' }],
    ['the name of a credential', { ...custom, credentials: { NOTES_KEY: 'ANOTHER_', ANOTHER_KEY: 'x' } }],
  ])('is not in %s', (field, fields) => {
    expect(refusalOf(fields)).toBe(
      `The value of NOTES_KEY is also in ${field}, which everyone may read; choose another one.`,
    );
  });

  it('may be part of the command by chance when it has fewer than 8 characters', () => {
    expect(newConnector({ ...custom, credentials: { NOTES_KEY: 'notes-s' } }).command).toBe('notes-server');
    expect(refusalOf({ ...custom, credentials: { NOTES_KEY: 'notes-se' } })).toMatch('is also in the command');
  });

  it('is in no refusal', () => {
    for (const fields of [{ command: SECRET }, { title: SECRET }, { id: SECRET }, { catalog_id: 'github' }]) {
      expect(refusalOf({ ...request, ...fields })).not.toContain(SECRET);
    }
  });
});

describe('a connector of the catalogue', () => {
  it('has the title and the command of its entry', () => {
    const { id, title, command, args } = github;
    expect(newConnector({ catalog_id: 'github', credentials: withToken(SECRET) })).toEqual({
      ...{ id, catalog_id: id, title, command, args },
      credentials: withToken(SECRET),
    });
  });

  it('takes nothing beside it', () => {
    const request = { catalog_id: 'github', credentials: withToken(SECRET) };
    expect(refusalOf({ ...request, id: 'a', title: 'A', command: 'b', args: ['c'] })).toBe(
      'catalog_id says all of the command: leave id, title, command, args out, or catalog_id.',
    );
    expect(refusalOf({ ...request, title: 'A' })).toMatch('leave title out');
    expect(refusalOf({ ...request, args: ['c'] })).toMatch('leave args out');
    expect(newConnector({ ...request, id: ' ', title: '', command: null, args: [] }).id).toBe('github');
  });

  it('is one that exists; the refusal repeats letters and digits of its name only', () => {
    expect(refusalOf({ catalog_id: '<b>git\nhub' })).toBe("There is no connector 'bgithub' to choose.");
  });

  it('has all of its credentials, and no others', () => {
    const missing = `${github.title} needs: ${token!.label} (${token!.env}).`;
    expect(refusalOf({ catalog_id: 'github' })).toBe(missing);
    expect(refusalOf({ catalog_id: 'github', credentials: withToken(' ') })).toBe(missing);
    expect(refusalOf({ catalog_id: 'github', credentials: { ...withToken(SECRET), OTHER_KEY: 'x' } })).toBe(
      `${github.title} has no credential of that name: it would be lost.`,
    );
    const entry = CONNECTOR_CATALOG.find(({ credentials }) => credentials.length > 1)!;
    const named = entry.credentials.map(({ env, label }) => `${label} (${env})`).join(', ');
    expect(refusalOf({ catalog_id: entry.id })).toBe(`${entry.title} needs: ${named}.`);
  });

  it('has a credential that is no text of its entry', () => {
    const text = github.args.find((arg) => arg.length >= 8)!;
    for (const [catalog_id, env, value] of [
      ['github', token!.env, text],
      ['postgres', 'POSTGRES_URL', 'PostgreSQL'],
      ['sqlite', 'SQLITE_DB_PATH', '--db-path'],
    ] as const) {
      expect(refusalOf({ catalog_id, credentials: { [env]: value } })).toBe(
        `The value of ${env} is a text of the catalogue's entry; it must be the credential itself.`,
      );
    }
  });
});
