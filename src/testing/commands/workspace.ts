/** Commands of the parts of a workspace (connectors, plugins, code indexes), and of forge deliveries. */
import fc from 'fast-check';
import { type IndexBuildState, indexBuild } from '../../commands/code-index.ts';
import { connector } from '../../commands/connector/decide.ts';
import { plugin } from '../../commands/plugin/decide.ts';
import { delivery } from '../../commands/webhook/decide.ts';
import { zIndexOutcome, zIndexTarget } from '../../events/code-index.ts';
import { connectorEvents } from '../../events/connector.ts';
import { pluginEvents } from '../../events/plugin.ts';
import { deliveryEvents } from '../../events/webhook.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { type CommandSource, command, few, fresh, only, times, type Wish, workspace } from './parts.ts';

const received = fc.record({ delivery_id: few('d'), body_sha256: smallText, body_length: fc.nat(9) });

export const workspaceCommands = {
  connector: {
    decider: connector,
    ids: few('work-c'),
    command: fc.oneof(
      arbitraryOf(connectorEvents.ConnectorAdded.data).map((facts: object) => ({ type: 'AddConnector', ...facts })),
      command('ToggleConnector', { workspace, id: few('c'), enabled: fc.boolean() }),
      command('RemoveConnector', { workspace, id: few('c') }),
    ),
  },
  delivery: {
    decider: delivery,
    ids: few('d'),
    command: fc.oneof(
      command('IgnoreDelivery', { received, event: smallText, action: smallText }),
      times(3, 'RequestReview', {
        received,
        request: arbitraryOf(deliveryEvents.ReviewRequested.data).map(({ request }) => request),
      }),
      times(4, 'StartReview'),
      command('RecordReview', { review: arbitraryOf(deliveryEvents.ReviewCompleted.data) }),
      command('FailReview', { failure: arbitraryOf(deliveryEvents.ReviewFailed.data) }),
      times(2, 'RecoverReview', { reason: smallText }),
      command('TriggerSkill', { skill: arbitraryOf(deliveryEvents.SkillTriggered.data) }),
    ),
  },
  indexBuild: {
    decider: indexBuild,
    ids: few('i'),
    weight: 2,
    // A command that names no build is about the one under way.
    fitted: (command: Wish, { building }: IndexBuildState) => ({ build: building?.build ?? '', ...command }),
    command: fc.oneof(
      command('RequestIndexBuild', { build: fresh, target: arbitraryOf(zIndexTarget) }),
      command('CompleteIndexBuild', { outcome: arbitraryOf(zIndexOutcome) }, { build: fresh }),
      command('FailIndexBuild', { reason: fc.constantFrom('refused', 'failed'), message: smallText }, { build: fresh }),
      command('AbandonIndexBuild', { reason: only('interrupted'), message: smallText }),
    ),
  },
  plugin: {
    decider: plugin,
    ids: few('work-p'),
    command: fc.oneof(
      fc
        .tuple(arbitraryOf(pluginEvents.PluginInstalled.data), workspace, few('p'))
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
} satisfies Readonly<Record<string, CommandSource>>;
