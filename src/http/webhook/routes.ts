/** Inbound webhooks: the forge's signed deliveries, skills, and what came of them. */
import type { House } from '../house.ts';
import type { RouteSpec } from '../server/route.ts';
import { deliveryRoutes } from './deliveries.ts';
import { forgeRoute } from './forge.ts';
import { skillRoute } from './skill.ts';

export function webhookRoutes(house: House): readonly RouteSpec[] {
  return [forgeRoute(house), skillRoute(house), ...deliveryRoutes(house)];
}
