/**
 * Runs the public test suite of abstract-level on one engine, as a process, because the suite runs on tape: `node
 * tests/level/suite.ts <engine>`. Databases are made in the working directory. Ends with 1 when a test fails.
 */
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DaybookLevel, DaybookMemoryLevel } from '../../src/level.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';

/** Files that are small from their creation on: the suite makes about a thousand databases. */
const config = { cow: { wal_buffer_size: 65_536 }, lsm: { wal_segment_bytes: 65_536 } };

const [engine = 'memory'] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const suite = require('abstract-level/test');
const test = require('tape');

suite({
  test,
  factory(options?: object) {
    if (engine === 'memory') return new DaybookMemoryLevel(options);
    return new DaybookLevel(join(mkdtempSync('level-'), 'db'), {
      ...options,
      config,
      engine: engine as DiskBackend,
    });
  },
});
