/** Every route of the daemon, registered by hand: one line a resource. */

import type { Config } from '../config.ts';
import type { Rooms } from '../live/room/rooms.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodeIndexPort } from '../ports/code-index.ts';
import type { EmbeddersPort } from '../ports/embedder.ts';
import type { EvidenceFiles } from '../ports/evidence-files.ts';
import type { GitPort } from '../ports/git.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { McpPort } from '../ports/mcp.ts';
import type { ModelsPort } from '../ports/models.ts';
import type { OfficePort } from '../ports/office.ts';
import type { PdfPort } from '../ports/pdf.ts';
import type { PluginFiles } from '../ports/plugins.ts';
import type { SecretVault } from '../ports/secret-vault.ts';
import type { SkillsPort } from '../ports/skills.ts';
import type { SpeechPort } from '../ports/speech.ts';
import type { ToolsPort } from '../ports/tools.ts';
import type { Views } from '../projections/views.ts';
import type { IndexProgress } from '../reactors/code-index/progress.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { StorageControl } from '../storage/ops/control.ts';
import type { Dispatcher } from '../streams/dispatch.ts';
import type { Feed } from '../streams/feed.ts';
import type { Projector } from '../streams/project.ts';
import type { Tails } from '../streams/tails.ts';
import { aboutRoutes } from './about.ts';
import { acpRoutes } from './acp/routes.ts';
import { briefingRoutes } from './briefing/routes.ts';
import { indexRoutes } from './code-index/routes.ts';
import { connectorRoutes } from './connector/routes.ts';
import { devexRoutes } from './devex/routes.ts';
import { embeddingRoutes } from './embedding/routes.ts';
import { engagementRoutes } from './engagement/routes.ts';
import { goalRoutes } from './goal/routes.ts';
import { watchRoutes } from './goal/watch.ts';
import { harnessRoutes } from './harness.ts';
import { healthRoutes } from './health.ts';
import { logRoutes } from './log.ts';
import { type MemoryDependencies, memoryRoutes } from './memory/routes.ts';
import { officeRoutes } from './office.ts';
import { pairingRoutes } from './pairing.ts';
import { pdfRoutes } from './pdf.ts';
import { pluginRoutes } from './plugin/routes.ts';
import { roomRoutes } from './room/routes.ts';
import { agentRoutes } from './run/agent.ts';
import { approvalRoutes } from './run/approvals.ts';
import { chatRoutes } from './run/chat.ts';
import { jobRoutes } from './run/jobs.ts';
import { sessionRoutes } from './run/sessions.ts';
import { docsRoute } from './server/docs.ts';
import { openApiRoute } from './server/openapi.ts';
import type { RouteSpec } from './server/route.ts';
import { storageRoutes } from './storage.ts';
import { taskRoutes } from './task.ts';
import { voiceRoutes } from './voice/routes.ts';
import { webRoutes } from './web.ts';
import { webhookRoutes } from './webhook/routes.ts';

interface Dependencies extends MemoryDependencies {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  random(): number;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: Dispatcher;
  readonly feed: Feed;
  readonly tails: Tails;
  readonly models: ModelsPort;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
  readonly indexProgress: IndexProgress;
  readonly tools: ToolsPort;
  readonly skills: SkillsPort;
  readonly plugins: PluginFiles;
  readonly git: GitPort;
  readonly vault: SecretVault;
  readonly mcp: McpPort;
  readonly office: OfficePort;
  readonly pdf: PdfPort;
  readonly speech: SpeechPort;
  readonly evidenceFiles: EvidenceFiles;
  readonly rooms: Rooms;
  readonly token: string;
  readonly startedAt: number;
  port(): number;
  viewsUnavailable(): string | null;
  rebuildViews(): Promise<void>;
  storage(): { readonly backend: string; readonly failure: string | null };
  readonly storageControl: StorageControl;
  announce(line: string): void;
  readonly closing: AbortSignal;
}

export function allRoutes(deps: Dependencies): readonly RouteSpec[] {
  const routes: RouteSpec[] = [
    ...healthRoutes(deps),
    ...chatRoutes(deps),
    ...agentRoutes(deps),
    ...approvalRoutes(deps),
    ...acpRoutes(deps),
    ...webhookRoutes(deps),
    ...jobRoutes(deps),
    ...harnessRoutes(deps),
    ...engagementRoutes(deps),
    ...embeddingRoutes(deps),
    ...indexRoutes(deps),
    ...roomRoutes(deps),
    ...taskRoutes(deps),
    ...officeRoutes(deps),
    ...briefingRoutes(deps),
    ...voiceRoutes(deps),
    ...pdfRoutes(deps),
    ...pluginRoutes(deps),
    ...goalRoutes(deps),
    ...watchRoutes(deps),
    ...connectorRoutes(deps),
    ...aboutRoutes(deps),
    ...pairingRoutes(deps),
    ...logRoutes(deps),
    ...storageRoutes(deps),
    ...sessionRoutes(deps),
    ...memoryRoutes(deps),
    ...devexRoutes(deps),
    ...webRoutes(),
  ];
  routes.push(docsRoute(deps, () => routes));
  routes.push(openApiRoute(deps, () => routes));
  return routes;
}
