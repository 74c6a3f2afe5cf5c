/**
 * Every event type in one table: the check before an append, and the list that OpenAPI and `doctor` show.
 */

import { briefingEvents, briefingSettingsEvents, briefingTurnEvents } from './briefing/events.ts';
import { indexBuildEvents } from './code-index.ts';
import { connectorEvents } from './connector.ts';
import type { EventDefinition } from './define.ts';
import { engagementEvents } from './engagement/events.ts';
import { goalEvents, goalPinEvents, goalTitleEvents } from './goal.ts';
import { harnessEvents } from './harness.ts';
import { drawerEvents } from './memory/drawers.ts';
import { memoryEvents, memorySettingsEvents, recallEvents } from './memory/events.ts';
import { factEvents } from './memory/facts.ts';
import { officeEvents } from './office.ts';
import { pairingEvents } from './pairing.ts';
import { pluginEvents } from './plugin.ts';
import { requestEvents } from './request.ts';
import { roomEvents, roomTextEvents } from './room.ts';
import { runEvents } from './run/events.ts';
import { taskEvents } from './task.ts';
import { voiceEvents } from './voice.ts';
import { deliveryEvents } from './webhook.ts';

export const registry: Readonly<Record<string, EventDefinition>> = {
  ...runEvents,
  ...harnessEvents,
  ...indexBuildEvents,
  ...officeEvents,
  ...briefingSettingsEvents,
  ...briefingTurnEvents,
  ...briefingEvents,
  ...voiceEvents,
  ...pluginEvents,
  ...connectorEvents,
  ...engagementEvents,
  ...taskEvents,
  ...roomEvents,
  ...roomTextEvents,
  ...pairingEvents,
  ...requestEvents,
  ...deliveryEvents,
  ...memoryEvents,
  ...recallEvents,
  ...memorySettingsEvents,
  ...factEvents,
  ...drawerEvents,
  ...goalEvents,
  ...goalTitleEvents,
  ...goalPinEvents,
};
