/** Inbound webhooks: the forge's signed deliveries, skills, and their outcomes. */

import type { Config } from '../../config.ts';
import type { ToolDelegates } from '../../ports/delegates.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { SkillsPort } from '../../ports/skills.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import type { Views } from '../../projections/views.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import type { RouteSpec } from '../server/route.ts';
import { deliveryRoutes } from './deliveries.ts';
import { forgeRoute } from './forge.ts';
import { skillRoute } from './skill.ts';

export interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly commandHandler: CommandHandler;
  readonly committed: CommittedEvents;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly delegates: ToolDelegates;
  readonly skills: SkillsPort;
  readonly plugins: PluginFiles;
}

export function webhookRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [forgeRoute(deps), skillRoute(deps), ...deliveryRoutes(deps)];
}
