/** Every event type in one table: what projections and whole-log readers decode with. */

import { briefingEvents, briefingSettingsEvents, briefingTurnEvents } from './briefing.ts';
import { connectorEvents } from './connector.ts';
import type { EventTable } from './define.ts';
import { deliveryEvents } from './delivery.ts';
import { engagementEvents } from './engagement.ts';
import { erasureEvents } from './erasure.ts';
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

export const registry: EventTable = {
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
  ...erasureEvents,
};
