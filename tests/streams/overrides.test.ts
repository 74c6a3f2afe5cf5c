/** What an erasure may bring back: every event type of the daemon is in one class. */
import { describe, expect, it } from 'vitest';
import { HELD_UNTIL, isHolding, OVERRIDDEN, overriddenBy } from '../../src/events/overrides.ts';
import { eventTable } from '../../src/resources.ts';
import { daemonEvents } from '../../src/testing/daemon-events.ts';

/** Deciders fold them without a payload (`evolveErased`). */
const KNOWN_BY_TYPE = ['ToolStarted', 'ToolFinished', 'ToolInterrupted', 'SkillTriggered', 'BriefingTurnTaken'];

/** They add something, which is then missing, or set a value of a record, which then shows its value before. */
const SAY_NOTHING_ELSE = `
  RunRequested RunForked RunResumed SystemNoted ModelAsked ModelFramesReceived ModelAnswered AnswerContinued
  ModelCallFailed ModelCallInterrupted RetryScheduled ModelCallPostponed BackoffEnded ToolRejected ToolLeftChanges PlanUpdated
  ApprovalRequested ApprovalAnswered ApprovalExpired ApprovalWithdrawn HealthChanged StepsExtended
  DeliveryIgnored ReviewRequested ReviewStarted ReviewInterrupted
  TaskCreated TaskRenamed TaskStatusChanged TaskSessionLinked
  MemoryAdded MemoryImported MemoriesMerged ReflectionFormed MemorySealed WaypointsLaid TunnelDug MemoriesRecalled
  RecallLoopRecognised TextChunked TextSealed TextRepeated DrawerStored DrawerSealed FactAsserted FactSealed
  GoalCreated GoalRevised GoalPlanned GoalLinked GoalTitleReleased
  EngagementOpened EngagementStatusChanged DeliverableAdded DeliverableRevised DeliverableStatusChanged
  DeliverableAssigned DeliverableNoted EvidenceAttached GateAdded GateJudged PhaseAdvanced PhaseSet
  IndexBuildRequested BriefingRequested BriefingStarted BriefingGathered BriefingModelAsked BriefingModelAnswered
  BriefingModelFailed BriefingInterrupted RoomTextChanged RoomTextCompacted VoiceSelected VoiceLanguageSet
  PluginInstalled ConnectorAdded ConnectorEnabled PairingOffered PairingExchanged PairingRefused RequestAnswered
  LogTrusted ForkSeen CheckpointTimestamped PayloadErased
`
  .trim()
  .split(/\s+/);

it('a type has data for an erased payload, is known by its type, overrides others, holds something, or says nothing else', () => {
  const withData = Object.values(eventTable).filter(({ whenErased }) => whenErased !== undefined);
  const classes = [
    ...withData.map(({ type }) => type),
    ...KNOWN_BY_TYPE,
    ...Object.keys(OVERRIDDEN),
    ...Object.keys(HELD_UNTIL),
    ...SAY_NOTHING_ELSE,
  ];
  expect(classes.sort()).toEqual(Object.keys(eventTable).sort());
});

it.each(Object.entries(OVERRIDDEN))(
  '%s overrides events of its own resource, which have its key',
  (type, { types, by }) => {
    const table = daemonEvents.find((events) => type in events)!;
    for (const each of [type, ...types]) {
      expect(table).toHaveProperty(each);
      if (by !== undefined) expect(eventTable[each]!.data).toHaveProperty(['shape', by]);
    }
  },
);

describe('an event', () => {
  const event = (position: number, type: string, data: unknown) => {
    return { ...{ position, stream: 'settings-trusted-logs', schema: 1, type, data } };
  };
  const stream = [
    event(1, 'LogTrusted', { vkey: 'a' }),
    event(2, 'LogTrusted', { vkey: 'b' }),
    event(3, 'LogDistrusted', { vkey: 'a' }),
    event(4, 'LogTrusted', { vkey: 'a' }),
  ];

  it('overrides what was said about the same thing before', () => {
    expect(overriddenBy(stream[2]!, stream)).toEqual([1]);
    expect(overriddenBy(stream[0]!, stream)).toEqual([]);
  });
  it('may have any data: another program may have written it', () => {
    expect(overriddenBy(event(3, 'LogDistrusted', null), stream)).toEqual([]);
    expect(overriddenBy(event(5, 'LogDistrusted', { vkey: 'a' }), [event(4, 'LogTrusted', null)])).toEqual([]);
  });
  it('overrides nothing that is erased, and nothing once it is erased itself', () => {
    const erased = { data: null, erased: true as const };
    expect(overriddenBy(stream[2]!, [{ ...stream[0]!, ...erased }])).toEqual([]);
    expect(overriddenBy({ ...stream[2]!, ...erased }, stream)).toEqual([]);
  });
});

describe('a title', () => {
  const event = (position: number, type: string) => {
    return { position, stream: 'goal_title-x', schema: 1, type, data: { goal_id: 'a' } };
  };
  const stream = [event(1, 'GoalTitleClaimed'), event(2, 'GoalTitleReleased'), event(3, 'GoalTitleClaimed')];

  it('is held from its claim to its release', () => {
    expect(stream.map((each) => isHolding(each, stream))).toEqual([false, false, true]);
    expect(isHolding(stream[0]!, stream.slice(0, 1))).toBe(true);
  });
  it('is held by no erased claim, and given back by no erased release', () => {
    const erased = { data: null, erased: true as const };
    expect(isHolding({ ...stream[2]!, ...erased }, stream)).toBe(false);
    expect(isHolding(stream[0]!, [stream[0]!, { ...stream[1]!, ...erased }])).toBe(true);
  });
});
