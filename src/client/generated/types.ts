/** Bodies, queries and answers of every route, and its method. Generated from /openapi.json by `npm run client:generate`. */
import type { Bytes, CallOptions, EventStream, StreamOptions } from '../calls.ts';

export interface Operations {
  readonly health: HealthOperations;
  readonly chat: ChatOperations;
  readonly runs: RunsOperations;
  readonly approvals: ApprovalsOperations;
  readonly sessions: SessionsOperations;
  readonly acp: AcpOperations;
  readonly webhooks: WebhooksOperations;
  readonly tasks: TasksOperations;
  readonly harness: HarnessOperations;
  readonly memory: MemoryOperations;
  readonly goals: GoalsOperations;
  readonly watch: WatchOperations;
  readonly engagements: EngagementsOperations;
  readonly index: IndexOperations;
  readonly embeddings: EmbeddingsOperations;
  readonly office: OfficeOperations;
  readonly files: FilesOperations;
  readonly briefing: BriefingOperations;
  readonly rooms: RoomsOperations;
  readonly voice: VoiceOperations;
  readonly plugins: PluginsOperations;
  readonly connectors: ConnectorsOperations;
  readonly mcp: McpOperations;
  readonly pairing: PairingOperations;
  readonly devex: DevexOperations;
  readonly models: ModelsOperations;
  readonly about: AboutOperations;
  readonly log: LogOperations;
  readonly tlog: TlogOperations;
  readonly storage: StorageOperations;
  readonly nodes: NodesOperations;
  readonly metrics: MetricsOperations;
  readonly web: WebOperations;
}

export interface HealthOperations {
  /**
   * The daemon about itself: identity, version, blocks by capability, state of the log and the views.
   *
   * `GET /health`
   */
  get(options?: CallOptions): Promise<Health>;
}

export interface ChatOperations {
  /**
   * One chat turn, answered when the model has finished.
   *
   * `POST /chat`
   */
  send(body: ChatRequest, options?: CallOptions): Promise<ChatSendAnswer>;
  /**
   * One chat turn as SSE: tokens as plain messages, then `done`, or `error`.
   *
   * `POST /chat/stream`
   */
  stream(body: ChatRequest, options?: StreamOptions): EventStream<string>;
}

export interface RunsOperations {
  /**
   * Starts a background agent run, or resumes a finished one, and answers its session id at once.
   *
   * `POST /agent`
   */
  start(body: AgentRequest, options?: CallOptions): Promise<RunsStartAnswer>;
  /**
   * AgentEvents of a run as SSE, from the start or after `after` / `Last-Event-ID`, ending after the terminal one.
   *
   * `GET /stream/{session_id}`
   */
  stream(sessionId: string, options?: StreamOptions & RunsStreamQuery): EventStream<AgentEvent>;
  /**
   * Every job, most recent first; `limit` and `after` (a session id) page through them, the other parameters choose some. With `at` the list as it was then, and `as_of` in each record.
   *
   * `GET /jobs`
   */
  list(options?: CallOptions & { readonly query?: RunsListQuery }): Promise<readonly JobRecord[]>;
  /**
   * One job; `at` answers as it was then.
   *
   * `GET /jobs/{id}`
   */
  get(id: string, options?: CallOptions & { readonly query?: RunsGetQuery }): Promise<JobRecord>;
  /**
   * Cancels a job for good: the model call is aborted, the tool’s processes are killed. A finished job is unchanged.
   *
   * `POST /jobs/{id}/cancel`
   */
  cancel(id: string, options?: CallOptions): Promise<JobRecord>;
  /**
   * Folds the recorded run through today’s rules: the same effects in the same order, or where it diverges.
   *
   * `GET /jobs/{id}/replay`
   */
  replay(id: string, options?: CallOptions): Promise<Replay>;
  /**
   * Starts a new run from the conversation of another one as it was after one of its steps.
   *
   * `POST /jobs/{id}/fork`
   */
  fork(id: string, body?: RunsForkBody, options?: CallOptions): Promise<RunsForkAnswer>;
  /**
   * All events of the run with their proofs, as one file that anybody can check offline.
   *
   * `GET /jobs/{id}/evidence.zip`
   */
  evidenceBundle(id: string, options?: CallOptions & { readonly query?: RunsEvidenceBundleQuery }): Promise<Uint8Array>;
}

export interface ApprovalsOperations {
  /**
   * What waits for a person, oldest first, then what was decided, newest first.
   *
   * `GET /approvals`
   */
  list(options?: CallOptions & { readonly query?: ApprovalsListQuery }): Promise<ApprovalsListAnswer>;
  /**
   * One approval.
   *
   * `GET /approvals/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Approval>;
  /**
   * Answers an approval: once for this call, for this tool until the run ends, or no.
   *
   * `POST /approvals/{id}`
   */
  answer(id: string, body: ApprovalsAnswerBody, options?: CallOptions): Promise<Approval>;
}

export interface SessionsOperations {
  /**
   * The newest 200 sessions as a page.
   *
   * `GET /sessions`
   */
  listPage(options?: CallOptions): Promise<string>;
  /**
   * Every session, newest started first; `limit` and `after` (a session id) page through them. With `at` the list as it was then, and `as_of` in each item.
   *
   * `GET /sessions.json`
   */
  list(options?: CallOptions & { readonly query?: SessionsListQuery }): Promise<readonly Session[]>;
  /**
   * One session as a readable page: what was asked, done and said; `at` answers as it was then.
   *
   * `GET /view/{id}`
   */
  view(id: string, options?: CallOptions & { readonly query?: SessionsViewQuery }): Promise<string>;
  /**
   * The same page with a note that it is shared and read-only, kept out of search engines.
   *
   * `GET /share/{id}`
   */
  share(id: string, options?: CallOptions & { readonly query?: SessionsShareQuery }): Promise<string>;
}

export interface AcpOperations {
  /**
   * Starts a full-auto run in the given workspace root.
   *
   * `POST /acp/v1/tasks`
   */
  createTask(body: AcpCreateTaskBody, options?: CallOptions): Promise<AcpTask>;
  /**
   * One task as it is now.
   *
   * `GET /acp/v1/tasks/{id}`
   */
  getTask(id: string, options?: CallOptions): Promise<AcpTask>;
  /**
   * What this agent offers to other agents.
   *
   * `GET /acp/v1/capabilities`
   */
  capabilities(options?: CallOptions): Promise<AcpCapabilitiesAnswer>;
}

export interface WebhooksOperations {
  /**
   * A signed delivery of a forge; an opened, updated or reopened pull request is reviewed.
   *
   * `POST /webhook/forge`
   */
  receiveForge(body?: WebhooksReceiveForgeBody, options?: CallOptions): Promise<WebhooksReceiveForgeAnswer>;
  /**
   * Starts a run with the skill that has this webhook_trigger; the body of any content goes with it.
   *
   * `POST /webhook/skill/{skill_name}`
   */
  triggerSkill(skillName: string, body?: Json, options?: CallOptions): Promise<WebhooksTriggerSkillAnswer>;
  /**
   * The newest deliveries, newest first.
   *
   * `GET /webhook/deliveries`
   */
  listDeliveries(
    options?: CallOptions & { readonly query?: WebhooksListDeliveriesQuery },
  ): Promise<WebhooksListDeliveriesAnswer>;
  /**
   * One delivery, by its id here or at its sender, with every finding of its review.
   *
   * `GET /webhook/deliveries/{id}`
   */
  getDelivery(id: string, options?: CallOptions): Promise<ReviewedDelivery>;
}

export interface TasksOperations {
  /**
   * Creates a task.
   *
   * `POST /api/tasks`
   */
  create(body: TasksCreateBody, options?: CallOptions): Promise<Task>;
  /**
   * The newest tasks, newest first. None is ever archived or trashed here: those states are empty.
   *
   * `GET /api/tasks`
   */
  list(options?: CallOptions & { readonly query?: TasksListQuery }): Promise<readonly Task[]>;
  /**
   * One task.
   *
   * `GET /api/tasks/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Task>;
  /**
   * Changes title, status or linked session; what is left out stays.
   *
   * `PATCH /api/tasks/{id}`
   */
  update(id: string, body: TasksUpdateBody, options?: CallOptions): Promise<Task>;
  /**
   * The conversation of the task’s session, user turns included; empty without a session.
   *
   * `GET /api/tasks/{id}/history`
   */
  history(id: string, options?: CallOptions): Promise<TasksHistoryAnswer>;
  /**
   * The conversation of `/api/tasks/{id}/history` as PDF; empty without a session.
   *
   * `GET /api/tasks/{id}/export.pdf`
   */
  exportPdf(id: string, options?: CallOptions): Promise<Uint8Array>;
}

export interface HarnessOperations {
  /**
   * The resolved profile of a pair.
   *
   * `GET /harness/profile`
   */
  getProfile(options: CallOptions & { readonly query: HarnessGetProfileQuery }): Promise<HarnessProfile>;
  /**
   * Replaces the pair’s override by the body; an empty body removes it. In force with the next request.
   *
   * `PUT /harness/profile`
   */
  setProfile(
    body: HarnessPatch | undefined,
    options: CallOptions & { readonly query: HarnessSetProfileQuery },
  ): Promise<HarnessProfile>;
  /**
   * Removes the pair’s override.
   *
   * `DELETE /harness/profile`
   */
  resetProfile(options: CallOptions & { readonly query: HarnessResetProfileQuery }): Promise<HarnessProfile>;
  /**
   * Every stored override, and the profiles of all known providers and overridden pairs.
   *
   * `GET /harness/profiles`
   */
  listProfiles(options?: CallOptions): Promise<HarnessListProfilesAnswer>;
}

export interface MemoryOperations {
  /**
   * Whether memories are encrypted at rest, and where the key comes from.
   *
   * `GET /memory/encryption`
   */
  encryption(options?: CallOptions): Promise<MemoryEncryptionAnswer>;
  /**
   * Switches encryption at rest on, for good, unlocks what is encrypted, or moves its key. Done when it is.
   *
   * `POST /memory/encryption`
   */
  encrypt(body?: MemoryEncryptBody, options?: CallOptions): Promise<MemoryEncryptAnswer>;
  /**
   * Keeps a memory in the sector its words belong to. Text that came out of a context block is only counted.
   *
   * `POST /memory/add`
   */
  add(body: MemoryAddBody, options?: CallOptions): Promise<MemoryAddAnswer>;
  /**
   * Pins a memory: it neither fades nor is purged.
   *
   * `POST /memory/pin`
   */
  pin(body: MemoryPinBody, options?: CallOptions): Promise<MemoryPinAnswer>;
  /**
   * Removes the pin.
   *
   * `POST /memory/unpin`
   */
  unpin(body: MemoryUnpinBody, options?: CallOptions): Promise<MemoryUnpinAnswer>;
  /**
   * Deletes a memory (or a fact, or a drawer) for good: its text leaves views, index and log.
   *
   * `POST /memory/delete`
   */
  delete(body: MemoryDeleteBody, options?: CallOptions): Promise<MemoryDeleteAnswer>;
  /**
   * Memories that answer a question: words, vectors, strength, time, waypoints and sector in one score.
   *
   * `POST /memory/query`
   */
  query(body: MemoryQueryBody, options?: CallOptions): Promise<MemoryQueryAnswer>;
  /**
   * Memories, newest first.
   *
   * `GET /memory/list`
   */
  list(options?: CallOptions & { readonly query?: MemoryListQuery }): Promise<MemoryListAnswer>;
  /**
   * Counts, strength by sector, how vectors are kept, whether texts are encrypted.
   *
   * `GET /memory/stats`
   */
  stats(options?: CallOptions): Promise<MemoryStatsAnswer>;
  /**
   * Every memory as JSON, oldest first: what POST /memory/import takes back.
   *
   * `GET /memory/export`
   */
  exportAll(options?: CallOptions): Promise<readonly ExportedMemory[]>;
  /**
   * Tells a fact. It ends the one of the same subject and predicate that held until then.
   *
   * `POST /memory/fact`
   */
  addFact(body: MemoryAddFactBody, options?: CallOptions): Promise<Fact>;
  /**
   * Facts that hold and facts that held, newest told first; with `valid_at` (Unix seconds) only what held at that moment. `at` answers as the memory was then.
   *
   * `GET /memory/facts`
   */
  listFacts(options?: CallOptions & { readonly query?: MemoryListFactsQuery }): Promise<MemoryListFactsAnswer>;
  /**
   * Lets go of unpinned memories of which less than 0.05 is left.
   *
   * `POST /memory/decay`
   */
  decay(options?: CallOptions): Promise<MemoryDecayAnswer>;
  /**
   * Merges weak memories that say nearly the same, and forms a reflection on what is new.
   *
   * `POST /memory/consolidate`
   */
  consolidate(options?: CallOptions): Promise<MemoryConsolidateAnswer>;
  /**
   * Takes in mem0, zep, openmemory (our own export) or a list of facts; a bad entry is named, the rest kept.
   *
   * `POST /memory/import`
   */
  importAll(body: MemoryImportAllBody, options?: CallOptions): Promise<MemoryImportAllAnswer>;
  /**
   * Keeps a text word for word, in chunks of 800 characters of which 100 overlap.
   *
   * `POST /memory/chunk`
   */
  addDrawers(body: MemoryAddDrawersBody, options?: CallOptions): Promise<MemoryAddDrawersAnswer>;
  /**
   * Drawers in the order in which they were stored; of one source every piece, so that its texts come back.
   *
   * `GET /memory/drawers`
   */
  listDrawers(options?: CallOptions & { readonly query?: MemoryListDrawersQuery }): Promise<MemoryListDrawersAnswer>;
  /**
   * How many drawers there are, in which wings and rooms, and how often a chunk was there before.
   *
   * `GET /memory/drawers/stats`
   */
  drawerStats(options?: CallOptions): Promise<MemoryDrawerStatsAnswer>;
  /**
   * Digs a waypoint between two memories, across projects if need be.
   *
   * `POST /memory/tunnel`
   */
  addTunnel(body: MemoryAddTunnelBody, options?: CallOptions): Promise<MemoryAddTunnelAnswer>;
  /**
   * Digs tunnels between memories, and from memories to drawers, that are at least so near.
   *
   * `POST /memory/auto-tunnel`
   */
  autoTunnel(body?: MemoryAutoTunnelBody, options?: CallOptions): Promise<MemoryAutoTunnelAnswer>;
  /**
   * Recall at k over a sample of what the store holds, in the cognitive store and in the drawers.
   *
   * `GET /memory/benchmark`
   */
  benchmark(options?: CallOptions & { readonly query?: MemoryBenchmarkQuery }): Promise<MemoryBenchmarkAnswer>;
  /**
   * The context block for a question, within its budgets; what it hands out is remembered as handed out.
   *
   * `POST /memory/context`
   */
  context(body: MemoryContextBody, options?: CallOptions): Promise<MemoryContextAnswer>;
  /**
   * Counts and samples of duplicates, recall loops, stale and never recalled memories.
   *
   * `GET /memory/audit`
   */
  audit(options?: CallOptions & { readonly query?: MemoryAuditQuery }): Promise<MemoryAuditAnswer>;
  /**
   * One memory, and the events that made it what it is.
   *
   * `GET /memory/{id}`
   */
  get(id: string, options?: CallOptions): Promise<MemoryDetail>;
}

export interface GoalsOperations {
  /**
   * The pinned goal of a workspace; without `workspace` the one for everywhere. `at`: as it was then.
   *
   * `GET /v1/goals/current`
   */
  current(options?: CallOptions & { readonly query?: GoalsCurrentQuery }): Promise<GoalsCurrentAnswer>;
  /**
   * Pins a goal in a slot, in place of what was there. New runs of the workspace are linked to it.
   *
   * `PUT /v1/goals/current`
   */
  pin(body: GoalsPinBody, options?: CallOptions): Promise<GoalsPinAnswer>;
  /**
   * Empties a slot.
   *
   * `DELETE /v1/goals/current`
   */
  unpin(options?: CallOptions & { readonly query?: GoalsUnpinQuery }): Promise<GoalsUnpinAnswer>;
  /**
   * Creates a goal. A title is there once in a workspace, and once among the goals of no workspace.
   *
   * `POST /v1/goals`
   */
  create(body: GoalsCreateBody, options?: CallOptions): Promise<Goal>;
  /**
   * Goals, last changed first; `limit` counts after the filters, 0 is all. `at` answers as it was then.
   *
   * `GET /v1/goals`
   */
  list(options?: CallOptions & { readonly query?: GoalsListQuery }): Promise<GoalsListAnswer>;
  /**
   * One goal and its links, newest link first; `at` answers as it was then.
   *
   * `GET /v1/goals/{id}`
   */
  get(id: string, options?: CallOptions & { readonly query?: GoalsGetQuery }): Promise<GoalsGetAnswer>;
  /**
   * Changes what is named. The plan falls when the statement or the criteria really become different.
   *
   * `PATCH /v1/goals/{id}`
   */
  update(id: string, body: GoalsUpdateBody, options?: CallOptions): Promise<Goal>;
  /**
   * Deletes a goal for good, with its links and pins. Its children keep its id.
   *
   * `DELETE /v1/goals/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;
  /**
   * Links a session, a job, a recap or a note.
   *
   * `POST /v1/goals/{id}/link`
   */
  link(id: string, body: GoalsLinkBody, options?: CallOptions): Promise<GoalLink>;
  /**
   * Starts an agent run for the goal, in its workspace, and links it.
   *
   * `POST /v1/goals/{id}/start`
   */
  start(id: string, body?: GoalsStartBody, options?: CallOptions): Promise<GoalsStartAnswer>;
  /**
   * The goals right below one, last changed first; `at` answers as it was then.
   *
   * `GET /v1/goals/{id}/children`
   */
  children(id: string, options?: CallOptions & { readonly query?: GoalsChildrenQuery }): Promise<GoalsChildrenAnswer>;
  /**
   * The tree below a goal; `depth` counts levels from the goal itself, 1 to 10. `at` answers as it was then.
   *
   * `GET /v1/goals/{id}/tree`
   */
  tree(id: string, options?: CallOptions & { readonly query?: GoalsTreeQuery }): Promise<GoalsTreeAnswer>;
  /**
   * Has a model plan the goal, and keeps the plan; `provider` and `model` count when both are named and usable.
   *
   * `POST /v1/goals/{id}/plan`
   */
  plan(id: string, body?: GoalsPlanBody, options?: CallOptions): Promise<GoalsPlanAnswer>;
  /**
   * What has come of a goal, by a model when `provider` and `model` name a usable one, else heuristically.
   *
   * `POST /v1/goals/{id}/recap`
   */
  recap(id: string, body?: GoalsRecapBody, options?: CallOptions): Promise<GoalsRecapAnswer>;
  /**
   * All events of the goal with their proofs, as one file that anybody can check offline.
   *
   * `GET /v1/goals/{id}/evidence.zip`
   */
  evidenceBundle(
    id: string,
    options?: CallOptions & { readonly query?: GoalsEvidenceBundleQuery },
  ): Promise<Uint8Array>;
}

export interface WatchOperations {
  /**
   * The active goals, last changed first, at most 25.
   *
   * `GET /watch/goals`
   */
  listGoals(options?: CallOptions): Promise<WatchListGoalsAnswer>;
  /**
   * One goal, its links, and whether it is pinned.
   *
   * `GET /watch/goals/{id}`
   */
  getGoal(id: string, options?: CallOptions): Promise<WatchGetGoalAnswer>;
  /**
   * Starts an agent run for the goal, and links it.
   *
   * `POST /watch/goals/{id}/start`
   */
  startGoal(id: string, body?: WatchStartGoalBody, options?: CallOptions): Promise<WatchStartGoalAnswer>;
}

export interface EngagementsOperations {
  /**
   * Phases, deliverables and gates that every engagement is seeded with.
   *
   * `GET /engagements/template`
   */
  template(options?: CallOptions): Promise<EngagementsTemplateAnswer>;
  /**
   * Engagements, the last changed first; at most 10,000.
   *
   * `GET /engagements`
   */
  list(options?: CallOptions): Promise<EngagementsListAnswer>;
  /**
   * Opens an engagement, seeded with the whole template.
   *
   * `POST /engagements`
   */
  create(body: EngagementsCreateBody, options?: CallOptions): Promise<EngagementsCreateAnswer>;
  /**
   * An engagement and how ready each phase is to be left; `at` answers as it was then.
   *
   * `GET /engagements/{id}`
   */
  get(id: string, options?: CallOptions & { readonly query?: EngagementsGetQuery }): Promise<EngagementsGetAnswer>;
  /**
   * Sets status, phase or both; what is left out stays.
   *
   * `PATCH /engagements/{id}`
   */
  update(id: string, body: EngagementsUpdateBody, options?: CallOptions): Promise<EngagementsUpdateAnswer>;
  /**
   * Removes an engagement with its deliverables, evidence and gates; its history stays.
   *
   * `DELETE /engagements/{id}`
   */
  delete(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsDeleteQuery },
  ): Promise<EngagementsDeleteAnswer>;
  /**
   * Adds what the template has and the engagement lacks; nothing that is there changes.
   *
   * `POST /engagements/{id}/seed`
   */
  seed(id: string, body?: EngagementsSeedBody, options?: CallOptions): Promise<EngagementsSeedAnswer>;
  /**
   * Closes the current phase; with blockers only by `force`, which is recorded with them.
   *
   * `POST /engagements/{id}/advance`
   */
  advance(id: string, body: EngagementsAdvanceBody, options?: CallOptions): Promise<EngagementsAdvanceAnswer>;
  /**
   * Proposes files of a workspace as evidence; `attach` records them, or `only` some; statuses never change.
   *
   * `POST /engagements/{id}/scan`
   */
  scan(id: string, body?: EngagementsScanBody, options?: CallOptions): Promise<EngagementsScanAnswer>;
  /**
   * Every event of an engagement, newest last; `next` is where to go on, null at the end.
   *
   * `GET /engagements/{id}/history`
   */
  history(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsHistoryQuery },
  ): Promise<EngagementsHistoryAnswer>;
  /**
   * Deliverables in the order they were added; `phase` filters, `at` answers as it was then.
   *
   * `GET /engagements/{id}/deliverables`
   */
  listDeliverables(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsListDeliverablesQuery },
  ): Promise<EngagementsListDeliverablesAnswer>;
  /**
   * Adds a deliverable; one whose key exists is revised, its status, owner and evidence stay.
   *
   * `POST /engagements/{id}/deliverables`
   */
  addDeliverable(
    id: string,
    body: EngagementsAddDeliverableBody,
    options?: CallOptions,
  ): Promise<EngagementsAddDeliverableAnswer>;
  /**
   * Sets status, owner or notes; what is left out stays, an owner of null is nobody.
   *
   * `PATCH /engagements/{id}/deliverables/{did}`
   */
  updateDeliverable(
    id: string,
    did: string,
    body: EngagementsUpdateDeliverableBody,
    options?: CallOptions,
  ): Promise<EngagementsUpdateDeliverableAnswer>;
  /**
   * Evidence by time of capture, each file with its standing today; `at` answers as it was then.
   *
   * `GET /engagements/{id}/deliverables/{did}/evidence`
   */
  listEvidence(
    id: string,
    did: string,
    options?: CallOptions & { readonly query?: EngagementsListEvidenceQuery },
  ): Promise<EngagementsListEvidenceAnswer>;
  /**
   * Attaches evidence; a local file is recorded with its size and SHA-256.
   *
   * `POST /engagements/{id}/deliverables/{did}/evidence`
   */
  addEvidence(
    id: string,
    did: string,
    body: EngagementsAddEvidenceBody,
    options?: CallOptions,
  ): Promise<EngagementsAddEvidenceAnswer>;
  /**
   * Removes one evidence item.
   *
   * `DELETE /engagements/{id}/evidence/{eid}`
   */
  deleteEvidence(
    id: string,
    eid: string,
    options?: CallOptions & { readonly query?: EngagementsDeleteEvidenceQuery },
  ): Promise<EngagementsDeleteEvidenceAnswer>;
  /**
   * Gates in the order they were added, with every verdict so far; `at` answers as it was then.
   *
   * `GET /engagements/{id}/gates`
   */
  listGates(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsListGatesQuery },
  ): Promise<EngagementsListGatesAnswer>;
  /**
   * Adds a gate; without a measurement procedure there is none.
   *
   * `POST /engagements/{id}/gates`
   */
  addGate(id: string, body: EngagementsAddGateBody, options?: CallOptions): Promise<EngagementsAddGateAnswer>;
  /**
   * Records a verdict; earlier ones stay. A pass needs something observed.
   *
   * `POST /engagements/{id}/gates/{gid}/judge`
   */
  judgeGate(
    id: string,
    gid: string,
    body: EngagementsJudgeGateBody,
    options?: CallOptions,
  ): Promise<EngagementsJudgeGateAnswer>;
  /**
   * Removes a gate; its history stays.
   *
   * `DELETE /engagements/{id}/gates/{gid}`
   */
  deleteGate(
    id: string,
    gid: string,
    options?: CallOptions & { readonly query?: EngagementsDeleteGateQuery },
  ): Promise<EngagementsDeleteGateAnswer>;
  /**
   * The status report; `at` answers as it was then.
   *
   * `GET /engagements/{id}/report.md`
   */
  report(id: string, options?: CallOptions & { readonly query?: EngagementsReportQuery }): Promise<string>;
  /**
   * The handover pack; `at` answers as it was then.
   *
   * `GET /engagements/{id}/handover.md`
   */
  handover(id: string, options?: CallOptions & { readonly query?: EngagementsHandoverQuery }): Promise<string>;
  /**
   * All events of the engagement with their proofs, as one file that anybody can check offline.
   *
   * `GET /engagements/{id}/evidence.zip`
   */
  evidenceBundle(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsEvidenceBundleQuery },
  ): Promise<Uint8Array>;
}

export interface IndexOperations {
  /**
   * The chosen model, whether its index is built, every index on disk and those that cannot be used.
   *
   * `GET /index/status`
   */
  status(options?: CallOptions): Promise<IndexStatusAnswer>;
  /**
   * Builds the index of the workspace, embedding what changed; answers when it is written.
   *
   * `POST /index/build`
   */
  build(body: IndexBuildBody, options?: CallOptions): Promise<IndexBuildAnswer>;
  /**
   * The chunks that answer `q` best, at most `k`, with every part of their score.
   *
   * `GET /index/search`
   */
  search(options: CallOptions & { readonly query: IndexSearchQuery }): Promise<IndexSearchAnswer>;
  /**
   * A build as SSE: `idle` when there is none, else `building` with progress until `built` or `failed`.
   *
   * `GET /index/stream`
   */
  stream(options?: StreamOptions & IndexStreamQuery): EventStream<BuildMessage>;
}

export interface EmbeddingsOperations {
  /**
   * Embedding providers with their models and availability, the chosen model, and what Ollama has here.
   *
   * `GET /embeddings/models`
   */
  models(options?: CallOptions): Promise<EmbeddingsModelsAnswer>;
  /**
   * Vectors for texts, in their order, from the chosen model or the given one.
   *
   * `POST /embeddings/embed`
   */
  embed(body: EmbeddingsEmbedBody, options?: CallOptions): Promise<EmbeddingsEmbedAnswer>;
}

export interface OfficeOperations {
  /**
   * The converter as it is now, freshly asked, and what it reads.
   *
   * `GET /office/soffice`
   */
  converter(options?: CallOptions): Promise<OfficeConverterAnswer>;
  /**
   * Sets the program to use, after starting it once, or clears the setting with null.
   *
   * `PUT /office/soffice/path`
   */
  setConverterPath(body: OfficeSetConverterPathBody, options?: CallOptions): Promise<OfficeSetConverterPathAnswer>;
  /**
   * Converts a document. The result is a file; the same input, target and engine answer it again.
   *
   * `POST /office/convert`
   */
  convert(body: OfficeConvertBody, options?: CallOptions): Promise<OfficeConvertAnswer>;
}

export interface FilesOperations {
  /**
   * A text file of the workspace as PDF: markdown as it is meant, anything else with line numbers.
   *
   * `POST /api/vibedesk/files/export.pdf`
   */
  exportPdf(body: FilesExportPdfBody, options?: CallOptions): Promise<Uint8Array>;
}

export interface BriefingOperations {
  /**
   * Settings, the briefings so far, newest first, and how the routine does; `wait` answers when none runs.
   *
   * `GET /briefing`
   */
  list(options?: CallOptions & { readonly query?: BriefingListQuery }): Promise<BriefingListAnswer>;
  /**
   * Changes what is named, for every briefing from now on.
   *
   * `PUT /briefing/settings`
   */
  updateSettings(body?: BriefingUpdateSettingsBody, options?: CallOptions): Promise<BriefingSettings>;
  /**
   * Begins a briefing now; what the body names holds for this one only.
   *
   * `POST /briefing/generate`
   */
  generate(body?: BriefingGenerateBody, options?: CallOptions): Promise<BriefingGenerateAnswer>;
  /**
   * One briefing whole: its text, the facts behind it, and what the facts alone say.
   *
   * `GET /briefing/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Briefing>;
  /**
   * Reads markdown aloud, with the engine and the voice of the voice settings.
   *
   * `POST /briefing/speak`
   */
  speak(body: BriefingSpeakBody, options?: CallOptions): Promise<Uint8Array>;
}

export interface RoomsOperations {
  /**
   * Opens a room; one that is open already stays as it is. Its text is the one it had.
   *
   * `POST /collab/rooms`
   */
  open(body: RoomsOpenBody, options?: CallOptions): Promise<RoomsOpenAnswer>;
  /**
   * Ids of the open rooms: those somebody is in, and those that wait for the first to come.
   *
   * `GET /collab/rooms`
   */
  list(options?: CallOptions): Promise<readonly string[]>;
  /**
   * Who is in an open room.
   *
   * `GET /collab/rooms/{room_id}/peers`
   */
  peers(roomId: string, options?: CallOptions): Promise<RoomsPeersAnswer>;
}

export interface VoiceOperations {
  /**
   * Writes a recording down: JSON with base64, or the audio itself with X-Voice-Language, X-Voice-Prefer-Local.
   *
   * `POST /voice/transcribe`
   */
  transcribe(body?: VoiceTranscribeBody, options?: CallOptions): Promise<VoiceTranscribeAnswer>;
  /**
   * What can write audio down here. What is found out about the machine holds for a minute.
   *
   * `GET /voice/status`
   */
  status(options?: CallOptions): Promise<VoiceStatus>;
  /**
   * The engine, its voices and languages, and the models that can answer.
   *
   * `GET /voice/settings`
   */
  settings(options?: CallOptions): Promise<VoiceSettings>;
  /**
   * Changes what is named. provider and model go together; both empty clears them.
   *
   * `PUT /voice/settings`
   */
  updateSettings(body: VoiceUpdateSettingsBody, options?: CallOptions): Promise<VoiceUpdateSettingsAnswer>;
}

export interface PluginsOperations {
  /**
   * The components that are in force in a project, by kind, and the plugins that are not what was installed.
   *
   * `GET /api/vibedesk/plugins`
   */
  list(options?: CallOptions & { readonly query?: PluginsListQuery }): Promise<PluginsListAnswer>;
  /**
   * Every plugin that can be installed, and how it stands in a project.
   *
   * `GET /api/vibedesk/plugins/catalog`
   */
  catalog(options?: CallOptions & { readonly query?: PluginsCatalogQuery }): Promise<PluginsCatalogAnswer>;
  /**
   * Installs a plugin of the catalogue as a signed folder; a bundle with its members and connectors.
   *
   * `POST /api/vibedesk/plugins/install`
   */
  install(body: PluginsInstallBody, options?: CallOptions): Promise<PluginsInstallAnswer>;
  /**
   * Turns a plugin on or off, also one that is not installed.
   *
   * `POST /api/vibedesk/plugins/policy`
   */
  setPolicy(body: PluginsSetPolicyBody, options?: CallOptions): Promise<PluginsSetPolicyAnswer>;
  /**
   * Removes a plugin’s folder and its policy. The members of a bundle stay.
   *
   * `POST /api/vibedesk/plugins/uninstall`
   */
  uninstall(body: PluginsUninstallBody, options?: CallOptions): Promise<PluginsUninstallAnswer>;
}

export interface ConnectorsOperations {
  /**
   * The connectors of a workspace in the order they were added, and the catalogue. Credentials by name only. `at` answers as it was then.
   *
   * `GET /api/vibedesk/connectors`
   */
  list(options?: CallOptions & { readonly query?: ConnectorsListQuery }): Promise<ConnectorsListAnswer>;
  /**
   * Configures a connector: of the catalogue by catalog_id, or one of your own by id and command.
   *
   * `POST /api/vibedesk/connectors`
   */
  add(body: ConnectorsAddBody, options?: CallOptions): Promise<ConnectorsAddAnswer>;
  /**
   * Enables or disables a connector; a disabled one is not launched and keeps its credentials.
   *
   * `POST /api/vibedesk/connectors/toggle`
   */
  toggle(body: ConnectorsToggleBody, options?: CallOptions): Promise<ConnectorsToggleAnswer>;
  /**
   * Removes a connector and deletes its credentials.
   *
   * `POST /api/vibedesk/connectors/remove`
   */
  remove(body: ConnectorsRemoveBody, options?: CallOptions): Promise<ConnectorsRemoveAnswer>;
  /**
   * Launches the server, lists its tools and ends it, within 45 s, and when it is removed or disabled. Nothing is kept.
   *
   * `POST /api/vibedesk/connectors/probe`
   */
  probe(body: ConnectorsProbeBody, options?: CallOptions): Promise<ConnectorsProbeAnswer>;
}

export interface McpOperations {
  /**
   * MCP over Streamable HTTP: messages of a client, answered as JSON or as a stream.
   *
   * `POST /mcp`
   */
  send(body: McpSendBody, options?: StreamOptions): EventStream<McpSendEvent>;
  /**
   * The stream of messages that the server sends by itself; with `Last-Event-ID` one that was cut goes on.
   *
   * `GET /mcp`
   */
  listen(options?: StreamOptions): EventStream<McpListenEvent>;
  /**
   * Ends an MCP session.
   *
   * `DELETE /mcp`
   */
  endSession(options?: CallOptions): Promise<void>;
}

export interface PairingOperations {
  /**
   * Offers a pairing token: single use, five minutes, worth nothing until it is exchanged.
   *
   * `GET /pair`
   */
  offer(options?: CallOptions): Promise<PairingOfferAnswer>;
  /**
   * Exchanges a pairing token for the bearer token; from another machine with the code shown at the daemon.
   *
   * `POST /pair`
   */
  exchange(body: PairingExchangeBody, options?: CallOptions): Promise<PairingExchangeAnswer>;
}

export interface DevexOperations {
  /**
   * The four delivery keys with band, sample size and proxy, and why the others are unmeasured.
   *
   * `GET /devex/dora`
   */
  dora(options: CallOptions & { readonly query: DevexDoraQuery }): Promise<DevexDoraAnswer>;
  /**
   * Practice maturity as far as files show it: a level of 0 to 3 per practice, with its signals.
   *
   * `GET /devex/practices`
   */
  practices(options: CallOptions & { readonly query: DevexPracticesQuery }): Promise<DevexPracticesAnswer>;
  /**
   * Signs of a prepared start, and who committed for the first time in the window.
   *
   * `GET /devex/onboarding`
   */
  onboarding(options: CallOptions & { readonly query: DevexOnboardingQuery }): Promise<DevexOnboardingAnswer>;
  /**
   * Delivery and practices together, with a grade over the keys that could be measured.
   *
   * `GET /devex/scorecard`
   */
  scorecard(options: CallOptions & { readonly query: DevexScorecardQuery }): Promise<DevexScorecardAnswer>;
  /**
   * The five SPACE dimensions: what the history says about each, and which system knows the rest.
   *
   * `GET /devex/space`
   */
  space(options: CallOptions & { readonly query: DevexSpaceQuery }): Promise<DevexSpaceAnswer>;
  /**
   * The scorecard as markdown.
   *
   * `GET /devex/scorecard.md`
   */
  scorecardMarkdown(options: CallOptions & { readonly query: DevexScorecardMarkdownQuery }): Promise<string>;
  /**
   * The scorecard as a page with plots, to read and to print.
   *
   * `GET /devex/scorecard.html`
   */
  scorecardPage(options: CallOptions & { readonly query: DevexScorecardPageQuery }): Promise<string>;
  /**
   * The quarterly survey for what no repository knows, as markdown.
   *
   * `GET /devex/survey.md`
   */
  survey(options: CallOptions & { readonly query: DevexSurveyQuery }): Promise<string>;
}

export interface ModelsOperations {
  /**
   * The models that can be asked: the active one first, then local ones, then the catalogue.
   *
   * `GET /models`
   */
  list(options?: CallOptions): Promise<ModelsListAnswer>;
}

export interface AboutOperations {
  /**
   * What this daemon can do.
   *
   * `GET /v1/capabilities`
   */
  capabilities(options?: CallOptions): Promise<AboutCapabilitiesAnswer>;
  /**
   * Where this daemon can be reached. It names no work in progress: the route is public.
   *
   * `GET /mobile/beacon`
   */
  beacon(options?: CallOptions): Promise<AboutBeaconAnswer>;
  /**
   * The MCP card of this daemon.
   *
   * `GET /.well-known/mcp.json`
   */
  mcpCard(options?: CallOptions): Promise<AboutMcpCardAnswer>;
  /**
   * The icon.
   *
   * `GET /favicon.svg`
   */
  favicon(options?: CallOptions): Promise<string>;
  /**
   * This interface as a page.
   *
   * `GET /docs`
   */
  docs(options?: CallOptions): Promise<string>;
  /**
   * A file of the page of this interface: `style.css` or `script.js`.
   *
   * `GET /docs/{name}`
   */
  docsFile(name: string, options?: CallOptions): Promise<string>;
  /**
   * This interface as an OpenAPI 3.1 document.
   *
   * `GET /openapi.json`
   */
  openApi(options?: CallOptions): Promise<Json>;
  /**
   * The WebSocket channels and the event streams as an AsyncAPI 3 document.
   *
   * `GET /asyncapi.json`
   */
  asyncApi(options?: CallOptions): Promise<Json>;
}

export interface LogOperations {
  /**
   * Envelopes after a position, by stream, type, actor, correlation and time (Unix milliseconds) if asked; `next` is where to go on, null at the head. With `before` they are those before that position, the newest first.
   *
   * `GET /v1/events`
   */
  list(options?: CallOptions & { readonly query?: LogListQuery }): Promise<LogListAnswer>;
  /**
   * The same envelopes as SSE, `id:` = position: history, then live, for ever; of one stream or type if asked.
   *
   * `GET /v1/events/stream`
   */
  events(options?: StreamOptions & LogEventsQuery): EventStream<Envelope>;
  /**
   * Position, RFC 9162 tree hash and time of the newest event.
   *
   * `GET /v1/log/head`
   */
  head(options?: CallOptions): Promise<LogHeadAnswer>;
  /**
   * Forgets every view and folds the log again; other routes answer 503 until it is done.
   *
   * `POST /v1/views/rebuild`
   */
  rebuildViews(options?: CallOptions): Promise<LogRebuildViewsAnswer>;
  /**
   * Proof that the event at a position is in the tree of a size, also as `c2sp.org/tlog-proof@v1`.
   *
   * `GET /v1/log/proof`
   */
  proof(options: CallOptions & { readonly query: LogProofQuery }): Promise<InclusionProof>;
  /**
   * Proof that the tree of one size is a beginning of the tree of another.
   *
   * `GET /v1/log/consistency`
   */
  consistency(options: CallOptions & { readonly query: LogConsistencyQuery }): Promise<ConsistencyProof>;
  /**
   * Signed checkpoints larger than `after`, of the newest 100 000; `next` is where to go on, null at the end.
   *
   * `GET /v1/log/checkpoints`
   */
  checkpoints(options?: CallOptions & { readonly query?: LogCheckpointsQuery }): Promise<LogCheckpointsAnswer>;
  /**
   * The same of whatever has an id, of a stream, or of a range of positions.
   *
   * `GET /v1/evidence.zip`
   */
  evidenceBundle(options?: CallOptions & { readonly query?: LogEvidenceBundleQuery }): Promise<Uint8Array>;
}

export interface TlogOperations {
  /**
   * The newest checkpoint: a signed note of size and root hash (c2sp.org/tlog-checkpoint).
   *
   * `GET /v1/tlog/checkpoint`
   */
  checkpoint(options?: CallOptions): Promise<string>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}`
   */
  tile1(level: string, n1: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}/{n2}`
   */
  tile2(level: string, n1: string, n2: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}/{n2}/{n3}`
   */
  tile3(level: string, n1: string, n2: string, n3: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}/{n2}/{n3}/{n4}`
   */
  tile4(level: string, n1: string, n2: string, n3: string, n4: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * The verifier key of the log, that of this Daybook as a witness, and every change of the key.
   *
   * `GET /v1/log/key`
   */
  key(options?: CallOptions): Promise<TlogKeyAnswer>;
  /**
   * Replaces the key of the log; the change is recorded, signed by the old key and the new one.
   *
   * `POST /v1/log/key/rotate`
   */
  rotateKey(options?: CallOptions): Promise<TlogRotateKeyAnswer>;
  /**
   * Has the newest checkpoint stamped by an RFC 3161 authority and records the response.
   *
   * `POST /v1/log/timestamps`
   */
  timestamp(body?: TlogTimestampBody, options?: CallOptions): Promise<TlogTimestampAnswer>;
  /**
   * Cosigns a checkpoint of a trusted log that continues the one before it (c2sp.org/tlog-witness).
   *
   * `POST /v1/tlog/add-checkpoint`
   */
  addCheckpoint(body?: TlogAddCheckpointBody, options?: CallOptions): Promise<string>;
  /**
   * The newest checkpoint of a trusted log that this witness cosigned.
   *
   * `GET /v1/tlog/witness/{origin_hash}/checkpoint`
   */
  witnessed(originHash: string, options?: CallOptions): Promise<string>;
  /**
   * The witnesses that this log asks, the logs that it witnesses, and the forks that it saw.
   *
   * `GET /v1/log/witnesses`
   */
  witnesses(options?: CallOptions): Promise<TlogWitnessesAnswer>;
  /**
   * Adds a witness by its address and verifier key, and asks it.
   *
   * `POST /v1/log/witnesses`
   */
  addWitness(body: TlogAddWitnessBody, options?: CallOptions): Promise<TlogAddWitnessAnswer>;
  /**
   * Asks a witness no longer.
   *
   * `DELETE /v1/log/witnesses`
   */
  removeWitness(options: CallOptions & { readonly query: TlogRemoveWitnessQuery }): Promise<TlogRemoveWitnessAnswer>;
  /**
   * Trusts a log: its checkpoints are cosigned here.
   *
   * `POST /v1/log/trusted`
   */
  trustLog(body: TlogTrustLogBody, options?: CallOptions): Promise<TlogTrustLogAnswer>;
  /**
   * Trusts a log no longer. What was cosigned for it stays remembered.
   *
   * `DELETE /v1/log/trusted`
   */
  distrustLog(options: CallOptions & { readonly query: TlogDistrustLogQuery }): Promise<TlogDistrustLogAnswer>;
}

export interface StorageOperations {
  /**
   * Begins a backup, a verified backup, a compaction or a verification; one at a time.
   *
   * `POST /v1/storage/operations`
   */
  startOperation(body: StorageStartOperationBody, options?: CallOptions): Promise<StorageOperation>;
  /**
   * An operation, after `wait` milliseconds or once it has ended.
   *
   * `GET /v1/storage/operations/{id}`
   */
  getOperation(
    id: string,
    options?: CallOptions & { readonly query?: StorageGetOperationQuery },
  ): Promise<StorageOperation>;
  /**
   * Figures of the store: sizes, cache, write-ahead log, levels, head.
   *
   * `GET /v1/storage/stats`
   */
  stats(options?: CallOptions): Promise<StorageStats>;
  /**
   * Gives the block cache of the lsm engine another size, at once.
   *
   * `POST /v1/storage/cache`
   */
  resizeCache(body: StorageResizeCacheBody, options?: CallOptions): Promise<StorageResizeCacheAnswer>;
}

export interface NodesOperations {
  /**
   * The daemons of this log, the one that answers first: the folders whose runs each takes (none: all), the runs that it executes, and the position that its views have folded.
   *
   * `GET /v1/nodes`
   */
  list(options?: CallOptions): Promise<NodesListAnswer>;
}

export interface MetricsOperations {
  /**
   * What was measured since `from` (Unix milliseconds; an hour ago), in at most `points` points.
   *
   * `GET /v1/metrics/history`
   */
  history(options?: CallOptions & { readonly query?: MetricsHistoryQuery }): Promise<MetricsHistory>;
}

export interface WebOperations {
  /**
   * The console, in a browser.
   *
   * `GET /web`
   */
  console(options?: CallOptions): Promise<string>;
  /**
   * A script of the console.
   *
   * `GET /web/scripts/{name}`
   */
  script(name: string, options?: CallOptions): Promise<string>;
  /**
   * The style sheet of the console.
   *
   * `GET /web/styles/{name}`
   */
  style(name: string, options?: CallOptions): Promise<string>;
}

export type Error = {
  readonly error: string;
};

export type Health = {
  readonly status: string;
  readonly service: 'daybook';
  readonly version: string;
  readonly api_token: {
    readonly minted_at_unix: number;
    readonly age_seconds: number;
    readonly rotation_doc: string;
  };
  readonly kv_cache_codec_probe: null;
  readonly graph: {
    readonly status: 'indexing' | 'ready' | 'disabled';
  };
  readonly embedding:
    | {
        readonly status: 'indexed' | 'not_indexed';
        readonly provider: string;
        readonly model: string;
        readonly dimensions: number | null;
        readonly local: boolean;
        readonly description: string;
        readonly chunks: number | null;
        readonly files: number | null;
        readonly other_indexes: readonly string[];
      }
    | {
        readonly status: 'misconfigured';
        readonly error: string;
      };
  readonly skillforge: {
    readonly status: 'disabled' | 'loading' | 'ready';
    readonly skills: number;
    readonly cached_reports: number;
    readonly toolchain: string;
  };
  readonly features: {
    readonly [key: string]: {
      readonly available: boolean;
    } & { readonly [key: string]: Json };
  };
  readonly providers: {
    readonly configured_count: number;
    readonly names: readonly string[];
  };
  readonly memory: {
    readonly enabled: boolean;
    readonly store_path: string;
    readonly total_memories: number;
    readonly drawer_count: number;
    readonly encryption_enabled: boolean;
    readonly status?: 'warming' | 'locked';
    readonly embedding?: {
      readonly provider: string | null;
      readonly model: string | null;
      readonly dimension: number | null;
      readonly embedded: number;
      readonly total: number;
      readonly state: 'complete' | 'embedding' | 'waiting' | 'loading' | 'locked' | 'misconfigured';
      readonly skipped?: number;
    };
  };
  readonly checkpoints: {
    readonly size: number | null;
    readonly at: number | null;
    readonly witnesses: {
      readonly needed: number;
      readonly cosigned: number;
      readonly missing: boolean;
    };
    readonly warning: string | null;
  };
  readonly log: {
    readonly position: number;
    readonly backend: string;
    readonly failure: string | null;
  };
  readonly views: {
    readonly position: number;
    readonly unavailable: string | null;
  };
  readonly uptime_seconds: number;
};

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type ChatRequest = {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
  }[];
  readonly provider?: string | null;
  readonly model?: string | null;
};

export type AgentRequest = {
  readonly task: string;
  readonly approval?: string | null;
  readonly interactive?: boolean | null;
  readonly max_step_extensions?: number | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly mode?: string | null;
  readonly workspace_root?: string | null;
  readonly project_path?: string | null;
  readonly cwd?: string | null;
  readonly reasoning?: string | null;
  readonly resume_session_id?: string | null;
  readonly session_id?: string | null;
  readonly context_request?: {
    readonly kind?: 'Chat' | 'CodingAgent' | 'ResearchAgent' | 'BackgroundJob' | null;
    readonly openmemory_enabled?: boolean | null;
    readonly openmemory_auto_inject?: boolean | null;
  } | null;
};

export type AgentEvent = {
  readonly type: 'user' | 'chunk' | 'step' | 'system' | 'retry' | 'complete' | 'partial' | 'error';
  readonly content?: string;
  readonly step_num?: number;
  readonly tool_name?: string;
  readonly success?: boolean;
  readonly steps_completed?: number;
  readonly steps_planned?: number;
  readonly remaining_plan?: readonly string[];
  readonly attempt?: number;
  readonly max_attempts?: number;
  readonly backoff_ms?: number;
  readonly approval_id?: string;
};

export type Approval = {
  readonly id: string;
  readonly session_id: string;
  readonly tool_name: string;
  readonly input: Json;
  readonly requested_at: number;
  readonly expires_at: number;
  readonly status: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';
  readonly decision: 'allow_once' | 'allow_run' | 'deny' | null;
  readonly reason: string | null;
  readonly decided_at: number | null;
};

export type JobRecord = {
  readonly session_id: string;
  readonly task: string;
  readonly status: 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly provider: string;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly summary: string | null;
  readonly model: string;
  readonly approval: string;
  readonly workspace: string;
  readonly tags: readonly string[];
  readonly queued_at: number;
  readonly cancellation_reason: string | null;
  readonly steps_completed: number;
  readonly tokens_used: number;
  readonly files_modified: readonly string[];
  readonly parent_session_id: string | null;
  readonly node?: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly waiting?: string | null;
  readonly as_of?: AsOf;
};

export type AsOf = {
  readonly asked: string;
  readonly position: number;
  readonly at: number | null;
  readonly leaf_hash: string | null;
};

export type Replay = {
  readonly session_id: string;
  readonly identical: boolean;
  readonly events: number;
  readonly effects: number;
  readonly divergence: {
    readonly position: number;
    readonly version: number;
    readonly field: string;
    readonly recorded: Json;
    readonly replayed: Json;
  } | null;
};

export type Session = {
  readonly id: string;
  readonly task: string;
  readonly provider: string;
  readonly model: string;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly status: 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly summary: string | null;
  readonly step_count: number;
  readonly parent_session_id: string | null;
  readonly depth: number;
  readonly project_path: string | null;
  readonly as_of?: AsOf;
};

export type AcpTask = {
  readonly id: string;
  readonly status: 'pending' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly summary: string;
  readonly files_modified: readonly string[];
  readonly steps_completed: number;
};

export type Delivery = {
  readonly id: string;
  readonly delivery_id: string | null;
  readonly kind: 'forge' | 'skill';
  readonly event: string | null;
  readonly status: 'ignored' | 'pending' | 'reviewed' | 'failed' | 'triggered';
  readonly request:
    | ForgeRequest
    | {
        readonly action: string;
      }
    | null;
  readonly findings: number | null;
  readonly summary: string | null;
  readonly error: string | null;
  readonly skill: string | null;
  readonly session_id: string | null;
  readonly body_length: number;
  readonly body_sha256: string;
  readonly received_at: number;
  readonly finished_at: number | null;
};

export type ForgeRequest = {
  readonly action: string;
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly head: {
    readonly sha: string;
    readonly ref: string;
  };
  readonly base: {
    readonly sha: string;
    readonly ref: string;
  };
  readonly diff_url: string;
  readonly clone_url: string | null;
};

export type ReviewedDelivery = {
  readonly id: string;
  readonly delivery_id: string | null;
  readonly kind: 'forge' | 'skill';
  readonly event: string | null;
  readonly status: 'ignored' | 'pending' | 'reviewed' | 'failed' | 'triggered';
  readonly request:
    | ForgeRequest
    | {
        readonly action: string;
      }
    | null;
  readonly findings: number | null;
  readonly summary: string | null;
  readonly error: string | null;
  readonly skill: string | null;
  readonly session_id: string | null;
  readonly body_length: number;
  readonly body_sha256: string;
  readonly received_at: number;
  readonly finished_at: number | null;
  readonly review: {
    readonly findings: readonly Finding[];
    readonly coverage: {
      readonly files_total: number;
      readonly files_reviewed: number;
      readonly llm_calls: number;
      readonly llm_calls_failed: number;
      readonly files_truncated: readonly string[];
      readonly files_skipped: readonly string[];
      readonly files_provider_failed: readonly string[];
      readonly diff_cut: boolean;
    };
    readonly source: 'diff_url' | 'git';
    readonly diff_bytes: number;
    readonly diff_sha256: string;
    readonly provider: string;
    readonly model: string;
  } | null;
};

export type Finding = {
  readonly file: string | null;
  readonly line: number | null;
  readonly severity: string | null;
  readonly title: string;
  readonly detail: string;
};

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly status: 'draft' | 'queued' | 'running' | 'reviewing' | 'partial' | 'completed' | 'failed';
  readonly provider: string;
  readonly model: string;
  readonly branch: string;
  readonly worktree_path: string;
  readonly session_id: string;
  readonly project_path: string;
  readonly created_at: number;
  readonly updated_at: number;
};

export type HarnessProfile = {
  readonly provider: string;
  readonly model: string;
  readonly effective: HarnessSettings;
  readonly builtin: HarnessSettings;
  readonly provider_override?: HarnessPatch;
  readonly model_override?: HarnessPatch;
  readonly honored_fields: readonly string[];
};

export type HarnessSettings = {
  readonly tool_transport: 'native' | 'prose';
  readonly prompt_dialect: 'full' | 'compact';
  readonly prompt_cache: boolean;
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  readonly parallel_tool_calls?: boolean;
  readonly thinking_budgets?: {
    readonly low?: number;
    readonly medium?: number;
    readonly high?: number;
    readonly xhigh?: number;
  };
  readonly context_window_fallback?: number;
  readonly system_prompt_suffix?: string;
};

export type HarnessPatch = {
  readonly tool_transport?: 'native' | 'prose';
  readonly prompt_dialect?: 'full' | 'compact';
  readonly prompt_cache?: boolean;
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  readonly parallel_tool_calls?: boolean;
  readonly thinking_budgets?: {
    readonly low?: number;
    readonly medium?: number;
    readonly high?: number;
    readonly xhigh?: number;
  };
  readonly context_window_fallback?: number;
  readonly system_prompt_suffix?: string;
};

export type FoundMemory = {
  readonly id: string;
  readonly content: string;
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  readonly salience: number;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly created_at: number;
  readonly score: number;
  readonly similarity: number;
  readonly lexical: number;
  readonly vector: number;
  readonly recency: number;
  readonly waypoint: number;
  readonly sector_match: number;
};

export type FoundDrawer = {
  readonly id: string;
  readonly content: string;
  readonly wing: string;
  readonly room: string;
  readonly source: string;
  readonly content_hash: string;
  readonly created_at: number;
  readonly text_id: string;
  readonly index: number;
  readonly start: number;
  readonly duplicate_of: string | null;
  readonly similarity: number;
};

export type VectorsUsed = {
  readonly provider: string | null;
  readonly model: string | null;
  readonly used: boolean;
  readonly fallback_reason?: string;
};

export type Memory = {
  readonly id: string;
  readonly content: string;
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  readonly salience: number;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly created_at: number;
};

export type VectorStatus = {
  readonly provider: string | null;
  readonly model: string | null;
  readonly dimension: number | null;
  readonly embedded: number;
  readonly total: number;
  readonly state: 'complete' | 'embedding' | 'waiting' | 'loading' | 'locked' | 'misconfigured';
  readonly skipped?: number;
  readonly error?: string;
};

export type ExportedMemory = {
  readonly id: string;
  readonly content: string;
  readonly primary_sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  readonly secondary_sectors: readonly (readonly (
    | 'episodic'
    | 'semantic'
    | 'procedural'
    | 'emotional'
    | 'reflective'
    | number
  )[])[];
  readonly tags: readonly string[];
  readonly meta: { readonly [key: string]: string };
  readonly salience: number;
  readonly decay_lambda: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seen_at: number;
  readonly version: number;
  readonly user_id: string;
  readonly project_id: string | null;
  readonly session_id: string | null;
  readonly pinned: boolean;
};

export type Fact = {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly confidence: number;
  readonly recorded_at: number;
};

export type Drawer = {
  readonly id: string;
  readonly content: string;
  readonly wing: string;
  readonly room: string;
  readonly source: string;
  readonly content_hash: string;
  readonly created_at: number;
  readonly text_id: string;
  readonly index: number;
  readonly start: number;
  readonly duplicate_of: string | null;
};

export type MemoryDetail = {
  readonly id: string;
  readonly content: string;
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  readonly salience: number;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly created_at: number;
  readonly effective_salience: number;
  readonly stored_salience: number;
  readonly decay_lambda: number;
  readonly secondary_sectors: readonly (readonly (
    | 'episodic'
    | 'semantic'
    | 'procedural'
    | 'emotional'
    | 'reflective'
    | number
  )[])[];
  readonly metadata: { readonly [key: string]: string };
  readonly updated_at: number;
  readonly last_seen_at: number;
  readonly version: number;
  readonly user_id: string;
  readonly project_id: string | null;
  readonly session_id: string | null;
  readonly encrypted: boolean;
  readonly recalled_at: number | null;
  readonly recalls: number;
  readonly waypoint_count: number;
  readonly waypoints: readonly {
    readonly src_id: string;
    readonly dst_id: string;
    readonly kind: string;
    readonly weight: number;
    readonly created_at: number;
    readonly updated_at: number;
    readonly cross_sector: boolean;
    readonly cross_project: boolean;
  }[];
  readonly events: readonly {
    readonly position: number;
    readonly version: number;
    readonly id: string;
    readonly type: string;
    readonly at: number;
    readonly actor: string;
    readonly leaf_hash: string;
    readonly data: Json;
    readonly erased?: true;
  }[];
};

export type Goal = {
  readonly id: string;
  readonly workspace: string | null;
  readonly title: string;
  readonly statement: string;
  readonly status: 'active' | 'paused' | 'done' | 'abandoned';
  readonly success_criteria: readonly string[];
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly parent_goal_id: string | null;
  readonly current_plan: GoalPlan | null;
  readonly schema_version: number;
};

export type GoalPlan = {
  readonly goal: string;
  readonly steps: readonly {
    readonly id: number;
    readonly description: string;
    readonly tool: string;
    readonly estimated_path: string | null;
    readonly status: 'pending' | 'in_progress' | 'done' | 'failed' | 'skipped';
  }[];
  readonly estimated_files: readonly string[];
  readonly risks: readonly string[];
};

export type GoalLink = {
  readonly id: string;
  readonly goal_id: string;
  readonly kind: 'session' | 'job' | 'recap' | 'note';
  readonly target_id: string;
  readonly linked_at: string;
  readonly note: string | null;
};

export type GoalNode = {
  readonly goal: Goal;
  readonly children: readonly GoalNode[];
  readonly truncated?: true;
  readonly direct_child_count?: number;
  readonly cycle?: true;
};

export type Engagement = {
  readonly id: string;
  readonly name: string;
  readonly client: string;
  readonly summary: string;
  readonly workspace_path: string | null;
  readonly status: 'draft' | 'active' | 'paused' | 'closed';
  readonly current_phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly created_at: number;
  readonly updated_at: number;
};

export type Blocker = {
  readonly kind:
    | 'deliverable_without_evidence'
    | 'deliverable_outstanding'
    | 'gate_not_measured'
    | 'gate_pending'
    | 'gate_failed';
  readonly subject: string;
  readonly detail: string;
};

export type Deliverable = {
  readonly id: string;
  readonly engagement_id: string;
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly status: 'not_started' | 'in_progress' | 'ready' | 'accepted' | 'waived';
  readonly owner: string | null;
  readonly tool_hint: string | null;
  readonly notes: string;
  readonly evidence_count: number;
  readonly created_at: number;
  readonly updated_at: number;
};

export type Gate = {
  readonly id: string;
  readonly engagement_id: string;
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly title: string;
  readonly criterion: string;
  readonly measurement: string;
  readonly observed: string | null;
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  readonly rationale: string;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly judgements: readonly Judgement[];
  readonly created_at: number;
  readonly updated_at: number;
};

export type Judgement = {
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  readonly observed: string | null;
  readonly rationale: string;
  readonly decided_by: string | null;
  readonly recorded_by: string;
  readonly at: number;
};

export type IndexHeader = {
  readonly format_version: number;
  readonly model: EmbeddingChoice;
  readonly dimension: number | null;
  readonly chunk_count: number;
  readonly file_count: number;
  readonly built_at: number | null;
};

export type EmbeddingChoice = {
  readonly provider: string;
  readonly model: string;
  readonly dimensions?: number;
};

export type SearchHit = {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly language: string | null;
  readonly symbol: string | null;
  readonly text: string;
  readonly score: number;
  readonly vector_score: number;
  readonly lexical_score: number;
};

export type BuildMessage =
  | {
      readonly type: 'idle';
    }
  | {
      readonly type: 'building';
      readonly phase?: 'scanning' | 'embedding' | 'writing';
      readonly files_done?: number;
      readonly files_total?: number;
      readonly chunks_done?: number;
      readonly chunks_embedded?: number;
    }
  | {
      readonly type: 'built';
      readonly chunks: number;
      readonly files: number;
      readonly notes: readonly string[];
    }
  | {
      readonly type: 'failed';
      readonly message: string;
    };

export type EmbeddingModel = {
  readonly provider: 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini' | 'local';
  readonly id: string;
  readonly display_name: string;
  readonly dimension: number | null;
  readonly supported_dimensions: readonly number[];
  readonly max_input_tokens: number | null;
  readonly document_prefix: string;
  readonly query_prefix: string;
  readonly recommended_for_code: boolean;
  readonly notes: string;
};

export type BriefingSettings = {
  readonly enabled: boolean;
  readonly time: string;
  readonly days: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  readonly timezone: string | null;
  readonly sections: readonly (
    | 'runs'
    | 'approvals'
    | 'goals'
    | 'engagements'
    | 'reviews'
    | 'repositories'
    | 'memory'
    | 'index'
    | 'storage'
  )[];
  readonly writer: 'model' | 'computed';
  readonly provider: string | null;
  readonly model: string | null;
  readonly language: string;
  readonly length: 'short' | 'medium' | 'long';
  readonly workspace: string | null;
  readonly repositories: readonly string[];
  readonly hours: number | null;
  readonly keep: number;
};

export type BriefingEntry = {
  readonly id: string;
  readonly status: 'running' | 'written' | 'failed';
  readonly trigger: 'asked' | 'scheduled';
  readonly scheduled_for: number | null;
  readonly requested_at: number;
  readonly finished_at: number | null;
  readonly from_position: number | null;
  readonly to_position: number | null;
  readonly headline: string | null;
  readonly markdown: string | null;
  readonly writer: {
    readonly kind: 'model' | 'computed';
    readonly provider: string | null;
    readonly model: string | null;
  } | null;
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
  readonly error: string | null;
};

export type Briefing = {
  readonly id: string;
  readonly status: 'running' | 'written' | 'failed';
  readonly trigger: 'asked' | 'scheduled';
  readonly scheduled_for: number | null;
  readonly requested_at: number;
  readonly finished_at: number | null;
  readonly from_position: number | null;
  readonly to_position: number | null;
  readonly headline: string | null;
  readonly markdown: string | null;
  readonly writer: {
    readonly kind: 'model' | 'computed';
    readonly provider: string | null;
    readonly model: string | null;
  } | null;
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
  readonly error: string | null;
  readonly stage: 'waiting' | 'gathering' | 'writing' | null;
  readonly settings: BriefingSettings;
  readonly computed_markdown: string | null;
  readonly facts: BriefingFacts | null;
};

export type BriefingFacts = {
  readonly period: {
    readonly from_position: number;
    readonly to_position: number;
    readonly tree_hash: string;
    readonly from: number;
    readonly to: number;
    readonly previous: string | null;
    readonly is_cut: boolean;
  };
  readonly timezone: string;
  readonly scheduled_for: number | null;
  readonly late_minutes: number;
  readonly workspace: string | null;
  readonly attention: {
    readonly items: readonly {
      readonly kind:
        | 'approval_waiting'
        | 'approval_expired'
        | 'run_failed'
        | 'run_partial'
        | 'gate_failed'
        | 'review_failed'
        | 'storage'
        | 'backup'
        | 'index'
        | 'repository';
      readonly ref: string;
      readonly text: string;
      readonly position: number | null;
    }[];
    readonly more: number;
  };
  readonly runs?: {
    readonly items: readonly {
      readonly session_id: string;
      readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
      readonly task: string;
      readonly summary: string;
      readonly workspace: string;
      readonly steps: number;
      readonly files_modified: number;
      readonly remaining: number;
      readonly ended_at: number;
      readonly position: number;
    }[];
    readonly more: number;
    readonly requested: number;
    readonly complete: number;
    readonly partial: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly running: number;
    readonly queued: number;
  };
  readonly approvals?: {
    readonly items: readonly {
      readonly id: string;
      readonly session_id: string;
      readonly tool_name: string;
      readonly task: string;
      readonly requested_at: number;
      readonly expires_at: number;
      readonly position: number | null;
    }[];
    readonly more: number;
    readonly asked: number;
    readonly allowed: number;
    readonly denied: number;
    readonly expired: number;
  };
  readonly goals?: {
    readonly items: readonly {
      readonly id: string;
      readonly title: string | null;
      readonly status: string;
      readonly changes: readonly ('created' | 'revised' | 'planned' | 'linked' | 'deleted')[];
      readonly links: number;
      readonly position: number;
    }[];
    readonly more: number;
    readonly active: number;
  };
  readonly engagements?: {
    readonly items: readonly {
      readonly id: string;
      readonly name: string | null;
      readonly client: string;
      readonly status: string;
      readonly phase: 'discover' | 'prove' | 'build' | 'operate' | null;
      readonly moves: readonly {
        readonly kind: 'advanced' | 'forced' | 'set';
        readonly from: 'discover' | 'prove' | 'build' | 'operate';
        readonly to: 'discover' | 'prove' | 'build' | 'operate';
      }[];
      readonly gates: readonly {
        readonly title: string;
        readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
      }[];
      readonly evidence_added: number;
      readonly evidence_removed: number;
      readonly deliverables_changed: number;
      readonly deliverables_accepted: number;
      readonly deliverables_total: number;
      readonly blockers: number;
      readonly gates_failed: number;
      readonly position: number;
    }[];
    readonly more: number;
    readonly active: number;
  };
  readonly memory?: {
    readonly added: number;
    readonly merged: number;
    readonly reflections: number;
    readonly faded: number;
    readonly deleted: number;
    readonly drawers: number;
    readonly facts_added: number;
    readonly facts_closed: number;
    readonly closed: {
      readonly items: readonly {
        readonly id: string;
        readonly position: number;
      }[];
      readonly more: number;
    };
    readonly total_memories: number;
    readonly total_facts: number;
  };
  readonly reviews?: {
    readonly items: readonly {
      readonly id: string;
      readonly repository: string;
      readonly number: number;
      readonly title: string;
      readonly status: 'reviewed' | 'failed';
      readonly findings: number;
      readonly position: number;
    }[];
    readonly more: number;
    readonly reviewed: number;
    readonly failed: number;
    readonly findings: number;
  };
  readonly repositories?: readonly {
    readonly path: string;
    readonly commits: number;
    readonly merges: number;
    readonly authors: number;
    readonly remediations: number;
    readonly tags: readonly string[];
    readonly head: string | null;
    readonly error: string | null;
  }[];
  readonly index?: {
    readonly provider: string | null;
    readonly model: string | null;
    readonly chunks: number | null;
    readonly files: number | null;
    readonly built_at: number | null;
    readonly builds: number;
    readonly builds_failed: number;
    readonly failure: string | null;
    readonly error: string | null;
  };
  readonly storage?: {
    readonly backend: string;
    readonly events: number;
    readonly disk_bytes: number;
    readonly failure: string | null;
    readonly keeps_backups: boolean;
    readonly begun_at: number | null;
    readonly backup: {
      readonly made_at: number;
      readonly verified_at: number;
      readonly position: number;
    } | null;
    readonly backup_failure: string | null;
    readonly observed_at: number;
  };
};

export type VoiceStatus = {
  readonly cloud_stt_configured: boolean;
  readonly cloud_tts_configured: boolean;
  readonly local_model: string;
  readonly local_model_size_mb: number;
  readonly local_model_downloaded: boolean;
  readonly prefer_local: boolean;
  readonly language: string;
  readonly asr_cpp_installed: boolean;
  readonly asr_python_installed: boolean;
  readonly sox_installed: boolean;
  readonly ffmpeg_installed: boolean;
  readonly can_transcribe: boolean;
  readonly upload_limit_bytes: number;
};

export type VoiceSettings = {
  readonly engine: string;
  readonly voice: string;
  readonly language: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly engines: readonly {
    readonly id: string;
    readonly label: string;
    readonly available: boolean;
    readonly detail: string;
  }[];
  readonly voices: readonly {
    readonly id: string;
    readonly name: string;
    readonly lang: string;
    readonly quality: string;
  }[];
  readonly languages: readonly string[];
  readonly models: readonly {
    readonly id: string;
    readonly name?: string;
    readonly provider: string;
    readonly active?: true;
    readonly size_bytes?: number;
  }[];
};

export type CatalogConnector = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly runtime: 'builtin' | 'npx' | 'uvx';
  readonly runtime_program: string;
  readonly runtime_available: boolean;
  readonly credentials: readonly {
    readonly env: string;
    readonly label: string;
    readonly help: string;
  }[];
  readonly docs_url: string;
};

export type Dora = {
  readonly repo: string;
  readonly window_days: number;
  readonly since: number;
  readonly generated_at: number;
  readonly release_marker: 'version-tags' | 'release-branch-merges';
  readonly release_marker_description: string;
  readonly band_source: string;
  readonly deployment_frequency?: Measure;
  readonly lead_time_for_changes?: Measure;
  readonly change_failure_rate?: Measure;
  readonly time_to_restore?: Measure;
  readonly unmeasured: readonly {
    readonly metric: string;
    readonly reason: string;
    readonly to_measure_this: string;
  }[];
  readonly deployments: readonly {
    readonly name: string;
    readonly commit: string;
    readonly at: number;
    readonly followed_by_remediation: boolean;
  }[];
  readonly commits_in_window: number;
  readonly authors_in_window: number;
  readonly notes: readonly string[];
};

export type Measure = {
  readonly value: number;
  readonly unit: string;
  readonly band: 'elite' | 'high' | 'medium' | 'low';
  readonly sample_size: number;
  readonly proxy: string;
  readonly percentiles?: readonly {
    readonly label: string;
    readonly value: number;
  }[];
};

export type Practices = {
  readonly workspace: string;
  readonly generated_at: number;
  readonly practices: readonly {
    readonly key: string;
    readonly title: string;
    readonly pillar: string;
    readonly signals: readonly {
      readonly name: string;
      readonly found: boolean;
      readonly path?: string;
    }[];
    readonly found: number;
    readonly expected: number;
    readonly level: number;
    readonly level_name: 'absent' | 'initial' | 'managed' | 'defined';
    readonly next_step: string;
    readonly detection_caveat?: string;
  }[];
  readonly mean_level: number;
  readonly max_detectable_level: number;
  readonly scope_note: string;
};

export type Onboarding = {
  readonly repo: string;
  readonly window_days: number;
  readonly generated_at: number;
  readonly readiness: readonly {
    readonly name: string;
    readonly found: boolean;
    readonly path?: string;
  }[];
  readonly readiness_found: number;
  readonly readiness_expected: number;
  readonly new_contributors: readonly {
    readonly author: string;
    readonly first_commit_at: number;
    readonly hours_to_second_commit?: number;
    readonly commits_in_window: number;
  }[];
  readonly not_measured: readonly {
    readonly metric: string;
    readonly reason: string;
    readonly to_measure_this: string;
  }[];
  readonly notes: readonly string[];
};

export type Scorecard = {
  readonly dora: Dora;
  readonly practices: Practices;
  readonly dora_coverage: number;
  readonly delivery_grade?: 'A' | 'B' | 'C' | 'D';
  readonly headline: string;
};

export type Space = {
  readonly repo: string;
  readonly window_days: number;
  readonly generated_at: number;
  readonly dimensions: readonly {
    readonly dimension: 'satisfaction' | 'performance' | 'activity' | 'collaboration' | 'efficiency';
    readonly key: string;
    readonly title: string;
    readonly measures: readonly {
      readonly name: string;
      readonly value: number;
      readonly unit: string;
      readonly source: string;
      readonly sample_size: number;
      readonly caveat?: string;
    }[];
    readonly unmeasured: readonly {
      readonly metric: string;
      readonly reason: string;
      readonly to_measure_this: string;
    }[];
  }[];
  readonly dimensions_measured: number;
  readonly outcome_signal: boolean;
  readonly scope_note: string;
};

export type Model = {
  readonly id: string;
  readonly name?: string;
  readonly provider: string;
  readonly active?: true;
  readonly size_bytes?: number;
};

export type Envelope = {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly id: string;
  readonly type: string;
  readonly schema: number;
  readonly at: number;
  readonly actor: string;
  readonly correlation: string | null;
  readonly causation: string | null;
  readonly data: Json;
  readonly leaf_hash: string;
  readonly erased?: true;
};

export type InclusionProof = {
  readonly position: number;
  readonly size: number;
  readonly leaf_hash: string;
  readonly path: readonly string[];
  readonly tree_hash: string;
};

export type ConsistencyProof = {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
  readonly from_hash: string;
  readonly to_hash: string;
};

export type StorageOperation = {
  readonly id: string;
  readonly kind: 'backup' | 'verified_backup' | 'compact' | 'verify';
  readonly state: 'running' | 'done' | 'failed';
  readonly done: number;
  readonly total: number;
  readonly error: {
    readonly code: string | null;
    readonly message: string;
  } | null;
  readonly result:
    | {
        readonly to: string;
        readonly files: number;
        readonly bytes: number;
      }
    | {
        readonly path: string;
        readonly position: number;
        readonly tree_hash: string;
        readonly bytes: number;
        readonly made_at: number;
        readonly verified_at: number;
      }
    | {
        readonly disk_bytes_before: number;
        readonly disk_bytes: number;
      }
    | {
        readonly ok: boolean;
        readonly head: number;
        readonly tree_hash: string;
        readonly errors: readonly {
          readonly file: string;
          readonly offset: number | null;
          readonly what: string;
        }[];
      }
    | null;
};

export type StorageStats = {
  readonly backend: string;
  readonly events: number;
  readonly tree_hash: string;
  readonly keys: number | null;
  readonly disk_bytes: number;
  readonly live_bytes: number | null;
  readonly wal_bytes: number;
  readonly cache_bytes: number;
  readonly cache_hits: number;
  readonly cache_misses: number;
  readonly snapshots: number;
  readonly pending_compaction_bytes: number;
  readonly levels: readonly {
    readonly tables: number;
    readonly bytes: number;
  }[];
  readonly failure: string | null;
};

export type Node = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly since: number;
  readonly last_seen: number;
  readonly alive: boolean;
  readonly workspaces: readonly string[];
  readonly runs: readonly string[];
  readonly position: number;
};

export type MetricsHistory = {
  readonly every_ms: number;
  readonly kept_ms: number;
  readonly started_at: number;
  readonly at: readonly number[];
  readonly series: { readonly [key: string]: readonly (number | null)[] };
  readonly backups: {
    readonly kept: number;
    readonly failures: number;
    readonly failure: string | null;
    readonly last: {
      readonly position: number;
      readonly bytes: number;
      readonly made_at: number;
      readonly verified_at: number;
    } | null;
  } | null;
};

export type ChatSendAnswer = {
  readonly content: string;
};

export type RunsStartAnswer = {
  readonly session_id: string;
};

export type RunsStreamQuery = {
  readonly after?: number | undefined;
  readonly since_seq?: number | undefined;
};

export type RunsListQuery = {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly at?: string | undefined;
  readonly status?: string | undefined;
  readonly provider?: string | undefined;
  readonly q?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly goal?: string | undefined;
};

export type RunsGetQuery = {
  readonly at?: string | undefined;
};

export type RunsForkBody = {
  readonly step?: number;
  readonly task?: string;
  readonly approval?: string | null;
  readonly interactive?: boolean | null;
};

export type RunsForkAnswer = RunsStartAnswer;

export type RunsEvidenceBundleQuery = {
  /** 1: the attached files too. */
  readonly with_files?: '0' | '1' | 'true' | 'false' | undefined;
};

export type ApprovalsListQuery = {
  readonly status?: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled' | undefined;
  readonly session_id?: string | undefined;
  readonly limit?: number | undefined;
};

export type ApprovalsListAnswer = {
  readonly approvals: readonly Approval[];
};

export type ApprovalsAnswerBody = {
  readonly decision: 'allow_once' | 'allow_run' | 'deny';
  readonly reason?: string | null;
};

export type SessionsListQuery = {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly at?: string | undefined;
};

export type SessionsViewQuery = RunsGetQuery;

export type SessionsShareQuery = RunsGetQuery;

export type AcpCreateTaskBody = {
  readonly task: string;
  readonly context?: {
    readonly workspace_root?: string | null;
  } | null;
};

export type AcpCapabilitiesAnswer = {
  readonly protocol_version: string;
  readonly agent_name: string;
  readonly agent_version: string;
  readonly supported_tools: readonly string[];
  readonly supported_models: readonly string[];
  readonly features: readonly string[];
};

export type WebhooksReceiveForgeBody = {
  readonly pull_request: {
    readonly number: number;
    readonly title: string;
    readonly head: {
      readonly sha: string;
      readonly ref: string;
    };
    readonly base: {
      readonly sha: string;
      readonly ref: string;
    };
    readonly diff_url: string;
  };
  readonly repository: {
    readonly full_name: string;
    readonly clone_url?: string | null;
  };
  readonly action: string;
};

export type WebhooksReceiveForgeAnswer =
  | {
      readonly status: 'reviewed';
      readonly findings: number;
      readonly summary: string;
    }
  | {
      readonly status: 'ignored';
    };

export type WebhooksTriggerSkillAnswer = {
  readonly triggered: boolean;
  readonly skill: string;
  readonly body_length: number;
};

export type WebhooksListDeliveriesQuery = {
  readonly limit?: number | undefined;
};

export type WebhooksListDeliveriesAnswer = {
  readonly deliveries: readonly Delivery[];
};

export type TasksCreateBody = {
  readonly title: string;
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly project_path?: string | null;
  readonly create_worktree?: boolean | null;
};

export type TasksListQuery = {
  readonly state?: string | undefined;
};

export type TasksUpdateBody = {
  readonly title?: string;
  readonly status?: string;
  readonly session_id?: string;
};

export type TasksHistoryAnswer = {
  readonly id: string;
  readonly title: string;
  readonly status: 'draft' | 'queued' | 'running' | 'reviewing' | 'partial' | 'completed' | 'failed';
  readonly session_id: string;
  readonly events: readonly AgentEvent[];
};

export type HarnessGetProfileQuery = {
  readonly provider: string | undefined;
  readonly model?: string | undefined;
};

export type HarnessSetProfileQuery = HarnessGetProfileQuery;

export type HarnessResetProfileQuery = HarnessGetProfileQuery;

export type HarnessListProfilesAnswer = {
  readonly overrides: { readonly [key: string]: HarnessPatch };
  readonly profiles: readonly {
    readonly provider: string;
    readonly model: string;
    readonly effective: HarnessSettings;
    readonly builtin: HarnessSettings;
  }[];
};

export type MemoryEncryptionAnswer = {
  readonly enabled: boolean;
  readonly locked: boolean;
  readonly warming: boolean;
  readonly key_source: 'keyring' | 'passphrase' | null;
};

export type MemoryEncryptBody = {
  readonly passphrase?: string | null;
  readonly key_source?: 'keyring' | 'passphrase' | null;
};

export type MemoryEncryptAnswer = MemoryEncryptionAnswer;

export type MemoryAddBody = {
  readonly content: string;
  readonly tags?: readonly string[] | null;
  readonly metadata?: { readonly [key: string]: string } | null;
  readonly project_id?: string | null;
  readonly session_id?: string | null;
};

export type MemoryAddAnswer = {
  readonly id: string;
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  readonly tags: readonly string[];
  readonly weight: number;
  readonly created_at: number;
  readonly recognised?: 'exact' | 'near';
};

export type MemoryPinBody = {
  readonly id: string;
};

export type MemoryPinAnswer = {
  readonly ok: boolean;
  readonly error?: string;
};

export type MemoryUnpinBody = MemoryPinBody;

export type MemoryUnpinAnswer = MemoryPinAnswer;

export type MemoryDeleteBody = MemoryPinBody;

export type MemoryDeleteAnswer = MemoryPinAnswer;

export type MemoryQueryBody = {
  readonly query: string;
  readonly limit?: number | null;
  readonly sector?: string | null;
  readonly drawers?: number | null;
};

export type MemoryQueryAnswer = {
  readonly results: readonly FoundMemory[];
  readonly count: number;
  readonly drawers?: readonly FoundDrawer[];
  readonly warming?: true;
  readonly vectors?: VectorsUsed;
};

export type MemoryListQuery = {
  readonly sector?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};

export type MemoryListAnswer = {
  readonly memories: readonly Memory[];
  readonly total: number;
};

export type MemoryStatsAnswer = {
  readonly total_memories: number;
  readonly total_waypoints: number;
  readonly total_facts: number;
  readonly total_drawers: number;
  readonly encryption: boolean;
  readonly sectors: readonly {
    readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
    readonly count: number;
    readonly avg_salience: number;
    readonly pinned_count: number;
    readonly avg_age_days: number;
  }[];
  readonly embedding_dim: number;
  readonly embedding_compression_ratio: number;
  readonly embedding_backend: string;
  readonly embedding: VectorStatus;
};

export type MemoryAddFactBody = {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly valid_from?: number | null;
  readonly confidence?: number | null;
};

export type MemoryListFactsQuery = {
  readonly at?: string | undefined;
  readonly valid_at?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};

export type MemoryListFactsAnswer = {
  readonly facts: readonly Fact[];
  readonly count: number;
  readonly total: number;
  readonly as_of?: AsOf;
};

export type MemoryDecayAnswer = {
  readonly purged: number;
  readonly remaining: number;
  readonly decayed: number;
};

export type MemoryConsolidateAnswer = {
  readonly consolidated: number;
  readonly merged: number;
  readonly memories_merged: number;
  readonly reflections_created: number;
  readonly remaining: number;
};

export type MemoryImportAllBody = {
  readonly content: string;
  readonly format?: string | null;
};

export type MemoryImportAllAnswer = {
  readonly imported: number;
  readonly total_memories: number;
  readonly format_used: string;
  readonly format_detected: string;
  readonly skipped: readonly {
    readonly index: number;
    readonly error: string;
  }[];
  readonly recognised: readonly {
    readonly index: number;
    readonly error: string;
  }[];
  readonly renamed: readonly {
    readonly index: number;
    readonly id: string;
  }[];
  readonly errors: readonly {
    readonly index: number;
    readonly error: string;
  }[];
};

export type MemoryAddDrawersBody = {
  readonly content: string;
  readonly source?: string | null;
};

export type MemoryAddDrawersAnswer = {
  readonly chunks_created: number;
  readonly total_drawers: number;
  readonly text_id: string;
  readonly chunks: number;
  readonly duplicates: number;
  readonly recognised?: 'exact' | 'near';
};

export type MemoryListDrawersQuery = {
  readonly source?: string | undefined;
  readonly wing?: string | undefined;
  readonly room?: string | undefined;
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
};

export type MemoryListDrawersAnswer = {
  readonly drawers: readonly Drawer[];
  readonly count: number;
  readonly total_drawers: number;
  readonly next: number | null;
};

export type MemoryDrawerStatsAnswer = {
  readonly total_drawers: number;
  readonly wings: readonly {
    readonly wing: string;
    readonly count: number;
  }[];
  readonly rooms: readonly {
    readonly room: string;
    readonly count: number;
  }[];
  readonly dedup_hit_rate: number;
  readonly dedup: {
    readonly chunks_offered: number;
    readonly exact_hits: number;
    readonly near_hits: number;
    readonly hits: number;
  };
};

export type MemoryAddTunnelBody = {
  readonly src_id: string;
  readonly dst_id: string;
  readonly weight?: number | null;
};

export type MemoryAddTunnelAnswer = {
  readonly created: boolean;
  readonly src_id: string;
  readonly dst_id: string;
  readonly weight: number;
};

export type MemoryAutoTunnelBody = {
  readonly threshold?: number | null;
};

export type MemoryAutoTunnelAnswer = {
  readonly tunnels_created: number;
  readonly threshold: number;
  readonly considered: number;
};

export type MemoryBenchmarkQuery = {
  readonly k?: number | undefined;
};

export type MemoryBenchmarkAnswer = {
  readonly k: number;
  readonly total_memories: number;
  readonly total_drawers: number;
  readonly probes: number;
  readonly hits_cognitive: number;
  readonly hits_verbatim: number;
  readonly recall_cognitive: number;
  readonly recall_verbatim: number;
  readonly recall_combined: number;
  readonly cases: readonly {
    readonly sector: string;
    readonly query: string;
    readonly found_cognitive: boolean;
    readonly found_verbatim: boolean;
  }[];
};

export type MemoryContextBody = {
  readonly query: string;
  readonly l1_tokens?: number | null;
  readonly l2_limit?: number | null;
  readonly l3_threshold?: number | null;
};

export type MemoryContextAnswer = {
  readonly query: string;
  readonly context: string;
  readonly total_memories: number;
  readonly total_drawers: number;
  readonly l1_essential_story: readonly string[];
  readonly l2_scoped: readonly FoundMemory[];
  readonly l3_deep: readonly FoundMemory[];
  readonly l3_drawers: readonly FoundDrawer[];
  readonly facts: readonly string[];
  readonly wing: string;
  readonly sector: string;
  readonly vectors?: VectorsUsed;
};

export type MemoryAuditQuery = {
  readonly samples?: number | undefined;
};

export type MemoryAuditAnswer = {
  readonly total_memories: number;
  readonly total_drawers: number;
  readonly exact_duplicates: {
    readonly count: number;
    readonly samples: readonly {
      readonly ids: readonly string[];
    }[];
  };
  readonly near_duplicates: {
    readonly count: number;
    readonly samples: readonly {
      readonly ids: readonly string[];
      readonly similarity: number;
    }[];
  };
  readonly recall_loops: {
    readonly count: number;
    readonly exact: number;
    readonly near: number;
    readonly samples: readonly {
      readonly store: string;
      readonly id: string;
      readonly kind: string;
      readonly similarity: number;
      readonly via: string;
      readonly at: number;
    }[];
  };
  readonly stale: {
    readonly count: number;
    readonly below_salience: number;
    readonly samples: readonly {
      readonly id: string;
      readonly sector: string;
      readonly salience: number;
      readonly last_seen_at: number;
    }[];
  };
  readonly never_recalled: {
    readonly count: number;
    readonly samples: readonly {
      readonly id: string;
      readonly sector: string;
      readonly created_at: number;
    }[];
  };
};

export type GoalsCurrentQuery = {
  readonly workspace?: string | undefined;
  readonly at?: string | undefined;
};

export type GoalsCurrentAnswer = {
  readonly workspace: string | null;
  readonly goal_id: string | null;
  readonly pinned_at?: string;
  readonly goal?: Goal;
  readonly as_of?: AsOf;
};

export type GoalsPinBody = {
  readonly goal_id: string;
  readonly workspace?: string | null;
};

export type GoalsPinAnswer = GoalsCurrentAnswer;

export type GoalsUnpinQuery = {
  readonly workspace?: string | undefined;
};

export type GoalsUnpinAnswer = {
  readonly workspace: string | null;
  readonly removed: boolean;
};

export type GoalsCreateBody = {
  readonly title: string;
  readonly statement?: string;
  readonly workspace?: string | null;
  readonly success_criteria?: readonly string[];
  readonly tags?: readonly string[];
  readonly parent_goal_id?: string | null;
};

export type GoalsListQuery = {
  readonly status?: 'active' | 'paused' | 'done' | 'abandoned' | undefined;
  readonly workspace?: string | undefined;
  readonly tag?: string | undefined;
  readonly q?: string | undefined;
  readonly at?: string | undefined;
  /** How many at most; 0 is all, up to 10000. */
  readonly limit?: number | undefined;
};

export type GoalsListAnswer = {
  readonly goals: readonly Goal[];
  readonly count: number;
  readonly as_of?: AsOf;
};

export type GoalsGetQuery = RunsGetQuery;

export type GoalsGetAnswer = {
  readonly goal: Goal;
  readonly links: readonly GoalLink[];
  readonly as_of?: AsOf;
};

export type GoalsUpdateBody = {
  readonly title?: string;
  readonly statement?: string;
  readonly status?: 'active' | 'paused' | 'done' | 'abandoned';
  readonly success_criteria?: readonly string[];
  readonly tags?: readonly string[];
  readonly workspace?: string | null;
  readonly parent_goal_id?: string | null;
};

export type GoalsLinkBody = {
  readonly kind: 'session' | 'job' | 'recap' | 'note';
  readonly target_id: string;
  readonly note?: string | null;
};

export type GoalsStartBody = {
  readonly task?: string | null;
  readonly provider?: string | null;
  readonly model?: string | null;
};

export type GoalsStartAnswer = {
  readonly session_id: string;
  readonly link_id: string;
  readonly goal_id: string;
};

export type GoalsChildrenQuery = RunsGetQuery;

export type GoalsChildrenAnswer = {
  readonly parent_goal_id: string;
  readonly children: readonly Goal[];
  readonly count: number;
  readonly as_of?: AsOf;
};

export type GoalsTreeQuery = {
  readonly at?: string | undefined;
  /** Levels from the goal itself, clamped to 1..10. */
  readonly depth?: number | undefined;
};

export type GoalsTreeAnswer = {
  readonly root: string;
  readonly depth: number;
  readonly tree: GoalNode;
  readonly as_of?: AsOf;
};

export type GoalsPlanBody = {
  readonly provider?: string | null;
  readonly model?: string | null;
};

export type GoalsPlanAnswer = {
  readonly id: string;
  readonly workspace: string | null;
  readonly title: string;
  readonly statement: string;
  readonly status: 'active' | 'paused' | 'done' | 'abandoned';
  readonly success_criteria: readonly string[];
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly parent_goal_id: string | null;
  readonly current_plan: GoalPlan | null;
  readonly schema_version: number;
  readonly plan_provider_override_applied: boolean;
  readonly plan_provider_requested?: string;
  readonly plan_model_requested?: string;
};

export type GoalsRecapBody = GoalsPlanBody;

export type GoalsRecapAnswer = {
  readonly goal_id: string;
  readonly title: string;
  readonly headline: string;
  readonly bullets: readonly string[];
  readonly next_actions: readonly string[];
  readonly artifacts: readonly {
    readonly kind: 'file' | 'diff' | 'job' | 'url';
    readonly label: string;
    readonly locator: string;
  }[];
  readonly sources: readonly {
    readonly recap_id: string;
    readonly kind: 'session' | 'job' | 'recap';
    readonly target_id: string;
  }[];
  readonly generated_at: string;
  readonly recap_synthesizer: 'llm' | 'heuristic';
  readonly recap_provider_override_applied: boolean;
  readonly recap_provider_requested?: string;
  readonly recap_model_requested?: string;
  readonly recap_llm_error?: string;
};

export type GoalsEvidenceBundleQuery = RunsEvidenceBundleQuery;

export type WatchListGoalsAnswer = {
  readonly goals: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: 'active' | 'paused' | 'done' | 'abandoned';
    readonly workspace_label: string;
    readonly updated_at: string;
    readonly pinned: boolean;
  }[];
};

export type WatchGetGoalAnswer = {
  readonly goal: Goal;
  readonly links: readonly GoalLink[];
  readonly pinned: boolean;
};

export type WatchStartGoalBody = {
  readonly task?: string | null;
};

export type WatchStartGoalAnswer = GoalsStartAnswer;

export type EngagementsTemplateAnswer = {
  readonly phases: readonly {
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    readonly title: string;
    readonly cadence: string | null;
    readonly purpose: string;
    readonly index: number;
  }[];
  readonly deliverables: readonly {
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    readonly phase_title: string;
    readonly cadence: string | null;
    readonly key: string;
    readonly title: string;
    readonly description: string;
    readonly tool_hint: string;
  }[];
  readonly gates: readonly {
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    readonly title: string;
    readonly criterion: string;
    readonly measurement: string;
  }[];
};

export type EngagementsListAnswer = {
  readonly engagements: readonly Engagement[];
};

export type EngagementsCreateBody = {
  readonly name: string;
  readonly client?: string | null;
  readonly workspace_path?: string | null;
  readonly summary?: string | null;
  readonly reason?: string | null;
};

export type EngagementsCreateAnswer = {
  readonly engagement: Engagement;
};

export type EngagementsGetQuery = RunsGetQuery;

export type EngagementsGetAnswer = {
  readonly report: {
    readonly engagement: Engagement;
    readonly phases: readonly {
      readonly phase: 'discover' | 'prove' | 'build' | 'operate';
      readonly title: string;
      readonly cadence: string | null;
      readonly deliverables: {
        readonly total: number;
        readonly not_started: number;
        readonly in_progress: number;
        readonly ready: number;
        readonly accepted: number;
        readonly waived: number;
        readonly claimed_without_evidence: number;
      };
      readonly gates: {
        readonly total: number;
        readonly not_measured: number;
        readonly pending: number;
        readonly pass: number;
        readonly fail: number;
        readonly waived: number;
      };
      readonly completion: number | null;
      readonly blockers: readonly Blocker[];
      readonly can_exit: boolean;
    }[];
    readonly phase_changes: readonly {
      readonly id: string;
      readonly kind: 'advanced' | 'forced' | 'set';
      readonly from: 'discover' | 'prove' | 'build' | 'operate';
      readonly to: 'discover' | 'prove' | 'build' | 'operate';
      readonly blockers: readonly Blocker[];
      readonly by: string;
      readonly reason: string;
      readonly at: number;
    }[];
    readonly removed_gates: readonly {
      readonly id: string;
      readonly phase: 'discover' | 'prove' | 'build' | 'operate';
      readonly title: string;
      readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
      readonly by: string;
      readonly reason: string;
      readonly at: number;
    }[];
    readonly generated_at: number;
  };
  readonly as_of?: AsOf;
};

export type EngagementsUpdateBody = {
  readonly status?: 'draft' | 'active' | 'paused' | 'closed';
  readonly phase?: 'discover' | 'prove' | 'build' | 'operate';
  readonly reason?: string | null;
};

export type EngagementsUpdateAnswer = EngagementsCreateAnswer;

export type EngagementsDeleteQuery = {
  readonly reason?: string | undefined;
};

export type EngagementsDeleteAnswer = {
  readonly deleted: boolean;
};

export type EngagementsSeedBody = {
  readonly reason?: string | null;
} | null;

export type EngagementsSeedAnswer = {
  readonly added: number;
};

export type EngagementsAdvanceBody = {
  readonly force?: boolean | null;
  readonly reason?: string | null;
};

export type EngagementsAdvanceAnswer = {
  readonly outcome: {
    readonly advanced: boolean;
    readonly from: 'discover' | 'prove' | 'build' | 'operate';
    readonly to: 'discover' | 'prove' | 'build' | 'operate' | null;
    readonly forced: boolean;
    readonly blockers: readonly Blocker[];
    readonly reason: string;
  };
};

export type EngagementsScanBody = {
  readonly path?: string | null;
  readonly attach?: boolean | null;
  readonly only?:
    | readonly {
        readonly deliverable_key: string;
        readonly path: string;
      }[]
    | null;
  readonly reason?: string | null;
};

export type EngagementsScanAnswer = {
  readonly scan: {
    readonly root: string;
    readonly files_scanned: number;
    readonly candidates: readonly {
      readonly deliverable_key: string;
      readonly rule: string;
      readonly path: string;
      readonly bytes: number;
    }[];
    readonly truncated: boolean;
    readonly undetectable: readonly string[];
    readonly notes: readonly string[];
  };
  readonly attached: number | null;
};

export type EngagementsHistoryQuery = {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
};

export type EngagementsHistoryAnswer = {
  readonly events: readonly {
    readonly position: number;
    readonly stream: string;
    readonly version: number;
    readonly id: string;
    readonly type: string;
    readonly schema: number;
    readonly at: number;
    readonly actor: string;
    readonly correlation: string | null;
    readonly causation: string | null;
    readonly data: Json;
    readonly leaf_hash: string;
    readonly erased?: true;
    readonly reason: string;
  }[];
  readonly next: number | null;
};

export type EngagementsListDeliverablesQuery = {
  readonly phase?: '' | 'all' | 'discover' | 'prove' | 'build' | 'operate' | undefined;
  readonly at?: string | undefined;
};

export type EngagementsListDeliverablesAnswer = {
  readonly deliverables: readonly Deliverable[];
  readonly as_of?: AsOf;
};

export type EngagementsAddDeliverableBody = {
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly key: string;
  readonly title: string;
  readonly description?: string | null;
  readonly tool_hint?: string | null;
  readonly reason?: string | null;
};

export type EngagementsAddDeliverableAnswer = {
  readonly deliverable: Deliverable;
};

export type EngagementsUpdateDeliverableBody = {
  readonly status?: 'not_started' | 'in_progress' | 'ready' | 'accepted' | 'waived';
  readonly owner?: string | null;
  readonly notes?: string | null;
  readonly reason?: string | null;
};

export type EngagementsUpdateDeliverableAnswer = {
  readonly updated: string;
};

export type EngagementsListEvidenceQuery = RunsGetQuery;

export type EngagementsListEvidenceAnswer = {
  readonly evidence: readonly {
    readonly id: string;
    readonly deliverable_id: string;
    readonly kind: 'file' | 'url' | 'run' | 'metric' | 'note';
    readonly label: string;
    readonly reference: string;
    readonly captured_at: number;
    readonly file_path: string | null;
    readonly size_bytes: number | null;
    readonly sha256: string | null;
    readonly changed_since: boolean | null;
  }[];
  readonly as_of?: AsOf;
};

export type EngagementsAddEvidenceBody = {
  readonly kind?: 'file' | 'url' | 'run' | 'metric' | 'note' | null;
  readonly label?: string | null;
  readonly reference?: string | null;
  readonly reason?: string | null;
};

export type EngagementsAddEvidenceAnswer = {
  readonly evidence: {
    readonly id: string;
    readonly deliverable_id: string;
    readonly kind: 'file' | 'url' | 'run' | 'metric' | 'note';
    readonly label: string;
    readonly reference: string;
    readonly captured_at: number;
    readonly file_path: string | null;
    readonly size_bytes: number | null;
    readonly sha256: string | null;
    readonly changed_since: boolean | null;
  };
};

export type EngagementsDeleteEvidenceQuery = EngagementsDeleteQuery;

export type EngagementsDeleteEvidenceAnswer = EngagementsDeleteAnswer;

export type EngagementsListGatesQuery = EngagementsListDeliverablesQuery;

export type EngagementsListGatesAnswer = {
  readonly gates: readonly Gate[];
  readonly as_of?: AsOf;
};

export type EngagementsAddGateBody = {
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly title: string;
  readonly criterion?: string | null;
  readonly measurement: string;
  readonly reason?: string | null;
};

export type EngagementsAddGateAnswer = {
  readonly gate: Gate;
};

export type EngagementsJudgeGateBody = {
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  readonly observed?: string | null;
  readonly rationale?: string | null;
  readonly decided_by?: string | null;
  readonly reason?: string | null;
};

export type EngagementsJudgeGateAnswer = EngagementsAddGateAnswer;

export type EngagementsDeleteGateQuery = EngagementsDeleteQuery;

export type EngagementsDeleteGateAnswer = EngagementsDeleteAnswer;

export type EngagementsReportQuery = RunsGetQuery;

export type EngagementsHandoverQuery = RunsGetQuery;

export type EngagementsEvidenceBundleQuery = RunsEvidenceBundleQuery;

export type IndexStatusAnswer = {
  readonly selected: {
    readonly provider: string;
    readonly model: string;
    readonly dimensions?: number;
    readonly base_url?: string;
  };
  readonly description: string;
  readonly built: boolean;
  readonly current: IndexHeader | null;
  readonly available: readonly IndexHeader[];
  readonly unusable: readonly {
    readonly path: string;
    readonly reason: string;
  }[];
  readonly last_build: {
    readonly model: EmbeddingChoice;
    readonly state: 'building' | 'built' | 'failed' | 'interrupted';
    readonly requested_at: number;
    readonly finished_at: number | null;
    readonly message: string | null;
  } | null;
};

export type IndexBuildBody = GoalsPlanBody;

export type IndexBuildAnswer = {
  readonly model: EmbeddingChoice;
  readonly chunks: number;
  readonly files: number;
  readonly dimension: number | null;
  readonly path: string;
  readonly embedded: number;
  readonly reused: number;
  readonly skipped: { readonly [key: string]: number };
  readonly notes: readonly string[];
};

export type IndexSearchQuery = {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly q: string | undefined;
  /** How many results at most. */
  readonly k?: number | undefined;
};

export type IndexSearchAnswer = {
  readonly query: string;
  readonly model: EmbeddingChoice;
  readonly results: readonly SearchHit[];
  readonly notes: readonly string[];
};

export type IndexStreamQuery = {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
};

export type EmbeddingsModelsAnswer = {
  readonly providers: readonly {
    readonly provider: 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini' | 'local';
    readonly id: 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini' | 'local';
    readonly display_name: string;
    readonly requires_api_key: boolean;
    readonly is_local: boolean;
    readonly availability: {
      readonly state: 'ready' | 'needs_api_key' | 'not_compiled_in';
    };
    readonly models: readonly EmbeddingModel[];
    readonly default_model: string | null;
  }[];
  readonly selected: {
    readonly provider: string;
    readonly model: string;
    readonly dimensions?: number;
    readonly base_url?: string;
  } | null;
  readonly error: string | null;
  readonly ollama_installed:
    | {
        readonly status: 'ok';
        readonly models: readonly string[];
      }
    | {
        readonly status: 'unreachable';
        readonly error: string;
      };
};

export type EmbeddingsEmbedBody = {
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly texts: readonly string[];
  readonly kind?: 'document' | 'query' | null;
};

export type EmbeddingsEmbedAnswer = {
  readonly model: EmbeddingChoice;
  readonly dimension: number | null;
  readonly embeddings: readonly (readonly number[])[];
};

export type OfficeConverterAnswer = {
  readonly state: 'checking' | 'ready' | 'missing' | 'configured_invalid' | 'broken';
  readonly available: boolean;
  readonly path: string | null;
  readonly version: string | null;
  readonly configured_path: string | null;
  readonly detail: string;
  readonly install_hint: string | null;
  readonly isolation: 'files_and_network' | 'network' | 'settings_only' | null;
  readonly checked_at: number | null;
  readonly import_extensions: readonly string[];
};

export type OfficeSetConverterPathBody = {
  readonly path: string | null;
};

export type OfficeSetConverterPathAnswer = OfficeConverterAnswer;

export type OfficeConvertBody = {
  readonly path: string;
  readonly to:
    | 'pdf'
    | 'pdf_sheets'
    | 'png'
    | 'svg'
    | 'docx'
    | 'xlsx'
    | 'pptx'
    | 'odt'
    | 'ods'
    | 'odp'
    | 'odg'
    | 'html'
    | 'txt'
    | 'csv';
  readonly timeout_secs?: number | null;
};

export type OfficeConvertAnswer = {
  readonly output: string;
  readonly target:
    | 'pdf'
    | 'pdf_sheets'
    | 'png'
    | 'svg'
    | 'docx'
    | 'xlsx'
    | 'pptx'
    | 'odt'
    | 'ods'
    | 'odp'
    | 'odg'
    | 'html'
    | 'txt'
    | 'csv';
  readonly bytes: number;
  readonly cached: boolean;
  readonly engine_version: string;
  readonly elapsed_ms: number;
};

export type FilesExportPdfBody = {
  readonly path: string;
  readonly root?: string | null;
};

export type BriefingListQuery = {
  readonly limit?: number | undefined;
  readonly wait?: number | undefined;
};

export type BriefingListAnswer = {
  readonly settings: BriefingSettings;
  readonly history: readonly BriefingEntry[];
  readonly routine: {
    readonly enabled: boolean;
    readonly running: boolean;
    readonly current: {
      readonly id: string;
      readonly stage: 'waiting' | 'gathering' | 'writing';
      readonly requested_at: number;
      readonly scheduled_for: number | null;
    } | null;
    readonly last_error: string | null;
    readonly last_run_at: number | null;
    readonly next_run_at: number | null;
  };
  readonly running: boolean;
  readonly last_error: string | null;
};

export type BriefingUpdateSettingsBody = {
  readonly enabled?: boolean;
  readonly time?: string;
  readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  readonly timezone?: string | null;
  readonly sections?: readonly (
    | 'runs'
    | 'approvals'
    | 'goals'
    | 'engagements'
    | 'reviews'
    | 'repositories'
    | 'memory'
    | 'index'
    | 'storage'
  )[];
  readonly writer?: 'model' | 'computed';
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly language?: string;
  readonly length?: 'short' | 'medium' | 'long';
  readonly workspace?: string | null;
  readonly repositories?: readonly string[];
  readonly hours?: number | null;
  readonly keep?: number;
};

export type BriefingGenerateBody = BriefingUpdateSettingsBody;

export type BriefingGenerateAnswer = {
  readonly id: string;
  readonly running: true;
};

export type BriefingSpeakBody = {
  readonly text: string;
};

export type RoomsOpenBody = {
  readonly room_id?: string | null;
};

export type RoomsOpenAnswer = {
  readonly room_id: string;
  readonly peer_count: number;
};

export type RoomsPeersAnswer = readonly {
  readonly peer_id: string;
  readonly name: string;
  readonly color: string;
  readonly cursor: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly selection_end: readonly [number, number] | null;
  } | null;
  readonly last_active: number;
}[];

export type VoiceTranscribeBody =
  | {
      readonly audio_base64: string;
      readonly mime_type?: string | null;
      readonly language?: string | null;
      readonly prefer_local?: boolean | null;
    }
  | { readonly type: 'audio/webm'; readonly bytes: Bytes }
  | { readonly type: 'audio/wav'; readonly bytes: Bytes }
  | { readonly type: 'audio/mp4'; readonly bytes: Bytes }
  | { readonly type: 'audio/mpeg'; readonly bytes: Bytes }
  | { readonly type: 'audio/ogg'; readonly bytes: Bytes }
  | { readonly type: 'audio/flac'; readonly bytes: Bytes }
  | { readonly type: 'audio/aac'; readonly bytes: Bytes };

export type VoiceTranscribeAnswer = {
  readonly text: string;
  readonly engine: 'local_asr' | 'cloud_asr';
};

export type VoiceUpdateSettingsBody = {
  readonly engine?: string;
  readonly language?: string;
  readonly voice?: string;
  readonly provider?: string | null;
  readonly model?: string | null;
};

export type VoiceUpdateSettingsAnswer = {
  readonly engine: string;
  readonly voice: string;
  readonly language: string;
  readonly provider: string | null;
  readonly model: string | null;
};

export type PluginsListQuery = {
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | undefined;
};

export type PluginsListAnswer = {
  readonly available: boolean;
  readonly total: number;
  readonly mcp_servers: readonly {
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly skills: readonly {
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly subagents: readonly {
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly rules: readonly {
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly hooks: readonly {
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
    readonly event: string;
  }[];
  readonly not_live: readonly {
    readonly plugin: string;
    readonly reason: string;
  }[];
};

export type PluginsCatalogQuery = PluginsListQuery;

export type PluginsCatalogAnswer = {
  readonly plugins: readonly {
    readonly name: string;
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly category: string;
    readonly components: readonly {
      readonly kind: 'skill' | 'rule';
      readonly name: string;
    }[];
    readonly includes: readonly string[];
    readonly connectors: readonly string[];
    readonly installed: boolean;
    readonly policy: 'on' | 'off' | 'required' | null;
    readonly trouble: string | null;
  }[];
};

export type PluginsInstallBody = {
  readonly name: string;
  readonly path?: string | null;
  readonly force?: boolean | null;
};

export type PluginsInstallAnswer = {
  readonly name: string;
  readonly version: string;
  readonly policy: 'on' | 'off' | 'required';
  readonly components: number;
  readonly signing_key_persisted: boolean;
  readonly included: readonly string[];
  readonly connectors: readonly {
    readonly id: string;
    readonly title: string;
    readonly state: 'already_configured' | 'added' | 'needs_credentials' | 'unknown' | 'failed';
    readonly fields?: readonly string[];
    readonly error?: string;
  }[];
};

export type PluginsSetPolicyBody = {
  readonly name: string;
  readonly path?: string | null;
  readonly policy: string;
};

export type PluginsSetPolicyAnswer = {
  readonly name: string;
  readonly policy: 'on' | 'off' | 'required';
};

export type PluginsUninstallBody = {
  readonly name: string;
  readonly path?: string | null;
};

export type PluginsUninstallAnswer = {
  readonly name: string;
  readonly removed: boolean;
};

export type ConnectorsListQuery = {
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | undefined;
  readonly at?: string | undefined;
};

export type ConnectorsListAnswer = {
  readonly connectors: readonly {
    readonly id: string;
    readonly catalog_id: string | null;
    readonly title: string;
    readonly command: string;
    readonly args: readonly string[];
    readonly enabled: boolean;
    readonly added_at: number | null;
    readonly credential_names: readonly string[];
    readonly missing_credentials: readonly string[] | null;
  }[];
  readonly catalog: readonly CatalogConnector[];
  readonly as_of?: AsOf;
};

export type ConnectorsAddBody = {
  readonly catalog_id?: string | null;
  readonly id?: string | null;
  readonly title?: string | null;
  readonly command?: string | null;
  readonly args?: readonly string[] | null;
  readonly credentials?: { readonly [key: string]: string } | null;
  readonly path?: string | null;
};

export type ConnectorsAddAnswer = {
  readonly id: string;
  readonly title: string;
  readonly enabled: true;
  readonly credential_names: readonly string[];
};

export type ConnectorsToggleBody = {
  readonly id: string;
  readonly enabled: boolean;
  readonly path?: string | null;
};

export type ConnectorsToggleAnswer = {
  readonly id: string;
  readonly enabled: boolean;
};

export type ConnectorsRemoveBody = {
  readonly id: string;
  readonly path?: string | null;
};

export type ConnectorsRemoveAnswer = {
  readonly id: string;
  readonly removed: boolean;
  readonly secrets_deleted: number;
};

export type ConnectorsProbeBody = ConnectorsRemoveBody;

export type ConnectorsProbeAnswer = {
  readonly id: string;
  readonly result:
    | {
        readonly state: 'ok';
        readonly tools: readonly string[];
      }
    | {
        readonly state: 'failed';
        readonly error: string;
      }
    | {
        readonly state: 'timedout';
        readonly after_secs: number;
      };
  readonly checked_at: number;
};

export type McpSendBody =
  | {
      readonly jsonrpc: '2.0';
    }
  | readonly {
      readonly jsonrpc: '2.0';
    }[];

export type McpSendEvent = {
  readonly jsonrpc: '2.0';
};

export type McpListenEvent = McpSendEvent;

export type PairingOfferAnswer = {
  readonly url: string;
  readonly token: string;
  readonly instructions: string;
};

export type PairingExchangeBody = {
  readonly token: string;
  readonly code?: string;
};

export type PairingExchangeAnswer = {
  readonly token: string;
};

export type DevexDoraQuery = {
  /** The repository to measure, or a directory or file in it. Absolute; it is never guessed. */
  readonly path: string | undefined;
  /** What counts as a release: tags (named like versions, the default) or merges (on `branch`). */
  readonly marker?: string | undefined;
  /** How far back to look, in days. */
  readonly window?: number | undefined;
  /** With marker=merges the branch that is deployed; HEAD by default. */
  readonly branch?: string | undefined;
};

export type DevexDoraAnswer = {
  readonly dora: Dora;
};

export type DevexPracticesQuery = DevexDoraQuery;

export type DevexPracticesAnswer = {
  readonly practices: Practices;
};

export type DevexOnboardingQuery = DevexDoraQuery;

export type DevexOnboardingAnswer = {
  readonly onboarding: Onboarding;
};

export type DevexScorecardQuery = DevexDoraQuery;

export type DevexScorecardAnswer = {
  readonly scorecard: Scorecard;
};

export type DevexSpaceQuery = DevexDoraQuery;

export type DevexSpaceAnswer = {
  readonly space: Space;
};

export type DevexScorecardMarkdownQuery = DevexDoraQuery;

export type DevexScorecardPageQuery = DevexDoraQuery;

export type DevexSurveyQuery = DevexDoraQuery;

export type ModelsListAnswer = {
  readonly models: readonly Model[];
};

export type AboutCapabilitiesAnswer = {
  readonly framework: string;
  readonly version: string;
  readonly capabilities: {
    readonly [key: string]: {
      readonly description: string;
    } & { readonly [key: string]: Json };
  };
};

export type AboutBeaconAnswer = {
  readonly machine_id: string;
  readonly hostname: string;
  readonly daemon_version: string;
  readonly port: number;
  readonly lan_ips: readonly string[];
  readonly tailscale_ip: string | null;
  readonly public_url: string | null;
  readonly uptime_secs: number;
  readonly active_session: null;
};

export type AboutMcpCardAnswer = {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly transports: readonly string[];
  readonly endpoint: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
  }[];
  readonly prompts: readonly Json[];
  readonly resources: readonly Json[];
};

export type LogListQuery = {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
  readonly stream?: string | undefined;
  readonly type?: string | undefined;
  readonly before?: number | undefined;
  readonly actor?: string | undefined;
  readonly correlation?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

export type LogListAnswer = {
  readonly events: readonly Envelope[];
  readonly next: number | null;
  readonly head: number;
};

export type LogEventsQuery = {
  readonly after?: number | undefined;
  readonly stream?: string | undefined;
  readonly type?: string | undefined;
};

export type LogHeadAnswer = {
  readonly position: number;
  readonly tree_hash: string;
  readonly at: number | null;
};

export type LogRebuildViewsAnswer = {
  readonly position: number;
  readonly seconds: number;
};

export type LogProofQuery = {
  readonly position: number | undefined;
  readonly size?: number | undefined;
  readonly format?: 'json' | 'tlog-proof' | undefined;
};

export type LogConsistencyQuery = {
  readonly from: number | undefined;
  readonly to?: number | undefined;
};

export type LogCheckpointsQuery = EngagementsHistoryQuery;

export type LogCheckpointsAnswer = {
  readonly checkpoints: readonly {
    readonly size: number;
    readonly at: number;
    readonly note: string;
    readonly witnesses: readonly string[];
  }[];
  readonly next: number | null;
};

export type LogEvidenceBundleQuery = {
  /** Id of an engagement, a run or a goal. */
  readonly of?: string | undefined;
  readonly stream?: string | undefined;
  readonly positions?: string | undefined;
  /** 1: the attached files too. */
  readonly with_files?: '0' | '1' | 'true' | 'false' | undefined;
};

export type TlogKeyAnswer = {
  readonly vkey: string;
  readonly origin: string;
  readonly log_id: string;
  readonly witness_vkey: string;
  readonly rotations: readonly {
    readonly from: string;
    readonly to: string;
    readonly statement: string;
  }[];
};

export type TlogRotateKeyAnswer = {
  readonly vkey: string;
};

export type TlogTimestampBody = {
  readonly authority?: string;
};

export type TlogTimestampAnswer = {
  readonly authority: string;
  readonly size: number;
  readonly at: number;
  readonly checkpoint: string;
  readonly response: string;
};

export type TlogAddCheckpointBody = unknown | { readonly type: 'text/plain'; readonly bytes: Bytes };

export type TlogWitnessesAnswer = {
  readonly witness_vkey: string;
  readonly quorum: {
    readonly needed: number;
    readonly cosigned: number;
    readonly missing: boolean;
  };
  readonly witnesses: readonly {
    readonly url: string;
    readonly vkey: string;
    readonly size: number;
    readonly error: string | null;
  }[];
  readonly trusted: readonly {
    readonly vkey: string;
    readonly size: number | null;
    readonly offered: number | null;
    readonly rolled_back: boolean;
    readonly error: string | null;
  }[];
  readonly forks: readonly {
    readonly origin: string;
    readonly size: number;
    readonly known: string;
    readonly other: string;
  }[];
};

export type TlogAddWitnessBody = {
  readonly url: string;
  readonly vkey: string;
};

export type TlogAddWitnessAnswer = TlogWitnessesAnswer;

export type TlogRemoveWitnessQuery = {
  readonly vkey: string | undefined;
};

export type TlogRemoveWitnessAnswer = TlogWitnessesAnswer;

export type TlogTrustLogBody = TlogRotateKeyAnswer;

export type TlogTrustLogAnswer = TlogWitnessesAnswer;

export type TlogDistrustLogQuery = TlogRemoveWitnessQuery;

export type TlogDistrustLogAnswer = TlogWitnessesAnswer;

export type StorageStartOperationBody =
  | {
      readonly kind: 'backup';
      readonly to: string;
    }
  | {
      readonly kind: 'verified_backup' | 'compact' | 'verify';
    };

export type StorageGetOperationQuery = {
  readonly wait?: number | undefined;
};

export type StorageResizeCacheBody = {
  readonly block_cache_mb: number;
};

export type StorageResizeCacheAnswer = StorageResizeCacheBody;

export type NodesListAnswer = {
  readonly nodes: readonly Node[];
};

export type MetricsHistoryQuery = {
  readonly from?: number | undefined;
  readonly points?: number | undefined;
};
