/** The contract's route table (spec/routes.tsv), one route per line: method, path, credential. */
export type Credential = 'bearer' | 'public' | 'query-token' | 'signature';

export interface ContractRoute {
  readonly method: string;
  readonly path: string;
  readonly auth: Credential;
}

const TABLE = `
GET /health public
POST /chat bearer
POST /chat/stream bearer
POST /agent bearer
GET /stream/{session_id} bearer
GET /harness/profile bearer
PUT /harness/profile bearer
DELETE /harness/profile bearer
GET /harness/profiles bearer
GET /jobs bearer
GET /jobs/{id} bearer
POST /jobs/{id}/cancel bearer
POST /voice/transcribe bearer
GET /voice/status bearer
GET /voice/settings bearer
PUT /voice/settings bearer
GET /sessions bearer
GET /sessions.json bearer
GET /view/{id} bearer
GET /share/{id} bearer
WS /ws/collab/{room_id} query-token
POST /collab/rooms bearer
GET /collab/rooms bearer
GET /collab/rooms/{room_id}/peers bearer
POST /acp/v1/tasks bearer
GET /acp/v1/tasks/{id} bearer
GET /acp/v1/capabilities public
POST /webhook/forge signature
POST /webhook/skill/{skill_name} bearer
GET /engagements/template bearer
GET /engagements bearer
POST /engagements bearer
GET /engagements/{id} bearer
PATCH /engagements/{id} bearer
DELETE /engagements/{id} bearer
POST /engagements/{id}/seed bearer
GET /engagements/{id}/deliverables bearer
POST /engagements/{id}/deliverables bearer
PATCH /engagements/{id}/deliverables/{did} bearer
GET /engagements/{id}/deliverables/{did}/evidence bearer
POST /engagements/{id}/deliverables/{did}/evidence bearer
DELETE /engagements/{id}/evidence/{eid} bearer
GET /engagements/{id}/gates bearer
POST /engagements/{id}/gates bearer
POST /engagements/{id}/gates/{gid}/judge bearer
DELETE /engagements/{id}/gates/{gid} bearer
POST /engagements/{id}/scan bearer
POST /engagements/{id}/advance bearer
GET /engagements/{id}/report.md bearer
GET /engagements/{id}/handover.md bearer
POST /memory/add bearer
POST /memory/query bearer
GET /memory/list bearer
GET /memory/stats bearer
POST /memory/fact bearer
GET /memory/facts bearer
POST /memory/decay bearer
POST /memory/consolidate bearer
GET /memory/export bearer
POST /memory/import bearer
POST /memory/pin bearer
POST /memory/unpin bearer
POST /memory/delete bearer
POST /memory/chunk bearer
GET /memory/drawers/stats bearer
POST /memory/tunnel bearer
POST /memory/auto-tunnel bearer
GET /memory/benchmark bearer
POST /memory/context bearer
GET /office/soffice bearer
PUT /office/soffice/path bearer
POST /office/convert bearer
GET /embeddings/models bearer
POST /embeddings/embed bearer
GET /index/status bearer
POST /index/build bearer
POST /v1/goals bearer
GET /v1/goals bearer
GET /v1/goals/{id} bearer
PATCH /v1/goals/{id} bearer
DELETE /v1/goals/{id} bearer
POST /v1/goals/{id}/plan bearer
POST /v1/goals/{id}/link bearer
POST /v1/goals/{id}/start bearer
POST /v1/goals/{id}/recap bearer
GET /v1/goals/{id}/children bearer
GET /v1/goals/{id}/tree bearer
GET /v1/goals/current bearer
PUT /v1/goals/current bearer
DELETE /v1/goals/current bearer
GET /watch/goals bearer
GET /watch/goals/{id} bearer
POST /watch/goals/{id}/start bearer
GET /api/tasks/{id}/export.pdf bearer
POST /api/vibedesk/files/export.pdf bearer
GET /api/vibedesk/plugins bearer
GET /api/vibedesk/plugins/catalog bearer
POST /api/vibedesk/plugins/install bearer
POST /api/vibedesk/plugins/policy bearer
POST /api/vibedesk/plugins/uninstall bearer
GET /api/vibedesk/connectors bearer
POST /api/vibedesk/connectors bearer
POST /api/vibedesk/connectors/toggle bearer
POST /api/vibedesk/connectors/remove bearer
POST /api/vibedesk/connectors/probe bearer
GET /briefing bearer
PUT /briefing/settings bearer
POST /briefing/generate bearer
POST /briefing/speak bearer
GET /devex/dora bearer
GET /devex/practices bearer
GET /devex/onboarding bearer
GET /devex/scorecard bearer
GET /devex/scorecard.md bearer
GET /devex/space bearer
GET /devex/survey.md bearer
GET /models public
GET /web public
GET /favicon.svg public
GET /mobile/beacon public
GET /v1/capabilities public
GET /.well-known/mcp.json public
GET /api/tasks/{id}/history bearer
GET /pair public
WS /ws/voice/duplex query-token
`;

export const CONTRACT_ROUTES: readonly ContractRoute[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [method, path, auth] = line.split(' ') as [string, string, Credential];
    return { method, path, auth };
  });

/** The path with something in place of each parameter. */
export function concrete(path: string): string {
  return path.replace(/\{\w+\}/g, 'x1');
}
