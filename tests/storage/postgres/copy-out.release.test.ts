/** Reading records with COPY from the database. */
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/storage/postgres/hosts.ts';
import { parseAddress } from '../../../src/storage/postgres/url.ts';
import { copyOut } from '../../../src/storage/postgres/wire.ts';
import { withPostgres } from '../../support/postgres.ts';

withPostgres('copied bytes', (cluster) => {
  async function connected() {
    const client = await connect(parseAddress(cluster().url('none'), {}));
    onTestFinished(() => client.end());
    return client;
  }

  test('are those of the rows, small and large, in their order', async () => {
    const query = `SELECT decode(repeat(lpad(to_hex(n % 256), 2, '0'), n * 100), 'hex') FROM generate_series(0, 400) AS n`;
    const values = await copyOut(await connected(), query);
    const expected = Array.from({ length: 401 }, (_, n) => Buffer.alloc(n * 100, n % 256));
    expect(values.every((value, n) => value.equals(expected[n]!))).toBe(true);
    expect(values.length).toBe(expected.length);
  });

  test('are none without rows', async () => {
    expect(await copyOut(await connected(), "SELECT ''::bytea WHERE false")).toEqual([]);
  });

  test('an error of the server rejects, also after rows, and leaves the connection usable', async () => {
    const client = await connected();
    const failing = 'SELECT int4send(1 / (3 - n)) FROM generate_series(1, 5) AS n';
    await expect(copyOut(client, failing)).rejects.toThrow('division by zero');
    expect(await copyOut(client, 'SELECT int4send(7)')).toEqual([Buffer.from([0, 0, 0, 7])]);
  });

  test('a connection that breaks rejects', async () => {
    const client = await connected();
    const copied = copyOut(client, 'SELECT int4send(n) FROM generate_series(1, 1000) AS n, pg_sleep(60)');
    client.on('error', () => {});
    setImmediate(() => client.connection.stream.destroy());
    await expect(copied).rejects.toThrow();
  });
});
