/** Speech over HTTP: audio written down, what of that works on this machine, and how Daybook speaks. */
import type { House } from '../house.ts';
import type { RouteSpec } from '../server/route.ts';
import { voiceSettingsRoutes } from './settings.ts';
import { transcribeRoute } from './transcribe.ts';

export function voiceRoutes(house: House): readonly RouteSpec[] {
  return [transcribeRoute(house), ...voiceSettingsRoutes(house)];
}
