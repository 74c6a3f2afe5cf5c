/** Commands of the daemon's settings, and of requests, rooms, pairings and tasks. */
import fc from 'fast-check';
import { APPROVAL_POLICY_STREAM_ID, approvalPolicy } from '../../commands/approval-policy.ts';
import { HARNESS_STREAM_ID, harnessOverrides } from '../../commands/harness/decide.ts';
import { OFFICE_STREAM_ID, officeSettings } from '../../commands/office.ts';
import { pairing } from '../../commands/pairing.ts';
import { request } from '../../commands/request.ts';
import { room, roomText } from '../../commands/room.ts';
import { task } from '../../commands/task.ts';
import { VOICE_STREAM_ID, voiceSettings } from '../../commands/voice.ts';
import { requestEvents } from '../../events/request.ts';
import { APPROVALS } from '../../events/run/events.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { type CommandSource, command, few, only, optional, text } from './parts.ts';

export const daemonCommands = {
  approvalPolicy: {
    decider: approvalPolicy,
    ids: only(APPROVAL_POLICY_STREAM_ID),
    weight: 2,
    command: fc.oneof(
      command('SetApprovalPolicy', { policy: fc.constantFrom(...APPROVALS) }),
      command('ClearApprovalPolicy'),
    ),
  },
  office: {
    decider: officeSettings,
    ids: only(OFFICE_STREAM_ID),
    weight: 2,
    command: fc.oneof(command('SetOfficePath', { path: smallText }), command('ClearOfficePath')),
  },
  request: {
    decider: request,
    ids: few('r'),
    command: command('RecordAnswer', { data: arbitraryOf(requestEvents.RequestAnswered.data) }),
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
  harness: {
    decider: harnessOverrides,
    ids: only(HARNESS_STREAM_ID),
    weight: 2,
    command: fc.oneof(
      command('SetHarnessOverride', {
        key: few('openai/'),
        patch: optional({
          temperature: fc.constantFrom(0, 1),
          prompt_cache: fc.boolean(),
          tool_transport: fc.constant('prose'),
        }),
      }),
      command('RemoveHarnessOverride', { key: few('openai/') }),
    ),
  },
  pairing: {
    decider: pairing,
    ids: few('p'),
    command: fc.oneof(
      command('OfferPairing', { peer: text }),
      command('ExchangePairing', {
        peer: text,
        local: fc.boolean(),
        code: fc.constantFrom('right', 'wrong', null),
      }),
    ),
  },
  task: {
    decider: task,
    ids: few('t'),
    weight: 2,
    command: fc.oneof(
      command('CreateTask', { title: text, provider: text, model: text, project_path: only('/work') }),
      command(
        'ChangeTask',
        {},
        { title: text, status: fc.constantFrom('draft', 'queued', 'running', 'failed'), session_id: few('run-of-') },
      ),
    ),
  },
} satisfies Readonly<Record<string, CommandSource>>;
