/** The entry `daybook/testing`: what test suites on Daybook’s kernel, and against a daemon, are made of. */
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
export { type EventMatch, NotRunning, startTestDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';
export { assertSame } from './difference.ts';
export { type Given, type GivenEvent, given, type Moment, type When } from './given.ts';
export { type GivenProjection, givenProjection, type StreamEvent } from './given-projection.ts';
export { type GivenReactor, givenReactor, type Performed } from './given-reactor.ts';
export { type AnyStep, type ModelRunOptions, modelRun, type Step, step } from './model-run.ts';
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
