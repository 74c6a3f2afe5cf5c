/** The routes of every resource, registered by hand: one line a resource. */
import { aboutRoutes } from './about.ts';
import { acpRoutes } from './acp/routes.ts';
import { briefingRoutes } from './briefing/routes.ts';
import { indexRoutes } from './code-index/routes.ts';
import { connectorRoutes } from './connector/routes.ts';
import { devexRoutes } from './devex/routes.ts';
import { docsRoute } from './docs.ts';
import { embeddingRoutes } from './embedding/routes.ts';
import { engagementRoutes } from './engagement/routes.ts';
import { goalRoutes } from './goal/routes.ts';
import { watchRoutes } from './goal/watch.ts';
import { harnessRoutes } from './harness.ts';
import { healthRoutes } from './health.ts';
import type { House } from './house.ts';
import { logRoutes } from './log.ts';
import { memoryRoutes } from './memory/routes.ts';
import { officeRoutes } from './office.ts';
import { openApiRoute } from './openapi.ts';
import { pairingRoutes } from './pairing.ts';
import { pdfRoutes } from './pdf.ts';
import { pluginRoutes } from './plugin/routes.ts';
import { roomRoutes } from './room/routes.ts';
import { agentRoutes } from './run/agent.ts';
import { approvalRoutes } from './run/approvals.ts';
import { chatRoutes } from './run/chat.ts';
import { jobRoutes } from './run/jobs.ts';
import { sessionRoutes } from './run/sessions.ts';
import type { RouteSpec } from './server/route.ts';
import { storageRoutes } from './storage.ts';
import { taskRoutes } from './task.ts';
import { voiceRoutes } from './voice/routes.ts';
import { webRoutes } from './web.ts';
import { webhookRoutes } from './webhook/routes.ts';

export function resources(house: House): readonly (readonly RouteSpec[])[] {
  const all: (readonly RouteSpec[])[] = [
    healthRoutes(house),
    chatRoutes(house),
    agentRoutes(house),
    approvalRoutes(house),
    acpRoutes(house),
    webhookRoutes(house),
    jobRoutes(house),
    harnessRoutes(house),
    engagementRoutes(house),
    embeddingRoutes(house),
    indexRoutes(house),
    roomRoutes(house),
    taskRoutes(house),
    officeRoutes(house),
    briefingRoutes(house),
    voiceRoutes(house),
    pdfRoutes(house),
    pluginRoutes(house),
    goalRoutes(house),
    watchRoutes(house),
    connectorRoutes(house),
    aboutRoutes(house),
    pairingRoutes(house),
    logRoutes(house),
    storageRoutes(house),
    sessionRoutes(house),
    memoryRoutes(house),
    devexRoutes(house),
    webRoutes(),
    [docsRoute(house, () => all.flat()), openApiRoute(house, () => all.flat())],
  ];
  return all;
}
