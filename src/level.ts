/** `daybook/level`: the storage engines as databases of abstract-level. */
export { DaybookLevel, type DaybookLevelOptions, DaybookMemoryLevel, EngineLevel } from './level/database.ts';
export type { Encoded } from './level/format.ts';
export type { BackendConfig } from './storage/backends.ts';
export type { CowConfig } from './storage/cow/config.ts';
export type { EmbeddedKvConfig } from './storage/embedded-kv/config.ts';
export type { Backend } from './storage/engine.ts';
export { StorageError, type StorageErrorCode, type StorageErrorDetail } from './storage/errors.ts';
export type { LsmConfig } from './storage/lsm/config.ts';
export type { DiskBackend } from './storage/marker.ts';
