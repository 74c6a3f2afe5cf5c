/** `daybook/kernel`: the event log, deciders, projections and subscriptions for programs without the daemon. */
export type { AnyEvent, Context, Decider, Decision, Occurrence, Policy, UnitOfWork } from './commands/decider.ts';
export { isRefusal, Refusal, type RefusalKind, Refused } from './commands/refusal.ts';
export { EventSchemaError, type StoredEvent, type StoredOf } from './events/decode.ts';
export {
  define,
  type EventDefinition,
  type EventIn,
  type EventOf,
  type EventTable,
  from,
  type Revision,
  type Upcast,
} from './events/define.ts';
export { type ErasureEvent, erasureEvents } from './events/erasure.ts';
export {
  type CommandHandler,
  type CommandHandlerOptions,
  createCommandHandler,
  type DispatchOptions,
} from './kernel/command-handler.ts';
export { type OpenEventLog, type OpenEventLogOptions, openEventLog } from './kernel/event-log.ts';
export { type Folded, type FoldOptions, project, type ReadModelOptions, type ReadModels } from './kernel/project.ts';
export { follow, type SubscribeOptions, subscribe, type TypedSubscribeOptions } from './kernel/subscribe.ts';
export type { Clock } from './ports/clock.ts';
export type { IdGenerator } from './ports/id-generator.ts';
export { handlers, idOf, type Projection, type Seen } from './projections/projection.ts';
export type { Row, Transaction, Value, Views } from './projections/views.ts';
export type { BackendConfig } from './storage/backends.ts';
export type { BackupResult } from './storage/backup.ts';
export type { CowConfig } from './storage/cow/config.ts';
export type { EmbeddedKvConfig } from './storage/embedded-kv/config.ts';
export type { Backend } from './storage/engine.ts';
export { StorageError, type StorageErrorCode, type StorageErrorDetail } from './storage/errors.ts';
export {
  type AppendOptions,
  type AppendResult,
  type ConsistencyProof,
  ERASURES_STREAM,
  type EventLog,
  type EventPlace,
  type ExpectedVersion,
  type Fence,
  type InclusionProof,
  type Json,
  type LogHead,
  type LogVerification,
  type NewEvent,
  type ReadOptions,
  type RecordedEvent,
  type StreamAppend,
  type TreeHashRange,
} from './storage/event-log.ts';
export type { LsmConfig } from './storage/lsm/config.ts';
export {
  type BatchCommand,
  batchCommand,
  type Dispatched,
  type Origin,
  unconditional,
} from './streams/command-handler.ts';
export { FoldError } from './streams/fold.ts';
export type { Selection } from './streams/operators.ts';
