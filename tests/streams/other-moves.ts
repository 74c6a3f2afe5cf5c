/**
 * Commands for every decider that has no histories in `moves.ts`: made of few names and texts, so that they meet. What
 * the daemon makes itself (ids of evidence, links, texts, builds) is never made twice.
 */
import fc from 'fast-check';
import { type BriefingState, briefing } from '../../src/commands/briefing/decide.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../src/commands/briefing/settings.ts';
import { BRIEFING_TURN_ID, briefingTurn } from '../../src/commands/briefing/turn.ts';
import { indexBuild } from '../../src/commands/code-index.ts';
import { connector } from '../../src/commands/connector/decide.ts';
import type { Decider } from '../../src/commands/decider.ts';
import { engagement } from '../../src/commands/engagement/decide.ts';
import type { EngagementState } from '../../src/commands/engagement/state.ts';
import { type GoalState, goal } from '../../src/commands/goal/decide.ts';
import { goalPins, PINS_STREAM_ID } from '../../src/commands/goal/pins.ts';
import { goalTitle } from '../../src/commands/goal/title.ts';
import { memory } from '../../src/commands/memory/decide.ts';
import { drawer } from '../../src/commands/memory/drawer.ts';
import { type FactState, fact } from '../../src/commands/memory/fact.ts';
import { RECALL_STREAM_ID, recalled } from '../../src/commands/memory/recalled.ts';
import { MEMORY_SETTINGS_ID, memorySettings } from '../../src/commands/memory/settings.ts';
import { OFFICE_STREAM_ID, officeSettings } from '../../src/commands/office.ts';
import { plugin } from '../../src/commands/plugin/decide.ts';
import { Refused } from '../../src/commands/refusal.ts';
import { request } from '../../src/commands/request.ts';
import { room, roomText } from '../../src/commands/room.ts';
import { VOICE_STREAM_ID, voiceSettings } from '../../src/commands/voice.ts';
import { delivery } from '../../src/commands/webhook/decide.ts';
import { BRIEFING_LENGTHS, WEEKDAYS } from '../../src/events/briefing/events.ts';
import { zIndexOutcome, zIndexTarget } from '../../src/events/code-index.ts';
import {
  zDeliverableStatus,
  zEngagementStatus,
  zEvidenceKind,
  zPhase,
  zVerdict,
} from '../../src/events/engagement/events.ts';
import { GOAL_LINK_KINDS, GOAL_STATUSES, zGoalPlan } from '../../src/events/goal.ts';
import { zKeeping, zMemoryBody } from '../../src/events/memory/events.ts';
import { eventTable } from '../../src/resources.ts';
import type { CommandHandler } from '../../src/streams/command-handler.ts';
import { arbitraryOf, smallText } from '../support/arbitrary.ts';

// biome-ignore lint/suspicious/noExplicitAny: deciders of different types in one table; each row names its own.
type AnyDecider = Decider<any, any, any>;

type Command = { readonly type: string };

interface Row {
  readonly decider: AnyDecider;
  /** The command with what it can only know of the state. */
  readonly fitted?: (command: never, state: never) => Command;
  readonly ids: fc.Arbitrary<string>;
  readonly command: fc.Arbitrary<Command>;
}

const few = (name: string): fc.Arbitrary<string> => fc.constantFrom(`${name}1`, `${name}2`);
const only = (id: string): fc.Arbitrary<string> => fc.constant(id);
const fresh = fc.uuid({ version: 7 });
const workspace = fc.constantFrom('/work', '/other');
const anywhere = fc.constantFrom('/work', null);
const positions = fc.constant([] as number[]);
const data = (type: string): fc.Arbitrary<never> => arbitraryOf(eventTable[type]!.data) as fc.Arbitrary<never>;

/** A command of a type; what is in `maybe` may be left out. */
function command(
  type: string,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
  maybe: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Command> {
  const parts = { type: fc.constant(type), ...fields, ...maybe };
  const requiredKeys = ['type', ...Object.keys(fields)];
  return fc.record(parts, { requiredKeys, noNullPrototype: true } as never) as fc.Arbitrary<Command>;
}

const received = fc.record({ delivery_id: few('d'), body_sha256: smallText, body_length: fc.nat(9) });
const goalFields = fc.record({
  workspace: anywhere,
  title: smallText,
  statement: smallText,
  success_criteria: fc.array(smallText, { maxLength: 2 }),
  tags: fc.array(smallText, { maxLength: 2 }),
  parent_goal_id: fc.constantFrom(null, 'g1'),
});
const phase = arbitraryOf(zPhase);
const reasoned = { reason: smallText };
/** Of what an engagement holds, by its place: see `fitted`. */
const named = { deliverable_id: fc.constantFrom('0', '1'), gate_id: fc.constantFrom('0', '1') };
const body = arbitraryOf(zMemoryBody).map((made) => ({ ...made, sealed: null, waypoints: [], from: [] }));
const factBody = fc.record({
  id: fresh,
  subject: only('sky'),
  predicate: only('is'),
  object: smallText,
  sealed: fc.constant(null),
  object_key: few('o'),
  line_key: few('l'),
  valid_from: fc.nat(5),
  confidence: fc.constantFrom(0, 0.5, 1),
});
const place = fc
  .tuple(data('DrawerStored') as fc.Arbitrary<object>, fresh, fc.constantFrom('new', 'blank'))
  .map(([made, id, kind]) => ({ ...made, id, kind, of: null, sealed: null }));
const template = fc.array(fresh, { minLength: 60, maxLength: 60 });

export const OTHERS: Readonly<Record<string, Row>> = {
  briefing: {
    decider: briefing,
    ids: few('b'),
    fitted: inBriefing,
    command: fc.oneof(
      data('BriefingRequested').map((request: object) => ({ type: 'RequestBriefing', ...request })),
      { weight: 2, arbitrary: command('StartBriefing') },
      { weight: 3, arbitrary: command('RecordFacts', { gathered: data('BriefingGathered') }) },
      {
        weight: 4,
        arbitrary: command('AskBriefingModel', {
          asked: fc.record({ provider: smallText, model: smallText, request_hash: smallText }),
        }),
      },
      command('RecordBriefingAnswer', { answered: data('BriefingModelAnswered') }),
      command('RecordBriefingModelFailure', { failed: data('BriefingModelFailed') }),
      command('WriteBriefing', { text: data('BriefingWritten') }),
      command('FailBriefing', { message: smallText }),
      command('RecoverBriefing', { reason: smallText }),
    ),
  },
  briefingSettings: {
    decider: briefingSettings,
    ids: only(BRIEFING_SETTINGS_ID),
    command: command('ChangeBriefingSettings', {
      changes: fc.record(
        {
          enabled: fc.boolean(),
          time: fc.constantFrom('07:00', '23:59', '24:00'),
          days: fc.subarray([...WEEKDAYS]),
          timezone: fc.constantFrom(null, 'Europe/Berlin', 'Nowhere'),
          length: fc.constantFrom(...BRIEFING_LENGTHS),
          keep: fc.integer({ min: 1, max: 3 }),
        },
        { requiredKeys: [], noNullPrototype: true } as never,
      ),
    }),
  },
  briefingTurn: {
    decider: briefingTurn,
    ids: only(BRIEFING_TURN_ID),
    command: command('TakeTurn', { briefing_id: few('b'), scheduled_for: fc.constantFrom(null, 1, 1_000_000) }),
  },
  connector: {
    decider: connector,
    ids: few('work-c'),
    command: fc.oneof(
      data('ConnectorAdded').map((facts: object) => ({ type: 'AddConnector', ...facts })),
      command('ToggleConnector', { workspace, id: few('c'), enabled: fc.boolean() }),
      command('RemoveConnector', { workspace, id: few('c') }),
    ),
  },
  delivery: {
    decider: delivery,
    ids: few('d'),
    command: fc.oneof(
      command('IgnoreDelivery', { received, event: smallText, action: smallText }),
      {
        weight: 3,
        arbitrary: command('RequestReview', {
          received,
          request: data('ReviewRequested').map(({ request }) => request),
        }),
      },
      { weight: 4, arbitrary: command('StartReview') },
      command('RecordReview', { review: data('ReviewCompleted') }),
      command('FailReview', { failure: data('ReviewFailed') }),
      { weight: 2, arbitrary: command('RecoverReview', { reason: smallText }) },
      command('TriggerSkill', { skill: data('SkillTriggered') }),
    ),
  },
  engagement: {
    decider: engagement,
    ids: few('e'),
    fitted: inEngagement,
    command: fc.oneof(
      {
        weight: 3,
        arbitrary: command('OpenEngagement', {
          name: smallText,
          client: smallText,
          summary: smallText,
          workspace_path: anywhere,
          ids: template,
          ...reasoned,
        }),
      },
      command('SeedEngagement', { ids: template, ...reasoned }),
      command('ChangeEngagement', { move_id: fresh, ...reasoned }, { status: arbitraryOf(zEngagementStatus), phase }),
      {
        weight: 3,
        arbitrary: command(
          'AddDeliverable',
          { deliverable_id: fresh, phase, key: smallText, title: smallText, ...reasoned },
          { description: smallText, tool_hint: anywhere },
        ),
      },
      {
        weight: 3,
        arbitrary: command(
          'ChangeDeliverable',
          { deliverable_id: named.deliverable_id, ...reasoned },
          { status: arbitraryOf(zDeliverableStatus), owner: anywhere, notes: smallText },
        ),
      },
      {
        weight: 3,
        arbitrary: command('AttachEvidence', {
          evidence_id: fresh,
          deliverable_id: named.deliverable_id,
          kind: arbitraryOf(zEvidenceKind),
          label: smallText,
          reference: smallText,
          file: fc.constant(null),
          ...reasoned,
        }),
      },
      command('AttachFound', {
        found: fc.array(
          fc.record({
            evidence_id: fresh,
            deliverable_key: smallText,
            label: smallText,
            reference: smallText,
            file: fc.constant(null),
          }),
          { maxLength: 2 },
        ),
        ...reasoned,
      }),
      command('RemoveEvidence', { evidence_id: only('0'), ...reasoned }),
      {
        weight: 2,
        arbitrary: command('AddGate', {
          gate_id: fresh,
          phase,
          title: smallText,
          criterion: smallText,
          measurement: smallText,
          ...reasoned,
        }),
      },
      {
        weight: 3,
        arbitrary: command('JudgeGate', {
          gate_id: named.gate_id,
          verdict: arbitraryOf(zVerdict),
          observed: anywhere,
          rationale: smallText,
          decided_by: anywhere,
          ...reasoned,
        }),
      },
      command('RemoveGate', { gate_id: named.gate_id, ...reasoned }),
      {
        weight: 2,
        arbitrary: command('AdvancePhase', { move_id: fresh, force: fc.boolean(), ...reasoned }),
      },
      command('RemoveEngagement', reasoned),
    ),
  },
  goal: {
    decider: goal,
    ids: few('g'),
    fitted: (command: Command, { statement, success_criteria }: GoalState) =>
      command.type === 'RecordPlan' ? ({ ...command, basis: { statement, success_criteria } } as Command) : command,
    command: fc.oneof(
      command('CreateGoal', { fields: goalFields }),
      command('ReviseGoal', {
        changes: fc.record(
          {
            title: smallText,
            statement: smallText,
            status: fc.constantFrom(...GOAL_STATUSES),
            parent_goal_id: fc.constantFrom(null, 'g1'),
          },
          { requiredKeys: [], noNullPrototype: true } as never,
        ),
      }),
      command('RecordPlan', {
        plan: arbitraryOf(zGoalPlan),
        provider: smallText,
        model: smallText,
      }),
      command('LinkGoal', {
        link_id: fresh,
        kind: fc.constantFrom(...GOAL_LINK_KINDS),
        target_id: smallText,
        note: anywhere,
      }),
      command('LinkStartedRun', { link_id: fresh, session_id: smallText, note: smallText }),
      command('DeleteGoal'),
    ),
  },
  goalPins: {
    decider: goalPins,
    ids: only(PINS_STREAM_ID),
    command: fc.oneof(
      command('PinGoal', { workspace: anywhere, goal_id: few('g') }),
      command('EmptySlot', { workspace: anywhere }),
      command('UnpinGoal', { goal_id: few('g') }),
    ),
  },
  goalTitle: {
    decider: goalTitle,
    ids: few('t'),
    command: fc.oneof(command('ClaimTitle', { goal_id: few('g') }), command('ReleaseTitle', { goal_id: few('g') })),
  },
  indexBuild: {
    decider: indexBuild,
    ids: few('i'),
    command: fc.oneof(
      command('RequestIndexBuild', { build: few('build'), target: arbitraryOf(zIndexTarget) }),
      command('CompleteIndexBuild', { build: few('build'), outcome: arbitraryOf(zIndexOutcome) }),
      command('FailIndexBuild', {
        build: few('build'),
        reason: fc.constantFrom('refused', 'failed'),
        message: smallText,
      }),
      command('AbandonIndexBuild', { reason: only('interrupted'), message: smallText }),
    ),
  },
  drawer: {
    decider: drawer,
    ids: few('source'),
    command: fc.oneof(
      fc
        .tuple(fresh, fc.array(place, { minLength: 1, maxLength: 3 }), fc.boolean())
        // A text of its own each time: whether it is there already is what the caller knows.
        .map(([text_id, places, repeated]) => ({
          type: 'ChunkText',
          text_id,
          text_key: repeated ? 'key1' : text_id,
          places: places.map((each, index) => ({ ...each, text_id, index })),
          repeated,
        })),
      command('DeleteDrawer', { id: few('drawer'), text_ids: fc.constant([]), positions }),
    ),
  },
  fact: {
    decider: fact,
    ids: few('key'),
    fitted: (command: Command, state: FactState) =>
      command.type === 'DeleteFact' ? ({ ...command, id: state[0]?.id ?? 'none' } as Command) : command,
    command: fc.oneof(
      { weight: 5, arbitrary: command('AssertFact', { fact: factBody, dated: fc.boolean() }) },
      command('DeleteFact', { positions }),
      command('SealFact', { fact: factBody, valid_to: fc.constantFrom(null, 9), recorded_at: fc.nat(9), positions }),
    ),
  },
  memory: {
    decider: memory,
    ids: few('m'),
    command: fc.oneof(
      { weight: 4, arbitrary: command('KeepMemory', { how: arbitraryOf(zKeeping), body }) },
      command('PinMemory'),
      command('UnpinMemory'),
      command('LayWaypoints', {
        links: fc.array(fc.record({ dst_id: few('m'), weight: fc.constantFrom(0.1, 1) }), { maxLength: 2 }),
      }),
      command('DigTunnels', {
        tunnels: fc.array(fc.record({ dst_id: few('m'), weight: fc.constant(1), standing: fc.constantFrom(null, 1) }), {
          maxLength: 2,
        }),
        automatic: fc.boolean(),
      }),
      command('SealMemory', { body, made_by: arbitraryOf(zKeeping), positions }),
      command('DecayMemory', { effective_salience: fc.constant(0.01), positions }),
      command('AbsorbMemory', { into: few('m'), positions }),
      command('DeleteMemory', { positions }),
    ),
  },
  memorySettings: {
    decider: memorySettings,
    ids: only(MEMORY_SETTINGS_ID),
    command: fc.oneof(
      command('EnableMemoryEncryption', { encryption: data('MemoryEncryptionEnabled') }),
      command('MoveMemoryKey', { encryption: data('MemoryEncryptionEnabled'), positions }),
      command('SettleMemoryEncryption'),
    ),
  },
  office: {
    decider: officeSettings,
    ids: only(OFFICE_STREAM_ID),
    command: fc.oneof(command('SetOfficePath', { path: smallText }), command('ClearOfficePath')),
  },
  plugin: {
    decider: plugin,
    ids: few('work-p'),
    command: fc.oneof(
      fc
        .tuple(data('PluginInstalled') as fc.Arbitrary<object>, workspace, few('p'))
        .map(([made, workspace, name]) => ({ type: 'InstallPlugin', ...made, workspace, name })),
      command('SetPluginPolicy', {
        workspace,
        name: few('p'),
        policy: fc.constantFrom('on', 'off', 'required'),
        pinned: fc.boolean(),
      }),
      command('UninstallPlugin', { workspace, name: few('p'), pinned: fc.boolean() }),
    ),
  },
  recalled: {
    decider: recalled,
    ids: only(RECALL_STREAM_ID),
    command: fc.oneof(
      command('RecordRecall', { recalled: data('MemoriesRecalled') }),
      command('RecogniseLoops', { loops: fc.array(data('RecallLoopRecognised'), { maxLength: 2 }) }),
    ),
  },
  request: {
    decider: request,
    ids: few('r'),
    command: command('RecordAnswer', { data: data('RequestAnswered') }),
  },
  room: {
    decider: room,
    ids: few('r'),
    command: fc.oneof(command('OpenRoom', { peers: fc.nat(1) }), command('EnterRoom'), command('WriteRoomText')),
  },
  roomText: {
    decider: roomText,
    ids: few('r'),
    command: fc.oneof(
      command('RecordRoomText', { text: fc.constant({ type: 'RoomTextChanged', data: { update: 'AA==' } }) }),
      command('RecordRoomText', { text: fc.constant({ type: 'RoomTextCompacted', data: { state: 'AA==' } }) }),
    ),
  },
  voice: {
    decider: voiceSettings,
    ids: only(VOICE_STREAM_ID),
    command: command(
      'ChangeVoice',
      {},
      {
        engine: fc.constantFrom(
          { id: 'system', sidecar: null },
          { id: 'neural', sidecar: { command: 'piper', args: [] } },
          { id: 'neural', sidecar: { command: 'piper', args: ['-q'] } },
        ),
        voice: smallText,
        language: smallText,
        provider: smallText,
        model: smallText,
      },
    ),
  },
};

type Named = Command & {
  readonly deliverable_id?: string;
  readonly gate_id?: string;
  readonly found?: readonly object[];
};

/** Outcomes of the model are for the open call. */
function inBriefing(command: Command, state: BriefingState): Command {
  const call = state.status === 'running' ? state.calls : 0;
  const { answered, failed } = command as { answered?: object; failed?: object };
  return {
    ...command,
    ...(answered !== undefined && { answered: { ...answered, call } }),
    ...(failed !== undefined && { failed: { ...failed, call } }),
  };
}

/** Places in the lists of an engagement become the ids that stand there. */
function inEngagement(command: Named, { deliverables, gates }: EngagementState): Command {
  const { type, deliverable_id = '', gate_id = '' } = command;
  if (type === 'ChangeDeliverable' || type === 'AttachEvidence')
    return { ...command, deliverable_id: deliverables[Number(deliverable_id)]?.id ?? 'none' } as Command;
  if (type === 'JudgeGate' || type === 'RemoveGate')
    return { ...command, gate_id: gates[Number(gate_id)]?.id ?? 'none' } as Command;
  if (type === 'AttachFound') {
    const deliverable_key = deliverables[0]?.key ?? 'none';
    return { ...command, found: (command.found ?? []).map((each) => ({ ...each, deliverable_key })) } as Command;
  }
  if (type !== 'RemoveEvidence') return command;
  return { ...command, evidence_id: deliverables.flatMap(({ evidence }) => evidence)[0]?.id ?? 'none' } as Command;
}

export function otherCommand({ of, command }: OtherMove, state: unknown): Command {
  return OTHERS[of]!.fitted?.(command as never, state as never) ?? command;
}

export interface OtherMove {
  readonly of: string;
  readonly id: string;
  readonly command: Command;
}

export function otherMoves(
  max: number,
  of: readonly string[] = Object.keys(OTHERS),
): fc.Arbitrary<readonly OtherMove[]> {
  const rows = of.map((name) => {
    const { ids, command } = OTHERS[name]!;
    return fc.record({ of: fc.constant(name), id: ids, command });
  });
  return fc.array(fc.oneof(...rows), { maxLength: max, size: 'max' });
}

/** Plays moves through a command handler; refused ones change nothing. */
export async function playOthers(commandHandler: CommandHandler, moves: readonly OtherMove[]): Promise<void> {
  for (const move of moves) {
    const { decider } = OTHERS[move.of]!;
    const command = otherCommand(move, commandHandler.load(decider, move.id));
    const origin = { actor: 'owner', correlation: null };
    await commandHandler.dispatch(decider, move.id, command, { origin }).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
    });
  }
}
