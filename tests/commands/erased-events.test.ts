/** What ends, forbids or was done once stays so when its event loses its payload: states that are folded from a log. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approvalPolicy } from '../../src/commands/approval-policy.ts';
import { briefingSettings } from '../../src/commands/briefing/settings.ts';
import { briefingTurn } from '../../src/commands/briefing/turn.ts';
import { indexBuild } from '../../src/commands/code-index.ts';
import { connector } from '../../src/commands/connector/decide.ts';
import type { Decider } from '../../src/commands/decider.ts';
import { memory } from '../../src/commands/memory/decide.ts';
import { memorySettings } from '../../src/commands/memory/settings.ts';
import { run } from '../../src/commands/run/decide.ts';
import { delivery } from '../../src/commands/webhook/decide.ts';
import { zJson } from '../../src/events/envelope.ts';
import { type OpenEventLog, openEventLog } from '../../src/kernel/event-log.ts';
import { StreamStates } from '../../src/streams/stream-states.ts';
import { arbitraryEvent } from '../../src/testing/arbitraries.ts';
import { runRequest } from '../../src/testing/commands/run-inputs.ts';

let log: OpenEventLog;
beforeEach(async () => {
  log = await openEventLog();
});
afterEach(() => log.close());

const AT = 7;

/** The state without the payload of the events with a `-` before their type. */
async function stateOf<State>(
  decider: Decider<never, State>,
  ...history: readonly (readonly [type: string, data?: object])[]
): Promise<State> {
  const stream = `${decider.category}-x`;
  const envelope = { at: AT, actor: 'owner', correlation: null, causation: null };
  const events = history.map(([name, data = {}], index) => {
    const type = name.replace('-', '');
    const schema = Object.entries(decider.events).find(([key]) => key === type)![1].version;
    return { ...envelope, id: `019e0000-0000-7000-8000-00000000000${index}`, type, schema, data: zJson.parse(data) };
  });
  await log.append([{ stream, expectedVersion: 'none', events }]);
  await log.erase(history.flatMap(([name], index) => (name.startsWith('-') ? [index + 1] : [])));
  return new StreamStates(log, 'refuse').current(decider, stream).state;
}

it.each(['MemoryDecayed', 'MemoryAbsorbed', 'MemoryDeleted'])('a memory does not return: %s', async (type) => {
  const [added] = fc.sample(arbitraryEvent('MemoryAdded'), { numRuns: 1, seed: 1 });
  const data = { effective_salience: 0.1, into: 'y', positions: [] };
  expect(await stateOf(memory, ['MemoryAdded', added!.data], [`-${type}`, data])).toEqual({ life: 'absent' });
});

it('memories stay encrypted', async () => {
  const encryption = { key_source: 'keyring', salt: 's', check: 'c' };
  expect(await stateOf(memorySettings, ['-MemoryEncryptionEnabled', encryption])).toMatchObject({ isEnabled: true });
});

it('the policy of runs is the strictest one', async () => {
  const set = (type: string, policy: string) => [type, { policy }] as const;
  const [earlier, erased] = [set('ApprovalPolicySet', 'full-auto'), set('-ApprovalPolicySet', 'read-only')];
  expect(await stateOf(approvalPolicy, earlier, erased)).toEqual({ policy: 'chat-only' });
});

it('briefings are not made by themselves', async () => {
  const changed = (type: string, changes: object) => [type, { changes }] as const;
  const earlier = changed('BriefingSettingsChanged', { enabled: true, time: '06:00' });
  const { settings } = await stateOf(briefingSettings, earlier, changed('-BriefingSettingsChanged', { keep: 9 }));
  expect(settings).toMatchObject({ enabled: false, time: '06:00' });
});

it('a briefing that was made at its time is not made again', async () => {
  const taken = ['-BriefingTurnTaken', { briefing_id: 'b', scheduled_for: 5 }] as const;
  expect(await stateOf(briefingTurn, taken)).toEqual({ last: null, taken: [AT] });
});

it.each([
  [
    'IndexBuilt',
    { outcome: { chunks: 1, files: 1, dimension: 2, path: '/p', embedded: 1, reused: 0, skipped: {}, notes: [] } },
  ],
  ['IndexBuildFailed', { reason: 'failed', message: 'Ada' }],
])('a build that has ended is not under way: %s', async (type, data) => {
  const target = { workspace: '/w', provider: 'p', model: 'm', dimensions: null };
  const requested = ['IndexBuildRequested', { build: 'b', target }] as const;
  expect(await stateOf(indexBuild, requested, [`-${type}`, { build: 'b', ...data }])).toEqual({ building: null });
});

it('a delivery that started a run starts no second one', async () => {
  const received = { delivery_id: 'd', body_sha256: '', body_length: 0 };
  const triggered = { ...received, skill: 's', webhook_trigger: 't', session_id: 'r' };
  expect(await stateOf(delivery, ['-SkillTriggered', triggered])).toEqual({ status: 'triggered', skill: null });
});

it.each(['ConnectorEnabled', 'ConnectorDisabled'])('a connector is absent without its addition: %s', async (type) => {
  const which = { workspace: '/w', id: 'x' };
  const added = { ...which, catalog_id: null, title: 'x', command: 'npx', args: [], credential_names: [] };
  expect(await stateOf(connector, ['-ConnectorAdded', added], [type, which])).toBe('absent');
});

it('a run whose resume is erased does not go on under its earlier request', async () => {
  const first = [
    ['RunRequested', runRequest({ approval: 'full-auto' })],
    ['RunBegun'],
    ['RunCompleted', { summary: '' }],
  ] as const;
  const resumed = ['-RunResumed', { request: runRequest({ approval: 'read-only' }) }] as const;
  expect(await stateOf(run, ...first, resumed, ['RunBegun'])).toMatchObject({ status: 'complete' });
});
