/** The static types of the daemon's events by name, which the registry of `resources.ts` does not keep. */
import { approvalPolicyEvents } from '../events/approval-policy.ts';
import { briefingEvents, briefingSettingsEvents, briefingTurnEvents } from '../events/briefing/events.ts';
import { indexBuildEvents } from '../events/code-index.ts';
import { connectorEvents } from '../events/connector.ts';
import { engagementEvents } from '../events/engagement/events.ts';
import { erasureEvents } from '../events/erasure.ts';
import { goalEvents, goalPinEvents, goalTitleEvents } from '../events/goal.ts';
import { harnessEvents } from '../events/harness.ts';
import { drawerEvents } from '../events/memory/drawers.ts';
import { memoryEvents, memorySettingsEvents, recallEvents } from '../events/memory/events.ts';
import { factEvents } from '../events/memory/facts.ts';
import { officeEvents } from '../events/office.ts';
import { pairingEvents } from '../events/pairing.ts';
import { pluginEvents } from '../events/plugin.ts';
import { requestEvents } from '../events/request.ts';
import { roomEvents, roomTextEvents } from '../events/room.ts';
import { runEvents } from '../events/run/events.ts';
import { taskEvents } from '../events/task.ts';
import { logKeyEvents, timestampEvents, trustedLogEvents, witnessEvents } from '../events/tlog.ts';
import { voiceEvents } from '../events/voice.ts';
import { deliveryEvents } from '../events/webhook.ts';

/** The definitions of all events of the daemon, one table for each part of it. */
export const daemonEvents = [
  approvalPolicyEvents,
  briefingEvents,
  briefingSettingsEvents,
  briefingTurnEvents,
  connectorEvents,
  deliveryEvents,
  drawerEvents,
  engagementEvents,
  erasureEvents,
  factEvents,
  goalEvents,
  goalPinEvents,
  goalTitleEvents,
  harnessEvents,
  indexBuildEvents,
  logKeyEvents,
  memoryEvents,
  memorySettingsEvents,
  officeEvents,
  pairingEvents,
  pluginEvents,
  recallEvents,
  requestEvents,
  roomEvents,
  roomTextEvents,
  runEvents,
  taskEvents,
  timestampEvents,
  trustedLogEvents,
  voiceEvents,
  witnessEvents,
] as const;

/** The definition of each event type. */
export type DaemonEvents = (
  (typeof daemonEvents)[number] extends infer Table
    ? Table extends unknown
      ? (table: Table) => void
      : never
    : never
) extends (all: infer All) => void
  ? All
  : never;
