/** The entry `daybook/testing`: what test suites on Daybook’s kernel, and against a daemon, are made of. */
export { type Duration, milliseconds, type TestClock, testClock } from './clock.ts';
export { type EventMatch, startTestDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';
export { type Given, type GivenEvent, given, type Moment, type When } from './given.ts';
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
