/** The address of a log on PostgreSQL, and the sources of its password. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPostgresUrl, parseAddress, passwordFor, placeName } from '../../../src/storage/postgres/url.ts';
import { memoryFolder } from '../../support/folders.ts';
import { takeHomeDirectoryAway } from '../../support/home-directory.ts';

describe('the address of a log', () => {
  it('has defaults for everything but the scheme', () => {
    const address = parseAddress('postgres://', { PGUSER: 'me' });
    expect(address).toMatchObject({
      ...{ hosts: [{ host: 'localhost', port: 5432 }], user: 'me', database: 'me', schema: 'daybook' },
      ...{ sslmode: 'prefer', password: null, pool_max: 4, poll_ms: 1_000 },
    });
  });

  it('reads every part, encoded or not', () => {
    const address = parseAddress(
      'postgresql://a%40b:p%3Aw@[::1]:6000,db2/my%20db?schema=log_2&sslmode=verify-full&pool_max=8',
    );
    expect(address).toMatchObject({
      hosts: [
        { host: '::1', port: 6000 },
        { host: 'db2', port: 5432 },
      ],
      ...{ user: 'a@b', password: 'p:w', database: 'my db', schema: 'log_2', sslmode: 'verify-full', pool_max: 8 },
    });
    expect(placeName(address)).toBe('::1:6000,db2:5432/my db, schema log_2');
  });

  it.each([
    ['postgres://u:a:b:@h/d', 'a:b:'],
    ['postgres://u:@h/d', ''],
    ['postgres://u@h/d', 'of the environment'],
  ])('reads the password in %s up to the @', (text, password) => {
    expect(parseAddress(text, { PGPASSWORD: 'of the environment' })).toMatchObject({ user: 'u', password });
  });

  it('takes the folder of a socket, and the names of libpq in the environment', () => {
    const env = { PGHOST: 'db.example', PGPORT: '7000', PGPASSWORD: 'pw', PGSSLMODE: 'require', PGDATABASE: 'd' };
    expect(parseAddress('postgres:///?host=/run/postgresql', env).hosts).toEqual([
      { host: '/run/postgresql', port: 7000 },
    ]);
    expect(parseAddress('postgres://u@', env)).toMatchObject({
      ...{ hosts: [{ host: 'db.example', port: 7000 }], database: 'd', password: 'pw', sslmode: 'require' },
    });
  });

  it.each([
    ['postgres://u:geheim@h/d?schema=x;drop', 'schema must be'],
    ['postgres://u:geheim@h/d?sslmode=maybe', 'sslmode must be one of'],
    ['postgres://u:geheim@h/d?pool_max=1', 'pool_max must be a whole number from 2 to 64'],
    ['postgres://u:geheim@h/d?poll_ms=soon', 'poll_ms must be'],
    ['postgres://u:geheim@h/d?colour=red', 'has no setting colour'],
    ['postgres://u:geheim%zz@h/d', 'percent sign'],
    ['postgres://u:geheim@h/d/e f?x', 'setting x'],
    ['postgres://u:geheim@h:abc/d', 'A host must be'],
    ['postgres://u:geheim@h,[::1]x/d', 'A host must be'],
    ['postgres://u:geheim@h:65536/d', 'port of a host must be'],
    ['postgres://u:geheim@h,i:0/d', 'port of a host must be'],
  ])('refuses %s and prints no password', (text, what) => {
    const parse = () => parseAddress(text, {});
    expect(parse).toThrow(what);
    expect(parse).toThrow(expect.objectContaining({ code: 'STORAGE_CONFIG' }));
    expect(parse).toThrow(/^(?!.*geheim)/);
  });

  it.each([
    ['::1', [{ host: '::1', port: 5432 }]],
    [
      '[fe80::1]:7,a:',
      [
        { host: 'fe80::1', port: 7 },
        { host: 'a', port: 5432 },
      ],
    ],
    [':6000', [{ host: 'localhost', port: 6000 }]],
    ['/run/pg:6000', [{ host: '/run/pg', port: 6000 }]],
  ])('reads the host %s', (host, hosts) => {
    expect(parseAddress(`postgres://u@/d?host=${encodeURIComponent(host)}`, {}).hosts).toEqual(hosts);
    expect(parseAddress('postgres://u@/d', { PGHOST: host }).hosts).toEqual(hosts);
  });

  it('takes an empty variable of the environment for one that is not set', () => {
    const empty = { PGHOST: '', PGPORT: '', PGPASSWORD: '', PGPASSFILE: '', PGSSLMODE: '', PGSSLROOTCERT: '' };
    expect(parseAddress('postgres://u@/d', empty)).toEqual(parseAddress('postgres://u@/d', {}));
  });

  it('is distinguished from other texts', () => {
    expect(['postgres://x', 'postgresql://x', 'mysql://x', 'postgres:x', ''].map(isPostgresUrl)).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
  });
});

describe('the password', () => {
  const lines = ['# a comment', 'other:5432:team:me:no', 'db:5432:team:me:with\\:colon', '*:*:*:me:for all', ''].join(
    '\n',
  );

  it('comes from the first line of the password file that fits', () => {
    const passfile = join(memoryFolder('pass'), 'pgpass');
    writeFileSync(passfile, lines);
    const of = (url: string) => {
      const address = parseAddress(`${url}?passfile=${passfile}`, {});
      return passwordFor(address, address.hosts[0]!);
    };
    expect(of('postgres://me@db/team')).toBe('with:colon');
    expect(of('postgres://me@db2:1/other')).toBe('for all');
    expect(of('postgres://you@db/team')).toBeUndefined();
    expect(of('postgres://me:mine@db/team')).toBe('mine');
  });

  it.each([
    ['/run/pg:5432:team:me:by folder', 'by folder'],
    ['localhost:5432:team:me:by name', 'by name'],
    ['*:*:*:me::starts with a colon', ':starts with a colon'],
    ['*:*:*:me:ends with a space \r', 'ends with a space '],
    ['*:*:*:\\m\\e:back\\\\slash', 'back\\slash'],
    ['*:*::me:other database', undefined],
    ['*:*:*:me:', undefined],
  ])('of a socket in the line %s', (line, password) => {
    const passfile = join(memoryFolder('pass'), 'pgpass');
    writeFileSync(passfile, `${line}\n`);
    const address = parseAddress(`postgres://me@/team?host=/run/pg&passfile=${passfile}`, {});
    expect(passwordFor(address, address.hosts[0]!)).toBe(password);
  });

  it('is none for a user without a home directory, who has no password file', () => {
    takeHomeDirectoryAway();
    const address = parseAddress('postgres://me@db/team', {});
    expect(passwordFor(address, address.hosts[0]!)).toBeUndefined();
  });

  it('from a missing file is an error without its path', () => {
    const address = parseAddress('postgres://me@db/team?passfile=/nowhere/pgpass', {});
    expect(() => passwordFor(address, address.hosts[0]!)).toThrow('The password file cannot be read (ENOENT).');
  });
});
