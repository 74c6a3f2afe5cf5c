/** A method for every route. Generated from /openapi.json by `npm run client:generate`. */
import type { Calls } from '../calls.ts';
import type { Operations } from './types.ts';

export function operations(calls: Calls): Operations {
  return {
    health: health(calls),
    chat: chat(calls),
    runs: runs(calls),
    approvals: approvals(calls),
    sessions: sessions(calls),
    acp: acp(calls),
    webhooks: webhooks(calls),
    tasks: tasks(calls),
    harness: harness(calls),
    memory: memory(calls),
    goals: goals(calls),
    watch: watch(calls),
    engagements: engagements(calls),
    index: index(calls),
    embeddings: embeddings(calls),
    office: office(calls),
    files: files(calls),
    briefing: briefing(calls),
    rooms: rooms(calls),
    voice: voice(calls),
    plugins: plugins(calls),
    connectors: connectors(calls),
    mcp: mcp(calls),
    pairing: pairing(calls),
    devex: devex(calls),
    models: models(calls),
    about: about(calls),
    log: log(calls),
    tlog: tlog(calls),
    storage: storage(calls),
    nodes: nodes(calls),
    metrics: metrics(calls),
    web: web(calls),
  };
}

function health({ json }: Calls): Operations['health'] {
  return {
    get: (options) => json('GET /health', [], options),
  };
}

function chat({ json, stream }: Calls): Operations['chat'] {
  return {
    send: (body, options) => json('POST /chat', [], options, body),
    stream: (body, options) => stream('POST /chat/stream', [], options, body),
  };
}

function runs({ bytes, json, stream }: Calls): Operations['runs'] {
  return {
    start: (body, options) => json('POST /agent', [], options, body),
    stream: (sessionId, options) => stream('GET /stream/{}', [sessionId], options),
    list: (options) => json('GET /jobs', [], options),
    get: (id, options) => json('GET /jobs/{}', [id], options),
    cancel: (id, options) => json('POST /jobs/{}/cancel', [id], options),
    replay: (id, options) => json('GET /jobs/{}/replay', [id], options),
    fork: (id, body, options) => json('POST /jobs/{}/fork', [id], options, body),
    exportPdf: (id, options) => bytes('GET /jobs/{}/export.pdf', [id], options),
    evidenceBundle: (id, options) => bytes('GET /jobs/{}/evidence.zip', [id], options),
  };
}

function approvals({ json }: Calls): Operations['approvals'] {
  return {
    list: (options) => json('GET /approvals', [], options),
    get: (id, options) => json('GET /approvals/{}', [id], options),
    answer: (id, body, options) => json('POST /approvals/{}', [id], options, body),
    policy: (options) => json('GET /v1/approval-policy', [], options),
    setPolicy: (body, options) => json('PUT /v1/approval-policy', [], options, body),
  };
}

function sessions({ json, text }: Calls): Operations['sessions'] {
  return {
    listPage: (options) => text('GET /sessions', [], options),
    list: (options) => json('GET /sessions.json', [], options),
    view: (id, options) => text('GET /view/{}', [id], options),
    share: (id, options) => text('GET /share/{}', [id], options),
  };
}

function acp({ json }: Calls): Operations['acp'] {
  return {
    createTask: (body, options) => json('POST /acp/v1/tasks', [], options, body),
    getTask: (id, options) => json('GET /acp/v1/tasks/{}', [id], options),
    capabilities: (options) => json('GET /acp/v1/capabilities', [], options),
  };
}

function webhooks({ json }: Calls): Operations['webhooks'] {
  return {
    receiveForge: (body, options) => json('POST /webhook/forge', [], options, body),
    triggerSkill: (skillName, body, options) => json('POST /webhook/skill/{}', [skillName], options, body),
    listDeliveries: (options) => json('GET /webhook/deliveries', [], options),
    getDelivery: (id, options) => json('GET /webhook/deliveries/{}', [id], options),
  };
}

function tasks({ bytes, json }: Calls): Operations['tasks'] {
  return {
    create: (body, options) => json('POST /api/tasks', [], options, body),
    list: (options) => json('GET /api/tasks', [], options),
    get: (id, options) => json('GET /api/tasks/{}', [id], options),
    update: (id, body, options) => json('PATCH /api/tasks/{}', [id], options, body),
    history: (id, options) => json('GET /api/tasks/{}/history', [id], options),
    exportPdf: (id, options) => bytes('GET /api/tasks/{}/export.pdf', [id], options),
  };
}

function harness({ json }: Calls): Operations['harness'] {
  return {
    getProfile: (options) => json('GET /harness/profile', [], options),
    setProfile: (body, options) => json('PUT /harness/profile', [], options, body),
    resetProfile: (options) => json('DELETE /harness/profile', [], options),
    listProfiles: (options) => json('GET /harness/profiles', [], options),
  };
}

function memory({ json }: Calls): Operations['memory'] {
  return {
    encryption: (options) => json('GET /memory/encryption', [], options),
    encrypt: (body, options) => json('POST /memory/encryption', [], options, body),
    add: (body, options) => json('POST /memory/add', [], options, body),
    pin: (body, options) => json('POST /memory/pin', [], options, body),
    unpin: (body, options) => json('POST /memory/unpin', [], options, body),
    delete: (body, options) => json('POST /memory/delete', [], options, body),
    query: (body, options) => json('POST /memory/query', [], options, body),
    list: (options) => json('GET /memory/list', [], options),
    stats: (options) => json('GET /memory/stats', [], options),
    exportAll: (options) => json('GET /memory/export', [], options),
    addFact: (body, options) => json('POST /memory/fact', [], options, body),
    listFacts: (options) => json('GET /memory/facts', [], options),
    decay: (options) => json('POST /memory/decay', [], options),
    consolidate: (options) => json('POST /memory/consolidate', [], options),
    importAll: (body, options) => json('POST /memory/import', [], options, body),
    addDrawers: (body, options) => json('POST /memory/chunk', [], options, body),
    listDrawers: (options) => json('GET /memory/drawers', [], options),
    drawerStats: (options) => json('GET /memory/drawers/stats', [], options),
    addTunnel: (body, options) => json('POST /memory/tunnel', [], options, body),
    autoTunnel: (body, options) => json('POST /memory/auto-tunnel', [], options, body),
    benchmark: (options) => json('GET /memory/benchmark', [], options),
    context: (body, options) => json('POST /memory/context', [], options, body),
    audit: (options) => json('GET /memory/audit', [], options),
    get: (id, options) => json('GET /memory/{}', [id], options),
  };
}

function goals({ bytes, json }: Calls): Operations['goals'] {
  return {
    current: (options) => json('GET /v1/goals/current', [], options),
    pin: (body, options) => json('PUT /v1/goals/current', [], options, body),
    unpin: (options) => json('DELETE /v1/goals/current', [], options),
    create: (body, options) => json('POST /v1/goals', [], options, body),
    list: (options) => json('GET /v1/goals', [], options),
    get: (id, options) => json('GET /v1/goals/{}', [id], options),
    update: (id, body, options) => json('PATCH /v1/goals/{}', [id], options, body),
    delete: (id, options) => json('DELETE /v1/goals/{}', [id], options),
    link: (id, body, options) => json('POST /v1/goals/{}/link', [id], options, body),
    start: (id, body, options) => json('POST /v1/goals/{}/start', [id], options, body),
    children: (id, options) => json('GET /v1/goals/{}/children', [id], options),
    tree: (id, options) => json('GET /v1/goals/{}/tree', [id], options),
    plan: (id, body, options) => json('POST /v1/goals/{}/plan', [id], options, body),
    recap: (id, body, options) => json('POST /v1/goals/{}/recap', [id], options, body),
    evidenceBundle: (id, options) => bytes('GET /v1/goals/{}/evidence.zip', [id], options),
  };
}

function watch({ json }: Calls): Operations['watch'] {
  return {
    listGoals: (options) => json('GET /watch/goals', [], options),
    getGoal: (id, options) => json('GET /watch/goals/{}', [id], options),
    startGoal: (id, body, options) => json('POST /watch/goals/{}/start', [id], options, body),
  };
}

function engagements({ bytes, json, text }: Calls): Operations['engagements'] {
  return {
    template: (options) => json('GET /engagements/template', [], options),
    list: (options) => json('GET /engagements', [], options),
    create: (body, options) => json('POST /engagements', [], options, body),
    get: (id, options) => json('GET /engagements/{}', [id], options),
    update: (id, body, options) => json('PATCH /engagements/{}', [id], options, body),
    delete: (id, options) => json('DELETE /engagements/{}', [id], options),
    advance: (id, body, options) => json('POST /engagements/{}/advance', [id], options, body),
    workspaceFiles: (id, options) => json('GET /engagements/{}/workspace-files', [id], options),
    history: (id, options) => json('GET /engagements/{}/history', [id], options),
    seed: (id, body, options) => json('POST /engagements/{}/seed', [id], options, body),
    scan: (id, body, options) => json('POST /engagements/{}/scan', [id], options, body),
    listDeliverables: (id, options) => json('GET /engagements/{}/deliverables', [id], options),
    addDeliverable: (id, body, options) => json('POST /engagements/{}/deliverables', [id], options, body),
    updateDeliverable: (id, did, body, options) =>
      json('PATCH /engagements/{}/deliverables/{}', [id, did], options, body),
    listEvidence: (id, did, options) => json('GET /engagements/{}/deliverables/{}/evidence', [id, did], options),
    addEvidence: (id, did, body, options) =>
      json('POST /engagements/{}/deliverables/{}/evidence', [id, did], options, body),
    deleteEvidence: (id, eid, options) => json('DELETE /engagements/{}/evidence/{}', [id, eid], options),
    listGates: (id, options) => json('GET /engagements/{}/gates', [id], options),
    addGate: (id, body, options) => json('POST /engagements/{}/gates', [id], options, body),
    judgeGate: (id, gid, body, options) => json('POST /engagements/{}/gates/{}/judge', [id, gid], options, body),
    deleteGate: (id, gid, options) => json('DELETE /engagements/{}/gates/{}', [id, gid], options),
    report: (id, options) => text('GET /engagements/{}/report.md', [id], options),
    reportPdf: (id, options) => bytes('GET /engagements/{}/report.pdf', [id], options),
    handover: (id, options) => text('GET /engagements/{}/handover.md', [id], options),
    handoverPdf: (id, options) => bytes('GET /engagements/{}/handover.pdf', [id], options),
    evidenceBundle: (id, options) => bytes('GET /engagements/{}/evidence.zip', [id], options),
  };
}

function index({ json, stream }: Calls): Operations['index'] {
  return {
    status: (options) => json('GET /index/status', [], options),
    build: (body, options) => json('POST /index/build', [], options, body),
    search: (options) => json('GET /index/search', [], options),
    stream: (options) => stream('GET /index/stream', [], options),
  };
}

function embeddings({ json }: Calls): Operations['embeddings'] {
  return {
    models: (options) => json('GET /embeddings/models', [], options),
    embed: (body, options) => json('POST /embeddings/embed', [], options, body),
  };
}

function office({ json }: Calls): Operations['office'] {
  return {
    converter: (options) => json('GET /office/soffice', [], options),
    setConverterPath: (body, options) => json('PUT /office/soffice/path', [], options, body),
    convert: (body, options) => json('POST /office/convert', [], options, body),
  };
}

function files({ bytes }: Calls): Operations['files'] {
  return {
    exportPdf: (body, options) => bytes('POST /api/vibedesk/files/export.pdf', [], options, body),
  };
}

function briefing({ bytes, json }: Calls): Operations['briefing'] {
  return {
    list: (options) => json('GET /briefing', [], options),
    updateSettings: (body, options) => json('PUT /briefing/settings', [], options, body),
    generate: (body, options) => json('POST /briefing/generate', [], options, body),
    get: (id, options) => json('GET /briefing/{}', [id], options),
    speak: (body, options) => bytes('POST /briefing/speak', [], options, body),
  };
}

function rooms({ json }: Calls): Operations['rooms'] {
  return {
    open: (body, options) => json('POST /collab/rooms', [], options, body),
    list: (options) => json('GET /collab/rooms', [], options),
    peers: (roomId, options) => json('GET /collab/rooms/{}/peers', [roomId], options),
  };
}

function voice({ json }: Calls): Operations['voice'] {
  return {
    transcribe: (body, options) => json('POST /voice/transcribe', [], options, body),
    status: (options) => json('GET /voice/status', [], options),
    settings: (options) => json('GET /voice/settings', [], options),
    updateSettings: (body, options) => json('PUT /voice/settings', [], options, body),
  };
}

function plugins({ json }: Calls): Operations['plugins'] {
  return {
    list: (options) => json('GET /api/vibedesk/plugins', [], options),
    catalog: (options) => json('GET /api/vibedesk/plugins/catalog', [], options),
    install: (body, options) => json('POST /api/vibedesk/plugins/install', [], options, body),
    setPolicy: (body, options) => json('POST /api/vibedesk/plugins/policy', [], options, body),
    uninstall: (body, options) => json('POST /api/vibedesk/plugins/uninstall', [], options, body),
  };
}

function connectors({ json }: Calls): Operations['connectors'] {
  return {
    list: (options) => json('GET /api/vibedesk/connectors', [], options),
    add: (body, options) => json('POST /api/vibedesk/connectors', [], options, body),
    toggle: (body, options) => json('POST /api/vibedesk/connectors/toggle', [], options, body),
    remove: (body, options) => json('POST /api/vibedesk/connectors/remove', [], options, body),
    probe: (body, options) => json('POST /api/vibedesk/connectors/probe', [], options, body),
  };
}

function mcp({ json, stream }: Calls): Operations['mcp'] {
  return {
    send: (body, options) => stream('POST /mcp', [], options, body),
    listen: (options) => stream('GET /mcp', [], options),
    endSession: (options) => json('DELETE /mcp', [], options),
  };
}

function pairing({ json }: Calls): Operations['pairing'] {
  return {
    offer: (options) => json('GET /pair', [], options),
    exchange: (body, options) => json('POST /pair', [], options, body),
  };
}

function devex({ json, text }: Calls): Operations['devex'] {
  return {
    dora: (options) => json('GET /devex/dora', [], options),
    practices: (options) => json('GET /devex/practices', [], options),
    onboarding: (options) => json('GET /devex/onboarding', [], options),
    scorecard: (options) => json('GET /devex/scorecard', [], options),
    space: (options) => json('GET /devex/space', [], options),
    scorecardMarkdown: (options) => text('GET /devex/scorecard.md', [], options),
    scorecardPage: (options) => text('GET /devex/scorecard.html', [], options),
    survey: (options) => text('GET /devex/survey.md', [], options),
  };
}

function models({ json }: Calls): Operations['models'] {
  return {
    list: (options) => json('GET /models', [], options),
  };
}

function about({ json, text }: Calls): Operations['about'] {
  return {
    capabilities: (options) => json('GET /v1/capabilities', [], options),
    beacon: (options) => json('GET /mobile/beacon', [], options),
    mcpCard: (options) => json('GET /.well-known/mcp.json', [], options),
    favicon: (options) => text('GET /favicon.svg', [], options),
    docs: (options) => text('GET /docs', [], options),
    docsFile: (name, options) => text('GET /docs/{}', [name], options),
    openApi: (options) => json('GET /openapi.json', [], options),
    asyncApi: (options) => json('GET /asyncapi.json', [], options),
  };
}

function log({ bytes, json, stream }: Calls): Operations['log'] {
  return {
    list: (options) => json('GET /v1/events', [], options),
    events: (options) => stream('GET /v1/events/stream', [], options),
    head: (options) => json('GET /v1/log/head', [], options),
    rebuildViews: (options) => json('POST /v1/views/rebuild', [], options),
    proof: (options) => json('GET /v1/log/proof', [], options),
    consistency: (options) => json('GET /v1/log/consistency', [], options),
    checkpoints: (options) => json('GET /v1/log/checkpoints', [], options),
    evidenceBundle: (options) => bytes('GET /v1/evidence.zip', [], options),
  };
}

function tlog({ bytes, json, text }: Calls): Operations['tlog'] {
  return {
    checkpoint: (options) => text('GET /v1/tlog/checkpoint', [], options),
    tile1: (level, n1, options) => bytes('GET /v1/tlog/tile/{}/{}', [level, n1], options),
    tile2: (level, n1, n2, options) => bytes('GET /v1/tlog/tile/{}/{}/{}', [level, n1, n2], options),
    tile3: (level, n1, n2, n3, options) => bytes('GET /v1/tlog/tile/{}/{}/{}/{}', [level, n1, n2, n3], options),
    tile4: (level, n1, n2, n3, n4, options) =>
      bytes('GET /v1/tlog/tile/{}/{}/{}/{}/{}', [level, n1, n2, n3, n4], options),
    key: (options) => json('GET /v1/log/key', [], options),
    rotateKey: (options) => json('POST /v1/log/key/rotate', [], options),
    timestamp: (body, options) => json('POST /v1/log/timestamps', [], options, body),
    addCheckpoint: (body, options) => text('POST /v1/tlog/add-checkpoint', [], options, body),
    witnessed: (originHash, options) => text('GET /v1/tlog/witness/{}/checkpoint', [originHash], options),
    witnesses: (options) => json('GET /v1/log/witnesses', [], options),
    addWitness: (body, options) => json('POST /v1/log/witnesses', [], options, body),
    removeWitness: (options) => json('DELETE /v1/log/witnesses', [], options),
    trustLog: (body, options) => json('POST /v1/log/trusted', [], options, body),
    distrustLog: (options) => json('DELETE /v1/log/trusted', [], options),
  };
}

function storage({ json }: Calls): Operations['storage'] {
  return {
    startOperation: (body, options) => json('POST /v1/storage/operations', [], options, body),
    getOperation: (id, options) => json('GET /v1/storage/operations/{}', [id], options),
    cancelOperation: (id, options) => json('POST /v1/storage/operations/{}/cancel', [id], options),
    stats: (options) => json('GET /v1/storage/stats', [], options),
    resizeCache: (body, options) => json('POST /v1/storage/cache', [], options, body),
    erasures: (options) => json('GET /v1/log/erasures', [], options),
  };
}

function nodes({ json }: Calls): Operations['nodes'] {
  return {
    list: (options) => json('GET /v1/nodes', [], options),
  };
}

function metrics({ json }: Calls): Operations['metrics'] {
  return {
    history: (options) => json('GET /v1/metrics/history', [], options),
  };
}

function web({ text }: Calls): Operations['web'] {
  return {
    console: (options) => text('GET /web', [], options),
    script: (name, options) => text('GET /web/scripts/{}', [name], options),
    style: (name, options) => text('GET /web/styles/{}', [name], options),
  };
}
