/**
 * The storage configuration file (`storage.json`): the engine of a new directory, the settings of each engine, backups.
 *
 * - A setting comes from the file, else from the file's preset, else from `DAEMON_DEFAULTS`, else from the engine's
 *   default. The daemon and all commands open a store with the same settings: other settings would change the layout of
 *   its files.
 * - An unknown key, a wrong type or a number out of range is an error that names the file, the key and the allowed
 *   values.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { BackendConfig } from '../backends.ts';
import { COW_LIMITS } from '../cow/config.ts';
import { EMBEDDED_KV_LIMITS } from '../embedded-kv/config.ts';
import { StorageError } from '../errors.ts';
import { LSM_LIMITS } from '../lsm/config.ts';
import type { DiskBackend } from '../marker.ts';
import type { Range } from '../settings.ts';

const STORAGE_CONFIG_FILE = 'storage.json';

export interface BackupSettings {
  readonly enabled: boolean;
  /** Local time of day of the daily backup. */
  readonly at: { readonly hour: number; readonly minute: number };
  /** Null: the folder `backups` in the home. */
  readonly directory: string | null;
  /** Number of verified backups to keep. */
  readonly retention: number;
  /** The service is not ready when the last verified backup is older than this. */
  readonly maxAgeHours: number;
}

export interface StorageConfig {
  readonly backend: DiskBackend | undefined;
  readonly engines: BackendConfig;
  readonly backup: BackupSettings;
  /** The service is not ready with less free disk space than this. */
  readonly diskReserveBytes: number;
}

/** The engine names of the configuration file, and those of `DAYBOOK_PERSISTENCE_BACKEND`. */
const BACKENDS: Readonly<Record<string, DiskBackend>> = {
  CowBTree: 'cow',
  LsmTree: 'lsm',
  EmbeddedKv: 'embedded_kv',
  cow: 'cow',
  lsm: 'lsm',
  embedded_kv: 'embedded_kv',
};

const MIB = 1_048_576;

const PRESETS = {
  'low-memory': {
    cow_config: { max_keys_per_node: 32, wal_buffer_size: 65_536, cache_bytes: 4 * MIB },
    lsm_config: { block_cache_mb: 8, memtable_bytes: 2 * MIB, wal_segment_bytes: MIB },
    embedded_kv_config: { cache_bytes: 8 * MIB },
  },
  'high-performance': {
    cow_config: { max_keys_per_node: 256, wal_buffer_size: 4_194_304, cache_bytes: 192 * MIB },
    lsm_config: { block_cache_mb: 256, memtable_bytes: 32 * MIB, wal_segment_bytes: 16 * MIB },
    embedded_kv_config: { cache_bytes: 256 * MIB },
  },
} as const;
/**
 * The settings without a preset. A log is written in order and mostly read near its end, so small segments, frequent
 * checkpoints and a small cache cost little and keep the daemon's memory small.
 */
const DAEMON_DEFAULTS = {
  cow_config: { wal_buffer_size: 1_048_576, cache_bytes: 8 * MIB },
  lsm_config: {},
  embedded_kv_config: {},
} as const;
const PRESET_NAMES = Object.keys(PRESETS) as readonly (keyof typeof PRESETS)[];

const zBackup = z.strictObject({
  enabled: z.boolean({ error: 'must be true or false' }).default(true),
  at: z
    .string({ error: 'must be a time of day such as "02:00"' })
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "02:00"')
    .default('02:00'),
  directory: z.string({ error: 'must be the path of a folder' }).min(1, 'must be the path of a folder').optional(),
  retention: whole({ min: 1, max: 3_650 }).default(7),
  max_age_hours: whole({ min: 1, max: 87_600 }).default(50),
});

const zFile = z.strictObject({
  backend: z
    .enum(Object.keys(BACKENDS), { error: 'must be CowBTree, LsmTree or EmbeddedKv (or cow, lsm, embedded_kv)' })
    .optional(),
  preset: z.enum(PRESET_NAMES, { error: `must be ${PRESET_NAMES.join(' or ')}` }).optional(),
  cow_config: section(COW_LIMITS),
  lsm_config: section(LSM_LIMITS),
  embedded_kv_config: section(EMBEDDED_KV_LIMITS),
  backup: zBackup.prefault({}),
  disk_reserve_bytes: whole({ min: 0, max: 1_099_511_627_776 }).default(64 * MIB),
});

/** The configuration of a home: the file `named` explicitly, else `storage.json` in the home if it exists. */
export function storageConfigOf(home: string, named: string | undefined): StorageConfig {
  return readStorageConfig(named ?? join(home, STORAGE_CONFIG_FILE), { named: named !== undefined });
}

/**
 * Reads the file at `path`. An absent file is an error if it was named explicitly, and an empty configuration if not.
 */
export function readStorageConfig(path: string, { named }: { readonly named: boolean }): StorageConfig {
  if (!existsSync(path)) {
    if (named) throw configError(`There is no configuration file ${path}.`);
    return checkStorageConfig({}, path);
  }
  return checkStorageConfig(parse(path), path);
}

/** Validates a parsed file. Errors name `source`, and relative paths are resolved against its folder. */
export function checkStorageConfig(value: unknown, source: string): StorageConfig {
  const parsed = zFile.safeParse(value, { error: typeFault });
  if (!parsed.success) throw configError(parsed.error.issues.map((issue) => sentence(issue, source)).join('\n'));
  const { backend, preset, backup, ...file } = parsed.data;
  const settings = preset === undefined ? DAEMON_DEFAULTS : PRESETS[preset];
  const [hour, minute] = backup.at.split(':').map(Number) as [number, number];
  const folder = backup.directory;
  return {
    backend: backend === undefined ? undefined : BACKENDS[backend],
    engines: {
      cow: { ...settings.cow_config, ...file.cow_config },
      lsm: { ...settings.lsm_config, ...file.lsm_config },
      embedded_kv: { ...settings.embedded_kv_config, ...file.embedded_kv_config },
    },
    backup: {
      enabled: backup.enabled,
      at: { hour, minute },
      directory: folder === undefined ? null : resolve(dirname(source), folder),
      retention: backup.retention,
      maxAgeHours: backup.max_age_hours,
    },
    diskReserveBytes: file.disk_reserve_bytes,
  };
}

/** The content of a file that gives this configuration, with the preset's settings written out. */
export function configFacts({ backend, engines, backup, diskReserveBytes }: StorageConfig) {
  const { at, directory, enabled, retention, maxAgeHours } = backup;
  const time = [at.hour, at.minute].map((part) => String(part).padStart(2, '0')).join(':');
  return {
    ...(backend !== undefined && { backend }),
    cow_config: engines.cow ?? {},
    lsm_config: engines.lsm ?? {},
    embedded_kv_config: engines.embedded_kv ?? {},
    backup: { enabled, at: time, ...(directory !== null && { directory }), retention, max_age_hours: maxAgeHours },
    disk_reserve_bytes: diskReserveBytes,
  };
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw configError(`The configuration file ${path} cannot be read as JSON: ${(error as Error).message}.`);
  }
}

function whole({ min, max }: Range) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.number({ error: rule }).int(rule).min(min, rule).max(max, rule);
}

/** The schema of one engine's settings: whole numbers in their ranges. */
function section<Name extends string>(limits: Readonly<Record<Name, Range>>) {
  const shape: Record<string, z.ZodType<number | undefined>> = {};
  for (const [name, range] of Object.entries<Range>(limits)) shape[name] = whole(range).optional();
  return z.strictObject(shape).prefault({});
}

function typeFault(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_type' && issue.expected === 'object' ? 'must be a JSON object' : undefined;
}

function sentence(issue: z.core.$ZodIssue, source: string): string {
  const place = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') {
    return `${source}: ${place === '' ? 'the file' : place} ${issue.message}.`;
  }
  const keys = issue.keys.map((key) => `"${place === '' ? key : `${place}.${key}`}"`).join(', ');
  return `${source}: unknown key ${keys}; known are ${knownKeys(issue.path).join(', ')}.`;
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  const sections: Readonly<Record<string, object>> = {
    cow_config: COW_LIMITS,
    lsm_config: LSM_LIMITS,
    embedded_kv_config: EMBEDDED_KV_LIMITS,
    backup: zBackup.shape,
  };
  return Object.keys(sections[String(path[0] ?? '')] ?? zFile.shape);
}

function configError(message: string): StorageError {
  return new StorageError('STORAGE_CONFIG', message);
}
