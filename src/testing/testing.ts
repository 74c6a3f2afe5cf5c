/** The entry `daybook/testing`: tools for test suites of Daybook’s kernel and of a daemon. */

export type { Client } from '../client/client.ts';
export type { AnyEvent, Context, Decider, Decision, Occurrence } from '../commands/decider.ts';
export type { Refusal, RefusalKind } from '../commands/refusal.ts';
export type { EventDefinition, EventOf, EventTable, Upcast } from '../events/define.ts';
export { type Envelope, zEnvelope } from '../events/envelope.ts';
export type { Timers } from '../lib/timers.ts';
export type { Clock } from '../ports/clock.ts';
export type {
  FinishReason,
  ModelChoice,
  ModelErrorKind,
  ModelFrame,
  ModelMessage,
  ModelReasoning,
  ModelRequest,
  ModelRow,
  ModelsPort,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from '../ports/models.ts';
export type { Projection, Seen } from '../projections/projection.ts';
export type { Row, Transaction, Views } from '../projections/views.ts';
export type { AppendOptions, EventLog, Fence, Json, RecordedEvent } from '../storage/event-log.ts';
export type { EffectScope, Reactor } from '../streams/reactor.ts';
export {
  arbitraryCommand,
  arbitraryEvent,
  arbitraryHistory,
  arbitraryValue,
  type CommandsOf,
  type History,
  type HistoryOptions,
  historyOf,
  type StreamCommand,
} from './arbitraries.ts';
export {
  assertBackupRestores,
  assertFoldOfLog,
  assertResumes,
  assertTranscriptEqualsLog,
  assertViewsEqualLog,
  type Fold,
  type LogPart,
  logEvents,
  type ResumeOptions,
  type Served,
} from './assertions.ts';
export { type Duration, milliseconds, type TestClock, testClock } from './clock.ts';
export { NotRunning, startTestDaemon } from './daemon.ts';
export { type DaemonEvents, daemonEvents } from './daemon-events.ts';
export { assertSame } from './difference.ts';
export {
  type ContractCase,
  type CrashingLog,
  eventLogContract,
  type LogCapabilities,
  type LogPlace,
  type OpenLog,
} from './event-log-contract.ts';
export { type Given, type GivenEvent, given, type Moment, type When } from './given.ts';
export { type GivenProjection, givenProjection, type StreamEvent } from './given-projection.ts';
export { type GivenReactor, givenReactor, type Performed } from './given-reactor.ts';
export { type AnyStep, type ModelRunOptions, modelRun, type Step, step, type Trial } from './model-run.ts';
export {
  type ScriptEntry,
  type ScriptedAnswer,
  type ScriptedFailure,
  type ScriptedModel,
  type ScriptedSilence,
  type ScriptedSpeech,
  type ScriptedToolCall,
  scriptedModel,
} from './scripted-model.ts';
export { parseSse, readSse, type SseEvent } from './server-sent-events.ts';
export type { EventMatch, TestDaemon, TestDaemonOptions } from './test-daemon.ts';
