/**
 * Every event type of the house in one table: the check before an append, and the list that OpenAPI and `doctor` show.
 */

import { briefingEvents, briefingSettingsEvents, briefingTurnEvents } from './briefing.ts';
import { connectorEvents } from './connector.ts';
import type { EventDefinition } from './define.ts';
import { deliveryEvents } from './delivery.ts';
import { engagementEvents } from './engagement.ts';
import { goalEvents, goalPinEvents, goalTitleEvents } from './goal.ts';
import { harnessEvents } from './harness.ts';
import { indexBuildEvents } from './index-build.ts';
import { memoryEvents, memorySettingsEvents, recallEvents } from './memory.ts';
import { drawerEvents } from './memory-drawers.ts';
import { factEvents } from './memory-facts.ts';
import { officeEvents } from './office.ts';
import { pairingEvents } from './pairing.ts';
import { pluginEvents } from './plugin.ts';
import { requestEvents } from './request.ts';
import { roomEvents, roomTextEvents } from './room.ts';
import { runEvents } from './run.ts';
import { taskEvents } from './task.ts';
import { voiceEvents } from './voice.ts';

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
