/** Every resource of the daemon: one entry each. See docs/adding-a-capability.md. */
import { approvalPolicy } from './commands/approval-policy.ts';
import { briefing } from './commands/briefing/decide.ts';
import { briefingSettings } from './commands/briefing/settings.ts';
import { briefingTurn } from './commands/briefing/turn.ts';
import { indexBuild } from './commands/code-index.ts';
import { connector } from './commands/connector/decide.ts';
import { engagement } from './commands/engagement/decide.ts';
import { goal } from './commands/goal/decide.ts';
import { goalPins } from './commands/goal/pins.ts';
import { goalTitle } from './commands/goal/title.ts';
import { harnessOverrides } from './commands/harness/decide.ts';
import { memory } from './commands/memory/decide.ts';
import { drawer } from './commands/memory/drawer.ts';
import { fact } from './commands/memory/fact.ts';
import { recalled } from './commands/memory/recalled.ts';
import { memorySettings } from './commands/memory/settings.ts';
import { officeSettings } from './commands/office.ts';
import { pairing } from './commands/pairing.ts';
import { plugin } from './commands/plugin/decide.ts';
import { request } from './commands/request.ts';
import { room, roomText } from './commands/room.ts';
import { run } from './commands/run/decide.ts';
import { task } from './commands/task.ts';
import { LOG_KEY_STREAM_ID, logKey } from './commands/tlog/log-key.ts';
import { checkpointTimestamp } from './commands/tlog/timestamp.ts';
import { TRUSTED_LOGS_STREAM_ID, trustedLogs } from './commands/tlog/trusted-logs.ts';
import { logWitnesses, WITNESSES_STREAM_ID } from './commands/tlog/witnesses.ts';
import { voiceSettings } from './commands/voice.ts';
import { delivery } from './commands/webhook/decide.ts';
import { aboutRoutes } from './http/about.ts';
import { clientToolsSocket } from './http/acp/client-tools-socket.ts';
import { acpRoutes } from './http/acp/routes.ts';
import { approvalPolicyRoutes } from './http/approval-policy.ts';
import { briefingRoutes } from './http/briefing/routes.ts';
import { indexRoutes } from './http/code-index/routes.ts';
import { connectorRoutes } from './http/connector/routes.ts';
import { devexRoutes } from './http/devex/routes.ts';
import { embeddingRoutes } from './http/embedding/routes.ts';
import { engagementRoutes } from './http/engagement/routes.ts';
import { evidenceRoutes } from './http/evidence/routes.ts';
import { goalRoutes } from './http/goal/routes.ts';
import { watchRoutes } from './http/goal/watch.ts';
import { harnessRoutes } from './http/harness.ts';
import { healthRoutes } from './http/health.ts';
import { logRoutes, logSocket } from './http/log.ts';
import { mcpRoutes } from './http/mcp/routes.ts';
import { memoryRoutes } from './http/memory/routes.ts';
import { metricsRoutes } from './http/metrics.ts';
import { nodeRoutes } from './http/nodes.ts';
import { officeRoutes } from './http/office.ts';
import { pairingRoutes } from './http/pairing.ts';
import { pdfRoutes } from './http/pdf.ts';
import { pluginRoutes } from './http/plugin/routes.ts';
import { roomRoutes } from './http/room/routes.ts';
import { roomSockets } from './http/room/socket.ts';
import { agentRoutes } from './http/run/agent.ts';
import { approvalRoutes } from './http/run/approvals.ts';
import { chatRoutes } from './http/run/chat.ts';
import { jobRoutes } from './http/run/jobs.ts';
import { runPdfRoutes } from './http/run/pdf.ts';
import { sessionRoutes } from './http/run/sessions.ts';
import { storageRoutes } from './http/storage.ts';
import { taskRoutes } from './http/task.ts';
import { proofRoutes } from './http/tlog/proofs.ts';
import { logKeyRoutes } from './http/tlog/settings.ts';
import { tileRoutes } from './http/tlog/tiles.ts';
import { witnessRoutes } from './http/tlog/witness.ts';
import { witnessSettingsRoutes } from './http/tlog/witnesses.ts';
import { duplexSocket } from './http/voice/duplex-socket.ts';
import { voiceSettingsRoutes } from './http/voice/settings.ts';
import { transcribeRoute } from './http/voice/transcribe.ts';
import { webRoutes } from './http/web.ts';
import { deliveryRoutes } from './http/webhook/deliveries.ts';
import { forgeRoute } from './http/webhook/forge.ts';
import { skillRoute } from './http/webhook/skill.ts';
import { approvalPolicies } from './projections/approval-policy.ts';
import { briefings } from './projections/briefing.ts';
import { indexBuilds } from './projections/code-index.ts';
import { connectors } from './projections/connector.ts';
import { engagements } from './projections/engagement/engagement.ts';
import { goals } from './projections/goal.ts';
import { harness } from './projections/harness.ts';
import { memory as memories } from './projections/memory/memory.ts';
import { office } from './projections/office.ts';
import { plugins } from './projections/plugin.ts';
import { rooms } from './projections/room.ts';
import { approvals } from './projections/run/approvals.ts';
import { jobs } from './projections/run/jobs.ts';
import { tasks } from './projections/task.ts';
import { voice } from './projections/voice.ts';
import { deliveries } from './projections/webhook.ts';
import { eventsOf, type Resource, resource } from './resource.ts';

export const resources = [
  resource({ key: 'health', routes: [healthRoutes] }),
  resource({
    key: 'run',
    deciders: [run],
    projections: [jobs, approvals],
    routes: [chatRoutes, agentRoutes, approvalRoutes, jobRoutes, sessionRoutes, runPdfRoutes],
  }),
  resource({
    key: 'approval-policy',
    deciders: [approvalPolicy],
    projections: [approvalPolicies],
    routes: [approvalPolicyRoutes],
  }),
  resource({ key: 'acp', routes: [acpRoutes], sockets: [clientToolsSocket] }),
  resource({
    key: 'webhook',
    deciders: [delivery],
    projections: [deliveries],
    routes: [forgeRoute, skillRoute, deliveryRoutes],
  }),
  resource({ key: 'task', deciders: [task], projections: [tasks], routes: [taskRoutes] }),
  resource({
    key: 'harness',
    deciders: [harnessOverrides],
    projections: [harness],
    routes: [harnessRoutes],
  }),
  resource({
    key: 'memory',
    deciders: [memory, drawer, fact, recalled, memorySettings],
    projections: [memories],
    routes: [memoryRoutes],
  }),
  resource({
    key: 'goal',
    deciders: [goal, goalTitle, goalPins],
    projections: [goals],
    routes: [...goalRoutes, ...watchRoutes],
  }),
  resource({
    key: 'engagement',
    deciders: [engagement],
    projections: [engagements],
    routes: engagementRoutes,
  }),
  resource({
    key: 'code-index',
    deciders: [indexBuild],
    projections: [indexBuilds],
    routes: [indexRoutes],
  }),
  resource({ key: 'embedding', routes: [embeddingRoutes] }),
  resource({
    key: 'office',
    deciders: [officeSettings],
    projections: [office],
    routes: [officeRoutes],
  }),
  resource({ key: 'pdf', routes: [pdfRoutes] }),
  resource({
    key: 'briefing',
    deciders: [briefing, briefingSettings, briefingTurn],
    projections: [briefings],
    routes: [briefingRoutes],
  }),
  resource({
    key: 'room',
    deciders: [room, roomText],
    projections: [rooms],
    routes: [roomRoutes],
    sockets: [roomSockets],
  }),
  resource({
    key: 'voice',
    deciders: [voiceSettings],
    projections: [voice],
    routes: [transcribeRoute, voiceSettingsRoutes],
    sockets: [duplexSocket],
  }),
  resource({
    key: 'plugin',
    deciders: [plugin],
    projections: [plugins],
    routes: [pluginRoutes],
  }),
  resource({
    key: 'connector',
    deciders: [connector],
    projections: [connectors],
    routes: [connectorRoutes],
  }),
  resource({ key: 'mcp', routes: [mcpRoutes] }),
  resource({ key: 'pairing', deciders: [pairing], routes: [pairingRoutes] }),
  resource({ key: 'request', deciders: [request] }),
  resource({ key: 'devex', routes: [devexRoutes] }),
  resource({ key: 'about', routes: [aboutRoutes] }),
  resource({ key: 'log', routes: [logRoutes], sockets: [logSocket] }),
  resource({
    key: 'tlog',
    deciders: [logKey, logWitnesses, trustedLogs, checkpointTimestamp],
    settings: [LOG_KEY_STREAM_ID, WITNESSES_STREAM_ID, TRUSTED_LOGS_STREAM_ID],
    routes: [tileRoutes, proofRoutes, logKeyRoutes, witnessRoutes, witnessSettingsRoutes],
  }),
  resource({ key: 'evidence', routes: [evidenceRoutes] }),
  resource({ key: 'storage', routes: [storageRoutes] }),
  resource({ key: 'nodes', routes: [nodeRoutes] }),
  resource({ key: 'metrics', routes: [metricsRoutes] }),
  resource({ key: 'web', routes: [webRoutes] }),
];

/** The definitions of every event type. */
export const eventTable = eventsOf(resources);

/** The dependencies of all routes together. The composition root creates them. */
export type DaemonParts = (typeof resources)[number] extends Resource<infer Needed> ? Needed : never;
