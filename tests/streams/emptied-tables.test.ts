/** A projection that starts again empties its tables. This takes no memory that grows with them. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Projection } from '../../src/projections/projection.ts';
import { openViews } from '../../src/projections/views.ts';
import { Checkpoints } from '../../src/streams/checkpoints.ts';
import { temporaryFolder } from '../support/folders.ts';

const TABLE_BYTES = 96 * 1_048_576;
const ROW_BYTES = 65_536;

const LOG = { head: () => ({ position: 0, treeHash: '', at: 0 }), treeHash: () => '' };

/** `counts` is emptied before `texts`, whose trigger writes to it. */
const texts = (version: number): Projection => ({
  name: 'texts',
  version,
  tables: ['counts', 'texts'],
  create: `
    CREATE TABLE counts (n INTEGER NOT NULL);
    CREATE TABLE texts (text BLOB);
    CREATE TRIGGER texts_out AFTER DELETE ON texts BEGIN UPDATE counts SET n = n - 1; END;
    INSERT INTO counts VALUES (0);`,
  on: {},
});

it('empties a table of 96 MiB within 24 MiB', () => {
  const views = openViews(join(temporaryFolder('emptied-tables'), 'views.db'));
  onTestFinished(() => views.close());
  new Checkpoints(views, LOG).load([texts(1)]);
  views.begin();
  for (let bytes = 0; bytes < TABLE_BYTES; bytes += ROW_BYTES)
    views.run('INSERT INTO texts VALUES (randomblob(?))', ROW_BYTES);
  views.commit();

  const before = process.memoryUsage.rss();
  views.begin();
  new Checkpoints(views, LOG).load([texts(2)]);
  const growth = process.memoryUsage.rss() - before;
  views.commit();

  expect(growth / 1_048_576).toBeLessThan(24);
  expect(views.get('SELECT count(*) AS texts, (SELECT n FROM counts) AS n FROM texts')).toEqual({ texts: 0, n: 0 });
});
