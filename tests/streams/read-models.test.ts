/** The file of the views at a start. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProjector } from '../../src/read-models.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { temporaryFolder } from '../support/folders.ts';

it('what the system does not open is kept, and the start fails with what to do', () => {
  const path = join(temporaryFolder('views'), 'views.db');
  // The system opens no folder for writing.
  mkdirSync(path);
  const reports: string[] = [];
  const report = (line: string) => reports.push(line);
  const parts = { log: openEventLog(openMemoryEngine()), projections: [], events: {}, report };
  expect(() => openProjector(path, parts)).toThrow(
    /cannot be opened \(EISDIR.*\)\. Make room on the disk, or make the file/,
  );
  expect(reports).toEqual([]);
  expect(existsSync(path)).toBe(true);
});
