/** Readiness: each check that can fail, one at a time. */
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import type { BackupsState } from '../../src/storage/ops/backups.ts';
import { type ReadinessParts, readyChecks } from '../../src/storage/ops/readiness.ts';
import { controlled } from '../storage/log-helpers.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

const NO_BACKUP: BackupsState = { last: null, kept: 0, failures: 0, failure: null, durationSeconds: null };

function verifiedAt(time: number): BackupsState {
  const last = { path: '/b', madeAt: time, verifiedAt: time, bytes: 1, position: 1, treeHash: '', erasedThrough: 1 };
  return { ...NO_BACKUP, last, kept: 1 };
}

function problems(changes: Partial<ReadinessParts>): Record<string, string> {
  const checks = readyChecks({
    engine: openMemoryEngine(),
    database: null,
    place: () => null,
    diskFull: () => null,
    views: () => null,
    backups: () => NO_BACKUP,
    backupAgeHoursMax: 50,
    startedAt: NOW,
    now: () => NOW,
    ...changes,
  });
  return Object.fromEntries(checks.flatMap(({ name, problem }) => (problem === null ? [] : [[name, problem]])));
}

describe('ready', () => {
  it('when all is well', () => expect(problems({})).toEqual({}));

  it('not while the engine is read-only, and why', () => {
    const { engine, control } = controlled(openMemoryEngine());
    control.failure = new StorageError('STORAGE_IO', 'the sync failed');
    expect(problems({ engine })).toEqual({ engine: 'The engine is read-only: the sync failed' });
  });

  it('not while the views cannot be served', () => {
    expect(problems({ views: () => 'The views are being rebuilt.' })).toEqual({
      views: 'The views are being rebuilt.',
    });
  });

  it('not when the data directory is another one than what is open', () => {
    expect(problems({ place: () => 'It was moved.' })).toEqual({ place: 'It was moved.' });
  });

  it('not while the disk takes no appends', () => {
    expect(problems({ diskFull: () => 'The disk is full.' })).toEqual({ disk: 'The disk is full.' });
  });

  it('an ephemeral store needs neither disk nor backup', () => {
    expect(problems({ diskFull: null, place: null, backups: null })).toEqual({});
  });
});

describe('the age of the last verified backup', () => {
  const long = NOW - 1_000 * HOUR;
  it.each([
    [verifiedAt(NOW - 50 * HOUR), long, true],
    [verifiedAt(NOW - 50 * HOUR - 1), long, false],
    [NO_BACKUP, NOW - 50 * HOUR, true],
    [NO_BACKUP, NOW - 50 * HOUR - 1, false],
    [verifiedAt(long), NOW - HOUR, true],
  ])('%#', (state, startedAt, isReady) => {
    expect('backup' in problems({ backups: () => state, startedAt })).toBe(!isReady);
  });

  it('names the latest failure', () => {
    const state = { ...NO_BACKUP, failures: 1, failure: 'no space left' };
    expect(problems({ backups: () => state, startedAt: long }).backup).toContain('no space left');
  });

  it('does not matter where none are scheduled', () => {
    expect(problems({ backups: null, startedAt: long })).toEqual({});
  });
});
