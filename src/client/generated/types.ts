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
   *
   * @returns Always, while the daemon serves.
   * @example
   * ```ts
   * const answer = await client.health.get();
   * ```
   */
  get(options?: CallOptions): Promise<Health>;
}

export interface ChatOperations {
  /**
   * One chat turn, answered when the model has finished.
   *
   * `POST /chat`
   *
   * @returns The whole answer.
   * @throws DaybookError 500: The provider failed before or during its answer.
   * @example
   * ```ts
   * const answer = await client.chat.send({ messages: [{ role: 'user', content: 'The parser fails on an empty line.' }] });
   * ```
   */
  send(body: ChatRequest, options?: CallOptions): Promise<ChatSendAnswer>;
  /**
   * One chat turn as SSE: tokens as plain messages, then `done`, or `error`.
   *
   * `POST /chat/stream`
   *
   * @returns The stream.
   * @example
   * ```ts
   * for await (const event of client.chat.stream({ messages: [{ role: 'user', content: 'The parser fails on an empty line.' }] })) console.log(event);
   * ```
   */
  stream(body: ChatRequest, options?: StreamOptions): EventStream<string>;
}

export interface RunsOperations {
  /**
   * Starts a background agent run, or resumes a finished one, and answers its session id at once.
   *
   * `POST /agent`
   *
   * @returns The run is queued.
   * @throws DaybookError 400: No task, or a field of the wrong type.
   * @throws DaybookError 403: The workspace lies in a folder that holds credentials, or in Daybook’s home.
   * @throws DaybookError 404: resume_session_id names no run.
   * @throws DaybookError 409: The run to resume is still going.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.runs.start({ task: 'Make the parser accept empty lines.', approval: 'auto-edit', workspace_root: '/home/ada/notes' });
   * ```
   */
  start(body: AgentRequest, options?: CallOptions): Promise<RunsStartAnswer>;
  /**
   * AgentEvents of a run as SSE, from the start or after `after` / `Last-Event-ID`, ending after the terminal one.
   *
   * `GET /stream/{session_id}`
   *
   * @param sessionId The run.
   * @returns The stream. Or: The stream has ended, and nothing follows this event.
   * @throws DaybookError 404: Unknown session.
   * @example
   * ```ts
   * for await (const event of client.runs.stream('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35')) console.log(event);
   * ```
   */
  stream(sessionId: string, options?: StreamOptions & RunsStreamQuery): EventStream<AgentEvent>;
  /**
   * Every job, most recent first; `limit` and `after` (a session id) page through them, the other parameters choose some. With `at` the list as it was then, and `as_of` in each record.
   *
   * `GET /jobs`
   *
   * @returns A bare array.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @example
   * ```ts
   * const answer = await client.runs.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: RunsListQuery }): Promise<readonly JobRecord[]>;
  /**
   * One job; `at` answers as it was then.
   *
   * `GET /jobs/{id}`
   *
   * @param id Id of the run.
   * @returns The record.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown job.
   * @example
   * ```ts
   * const answer = await client.runs.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions & { readonly query?: RunsGetQuery }): Promise<JobRecord>;
  /**
   * Cancels a job for good: the model call is aborted, the tool’s processes are killed. A finished job is unchanged.
   *
   * `POST /jobs/{id}/cancel`
   *
   * @param id Id of the run.
   * @returns The record as it is now.
   * @throws DaybookError 404: Unknown job.
   * @example
   * ```ts
   * const answer = await client.runs.cancel('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  cancel(id: string, options?: CallOptions): Promise<JobRecord>;
  /**
   * Folds the recorded run through today’s rules: the same effects in the same order, or where it diverges.
   *
   * `GET /jobs/{id}/replay`
   *
   * @param id Id of the run.
   * @returns The comparison.
   * @throws DaybookError 404: Unknown job.
   * @example
   * ```ts
   * const answer = await client.runs.replay('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  replay(id: string, options?: CallOptions): Promise<Replay>;
  /**
   * Starts a new run from the conversation of another one as it was after one of its steps.
   *
   * `POST /jobs/{id}/fork`
   *
   * @param id Id of the run.
   * @returns The new run is queued.
   * @throws DaybookError 400: The run has no such step.
   * @throws DaybookError 403: The workspace lies in a folder that holds credentials, or in Daybook’s home.
   * @throws DaybookError 404: Unknown job.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.runs.fork('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { step: 3, task: 'Try it without the cache.' });
   * ```
   */
  fork(id: string, body?: RunsForkBody, options?: CallOptions): Promise<RunsForkAnswer>;
  /**
   * All events of the run with their proofs, as one file that anybody can check offline.
   *
   * `GET /jobs/{id}/evidence.zip`
   *
   * @param id Id of the run.
   * @returns The bundle.
   * @throws DaybookError 400: More events than a bundle holds, or a wrong field.
   * @throws DaybookError 404: The log has no such events.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.runs.evidenceBundle('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  evidenceBundle(id: string, options?: CallOptions & { readonly query?: RunsEvidenceBundleQuery }): Promise<Uint8Array>;
}

export interface ApprovalsOperations {
  /**
   * What waits for a person, oldest first, then what was decided, newest first.
   *
   * `GET /approvals`
   *
   * @returns Approvals.
   * @example
   * ```ts
   * const answer = await client.approvals.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: ApprovalsListQuery }): Promise<ApprovalsListAnswer>;
  /**
   * One approval.
   *
   * `GET /approvals/{id}`
   *
   * @param id Id of the approval.
   * @returns The approval.
   * @throws DaybookError 404: Unknown approval.
   * @example
   * ```ts
   * const answer = await client.approvals.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Approval>;
  /**
   * Answers an approval: once for this call, for this tool until the run ends, or no.
   *
   * `POST /approvals/{id}`
   *
   * @param id Id of the approval.
   * @returns The approval as it is now.
   * @throws DaybookError 400: No decision, or one that is not allowed.
   * @throws DaybookError 404: Unknown approval.
   * @throws DaybookError 409: Answered already, expired or withdrawn: says what was decided.
   * @example
   * ```ts
   * const answer = await client.approvals.answer('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { decision: 'allow_once' });
   * ```
   */
  answer(id: string, body: ApprovalsAnswerBody, options?: CallOptions): Promise<Approval>;
}

export interface SessionsOperations {
  /**
   * The newest 200 sessions as a page.
   *
   * `GET /sessions`
   *
   * @returns The list.
   * @example
   * ```ts
   * const answer = await client.sessions.listPage();
   * ```
   */
  listPage(options?: CallOptions): Promise<string>;
  /**
   * Every session, newest started first; `limit` and `after` (a session id) page through them. With `at` the list as it was then, and `as_of` in each item.
   *
   * `GET /sessions.json`
   *
   * @returns A bare array.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @example
   * ```ts
   * const answer = await client.sessions.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: SessionsListQuery }): Promise<readonly Session[]>;
  /**
   * One session as a readable page: what was asked, done and said; `at` answers as it was then.
   *
   * `GET /view/{id}`
   *
   * @param id Id of the run.
   * @returns The document.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown session, as a page.
   * @example
   * ```ts
   * const answer = await client.sessions.view('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  view(id: string, options?: CallOptions & { readonly query?: SessionsViewQuery }): Promise<string>;
  /**
   * The same page with a note that it is shared and read-only, kept out of search engines.
   *
   * `GET /share/{id}`
   *
   * @param id Id of the run.
   * @returns The document.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown session, as a page.
   * @example
   * ```ts
   * const answer = await client.sessions.share('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  share(id: string, options?: CallOptions & { readonly query?: SessionsShareQuery }): Promise<string>;
}

export interface AcpOperations {
  /**
   * Starts a full-auto run in the given workspace root.
   *
   * `POST /acp/v1/tasks`
   *
   * @returns The task, pending.
   * @throws DaybookError 400: No task, or a workspace root that is no folder or holds credentials.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.acp.createTask({ task: 'Make the parser accept empty lines.' });
   * ```
   */
  createTask(body: AcpCreateTaskBody, options?: CallOptions): Promise<AcpTask>;
  /**
   * One task as it is now.
   *
   * `GET /acp/v1/tasks/{id}`
   *
   * @param id Id of the task.
   * @returns The task.
   * @throws DaybookError 404: Unknown task.
   * @example
   * ```ts
   * const answer = await client.acp.getTask('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  getTask(id: string, options?: CallOptions): Promise<AcpTask>;
  /**
   * What this agent offers to other agents.
   *
   * `GET /acp/v1/capabilities`
   *
   * @returns The advertisement.
   * @example
   * ```ts
   * const answer = await client.acp.capabilities();
   * ```
   */
  capabilities(options?: CallOptions): Promise<AcpCapabilitiesAnswer>;
}

export interface WebhooksOperations {
  /**
   * A signed delivery of a forge; an opened, updated or reopened pull request is reviewed.
   *
   * `POST /webhook/forge`
   *
   * @returns Reviewed, or ignored because nothing here handles it.
   * @throws DaybookError 400: No secret is set, a wrong signature, a payload that cannot be read, or no diff.
   * @throws DaybookError 500: The model failed.
   * @throws DaybookError 503: Too many reviews wait already.
   * @throws DaybookError 504: The review is still going; its result is kept for a redelivery.
   * @example
   * ```ts
   * const answer = await client.webhooks.receiveForge({ pull_request: { number: 1, title: 'Accept empty lines', head: { sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', ref: 'main' }, base: { sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', ref: 'main' }, diff_url: 'https://forge.example/ada/notes/pull/7.diff' }, repository: { full_name: 'ada/notes' }, action: 'opened' });
   * ```
   */
  receiveForge(body?: WebhooksReceiveForgeBody, options?: CallOptions): Promise<WebhooksReceiveForgeAnswer>;
  /**
   * Starts a run with the skill that has this webhook_trigger; the body of any content goes with it.
   *
   * `POST /webhook/skill/{skill_name}`
   *
   * @param skillName The skill.
   * @returns The run is queued; X-Daybook-Session-Id names it.
   * @throws DaybookError 400: A body that says it is JSON and is not, or is no text.
   * @throws DaybookError 404: No skill has that webhook_trigger.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.webhooks.triggerSkill('release-notes', 'text');
   * ```
   */
  triggerSkill(skillName: string, body?: Json, options?: CallOptions): Promise<WebhooksTriggerSkillAnswer>;
  /**
   * The newest deliveries, newest first.
   *
   * `GET /webhook/deliveries`
   *
   * @returns Deliveries.
   * @example
   * ```ts
   * const answer = await client.webhooks.listDeliveries();
   * ```
   */
  listDeliveries(
    options?: CallOptions & { readonly query?: WebhooksListDeliveriesQuery },
  ): Promise<WebhooksListDeliveriesAnswer>;
  /**
   * One delivery, by its id here or at its sender, with every finding of its review.
   *
   * `GET /webhook/deliveries/{id}`
   *
   * @param id Id of the delivery.
   * @returns The delivery.
   * @throws DaybookError 404: Unknown delivery.
   * @example
   * ```ts
   * const answer = await client.webhooks.getDelivery('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  getDelivery(id: string, options?: CallOptions): Promise<ReviewedDelivery>;
}

export interface TasksOperations {
  /**
   * Creates a task.
   *
   * `POST /api/tasks`
   *
   * @returns The task.
   * @throws DaybookError 400: A blank title.
   * @example
   * ```ts
   * const answer = await client.tasks.create({ title: 'Accept empty lines' });
   * ```
   */
  create(body: TasksCreateBody, options?: CallOptions): Promise<Task>;
  /**
   * The newest tasks, newest first. None is ever archived or trashed here: those states are empty.
   *
   * `GET /api/tasks`
   *
   * @returns At most 200.
   * @example
   * ```ts
   * const answer = await client.tasks.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: TasksListQuery }): Promise<readonly Task[]>;
  /**
   * One task.
   *
   * `GET /api/tasks/{id}`
   *
   * @param id Id of the task.
   * @returns The task.
   * @throws DaybookError 404: Unknown task.
   * @example
   * ```ts
   * const answer = await client.tasks.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Task>;
  /**
   * Changes title, status or linked session; what is left out stays.
   *
   * `PATCH /api/tasks/{id}`
   *
   * @param id Id of the task.
   * @returns The task as it is now.
   * @throws DaybookError 404: Unknown task.
   * @example
   * ```ts
   * const answer = await client.tasks.update('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { title: 'Accept empty lines' });
   * ```
   */
  update(id: string, body: TasksUpdateBody, options?: CallOptions): Promise<Task>;
  /**
   * The conversation of the task’s session, user turns included; empty without a session.
   *
   * `GET /api/tasks/{id}/history`
   *
   * @param id Id of the task.
   * @returns The conversation.
   * @throws DaybookError 404: Unknown task.
   * @example
   * ```ts
   * const answer = await client.tasks.history('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  history(id: string, options?: CallOptions): Promise<TasksHistoryAnswer>;
  /**
   * The conversation of `/api/tasks/{id}/history` as PDF; empty without a session.
   *
   * `GET /api/tasks/{id}/export.pdf`
   *
   * @param id Id of the task.
   * @returns The document.
   * @throws DaybookError 404: Unknown task.
   * @throws DaybookError 413: The PDF exceeds a bound that the error names.
   * @throws DaybookError 503: Too many documents are waiting.
   * @throws DaybookError 504: The document takes too long to set.
   * @example
   * ```ts
   * const answer = await client.tasks.exportPdf('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  exportPdf(id: string, options?: CallOptions): Promise<Uint8Array>;
}

export interface HarnessOperations {
  /**
   * The resolved profile of a pair.
   *
   * `GET /harness/profile`
   *
   * @returns The profile as it is now resolved.
   * @throws DaybookError 400: No provider, an unknown field or a value that is not allowed.
   * @example
   * ```ts
   * const answer = await client.harness.getProfile({ query: { provider: 'ollama' } });
   * ```
   */
  getProfile(options: CallOptions & { readonly query: HarnessGetProfileQuery }): Promise<HarnessProfile>;
  /**
   * Replaces the pair’s override by the body; an empty body removes it. In force with the next request.
   *
   * `PUT /harness/profile`
   *
   * @returns The profile as it is now resolved.
   * @throws DaybookError 400: No provider, an unknown field or a value that is not allowed.
   * @example
   * ```ts
   * const answer = await client.harness.setProfile({ temperature: 0, max_output_tokens: 4096 }, { query: { provider: 'ollama' } });
   * ```
   */
  setProfile(
    body: HarnessPatch | undefined,
    options: CallOptions & { readonly query: HarnessSetProfileQuery },
  ): Promise<HarnessProfile>;
  /**
   * Removes the pair’s override.
   *
   * `DELETE /harness/profile`
   *
   * @returns The profile as it is now resolved.
   * @throws DaybookError 400: No provider, an unknown field or a value that is not allowed.
   * @example
   * ```ts
   * const answer = await client.harness.resetProfile({ query: { provider: 'ollama' } });
   * ```
   */
  resetProfile(options: CallOptions & { readonly query: HarnessResetProfileQuery }): Promise<HarnessProfile>;
  /**
   * Every stored override, and the profiles of all known providers and overridden pairs.
   *
   * `GET /harness/profiles`
   *
   * @returns Overrides by `provider/model`, and a profile a row.
   * @example
   * ```ts
   * const answer = await client.harness.listProfiles();
   * ```
   */
  listProfiles(options?: CallOptions): Promise<HarnessListProfilesAnswer>;
}

export interface MemoryOperations {
  /**
   * Whether memories are encrypted at rest, and where the key comes from.
   *
   * `GET /memory/encryption`
   *
   * @returns How it is now.
   * @example
   * ```ts
   * const answer = await client.memory.encryption();
   * ```
   */
  encryption(options?: CallOptions): Promise<MemoryEncryptionAnswer>;
  /**
   * Switches encryption at rest on, for good, unlocks what is encrypted, or moves its key. Done when it is.
   *
   * `POST /memory/encryption`
   *
   * @returns How it is now.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @throws DaybookError 403: The key cannot be had: another passphrase, or a keyring without it.
   * @example
   * ```ts
   * const answer = await client.memory.encrypt({ key_source: 'keyring' });
   * ```
   */
  encrypt(body?: MemoryEncryptBody, options?: CallOptions): Promise<MemoryEncryptAnswer>;
  /**
   * Keeps a memory in the sector its words belong to. Text that came out of a context block is only counted.
   *
   * `POST /memory/add`
   *
   * @returns Nothing was stored: the text was handed out by this daemon before. Or: The memory.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.add({ content: 'Ada lives in Paris.', tags: ['people'] });
   * ```
   */
  add(body: MemoryAddBody, options?: CallOptions): Promise<MemoryAddAnswer>;
  /**
   * Pins a memory: it neither fades nor is purged.
   *
   * `POST /memory/pin`
   *
   * @returns Done, or why not.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.pin({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  pin(body: MemoryPinBody, options?: CallOptions): Promise<MemoryPinAnswer>;
  /**
   * Removes the pin.
   *
   * `POST /memory/unpin`
   *
   * @returns Done, or why not.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.unpin({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  unpin(body: MemoryUnpinBody, options?: CallOptions): Promise<MemoryUnpinAnswer>;
  /**
   * Deletes a memory (or a fact, or a drawer) for good: its text leaves views, index and log.
   *
   * `POST /memory/delete`
   *
   * @returns Done, or why not.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.delete({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  delete(body: MemoryDeleteBody, options?: CallOptions): Promise<MemoryDeleteAnswer>;
  /**
   * Memories that answer a question: words, vectors, strength, time, waypoints and sector in one score.
   *
   * `POST /memory/query`
   *
   * @returns The best first.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.query({ query: 'Where does Ada live?' });
   * ```
   */
  query(body: MemoryQueryBody, options?: CallOptions): Promise<MemoryQueryAnswer>;
  /**
   * Memories, newest first.
   *
   * `GET /memory/list`
   *
   * @returns A page, and how many the store holds.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: MemoryListQuery }): Promise<MemoryListAnswer>;
  /**
   * Counts, strength by sector, how vectors are kept, whether texts are encrypted.
   *
   * `GET /memory/stats`
   *
   * @returns The stats.
   * @example
   * ```ts
   * const answer = await client.memory.stats();
   * ```
   */
  stats(options?: CallOptions): Promise<MemoryStatsAnswer>;
  /**
   * Every memory as JSON, oldest first: what POST /memory/import takes back.
   *
   * `GET /memory/export`
   *
   * @returns A list of entries.
   * @example
   * ```ts
   * const answer = await client.memory.exportAll();
   * ```
   */
  exportAll(options?: CallOptions): Promise<readonly ExportedMemory[]>;
  /**
   * Tells a fact. It ends the one of the same subject and predicate that held until then.
   *
   * `POST /memory/fact`
   *
   * @returns It was known already; nothing was recorded. Or: The fact.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.addFact({ subject: 'Ada', predicate: 'lives in', object: 'Paris', confidence: 0.9 });
   * ```
   */
  addFact(body: MemoryAddFactBody, options?: CallOptions): Promise<Fact>;
  /**
   * Facts that hold and facts that held, newest told first; with `valid_at` (Unix seconds) only what held at that moment. `at` answers as the memory was then.
   *
   * `GET /memory/facts`
   *
   * @returns The facts, and how many there are in all.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.listFacts();
   * ```
   */
  listFacts(options?: CallOptions & { readonly query?: MemoryListFactsQuery }): Promise<MemoryListFactsAnswer>;
  /**
   * Lets go of unpinned memories of which less than 0.05 is left.
   *
   * `POST /memory/decay`
   *
   * @returns How many left, and how many remain.
   * @example
   * ```ts
   * const answer = await client.memory.decay();
   * ```
   */
  decay(options?: CallOptions): Promise<MemoryDecayAnswer>;
  /**
   * Merges weak memories that say nearly the same, and forms a reflection on what is new.
   *
   * `POST /memory/consolidate`
   *
   * @returns `consolidated` and `merged` count the new memories, `memories_merged` those they replace.
   * @example
   * ```ts
   * const answer = await client.memory.consolidate();
   * ```
   */
  consolidate(options?: CallOptions): Promise<MemoryConsolidateAnswer>;
  /**
   * Takes in mem0, zep, openmemory (our own export) or a list of facts; a bad entry is named, the rest kept.
   *
   * `POST /memory/import`
   *
   * @returns How many were kept; which were not, by their index, and why.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.importAll({ content: 'The parser fails on an empty line.' });
   * ```
   */
  importAll(body: MemoryImportAllBody, options?: CallOptions): Promise<MemoryImportAllAnswer>;
  /**
   * Keeps a text word for word, in chunks of 800 characters of which 100 overlap.
   *
   * `POST /memory/chunk`
   *
   * @returns How many new drawers it took, and how many there are.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.addDrawers({ content: 'The parser fails on an empty line.' });
   * ```
   */
  addDrawers(body: MemoryAddDrawersBody, options?: CallOptions): Promise<MemoryAddDrawersAnswer>;
  /**
   * Drawers in the order in which they were stored; of one source every piece, so that its texts come back.
   *
   * `GET /memory/drawers`
   *
   * @returns A page; `next` is where to go on, null at the end.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.listDrawers();
   * ```
   */
  listDrawers(options?: CallOptions & { readonly query?: MemoryListDrawersQuery }): Promise<MemoryListDrawersAnswer>;
  /**
   * How many drawers there are, in which wings and rooms, and how often a chunk was there before.
   *
   * `GET /memory/drawers/stats`
   *
   * @returns The stats.
   * @example
   * ```ts
   * const answer = await client.memory.drawerStats();
   * ```
   */
  drawerStats(options?: CallOptions): Promise<MemoryDrawerStatsAnswer>;
  /**
   * Digs a waypoint between two memories, across projects if need be.
   *
   * `POST /memory/tunnel`
   *
   * @returns None was dug: an id is unknown, or it is there already. Or: The waypoint.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.addTunnel({ src_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', dst_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  addTunnel(body: MemoryAddTunnelBody, options?: CallOptions): Promise<MemoryAddTunnelAnswer>;
  /**
   * Digs tunnels between memories, and from memories to drawers, that are at least so near.
   *
   * `POST /memory/auto-tunnel`
   *
   * @returns How many were dug, and among how many of the newest memories.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.autoTunnel({ threshold: 1 });
   * ```
   */
  autoTunnel(body?: MemoryAutoTunnelBody, options?: CallOptions): Promise<MemoryAutoTunnelAnswer>;
  /**
   * Recall at k over a sample of what the store holds, in the cognitive store and in the drawers.
   *
   * `GET /memory/benchmark`
   *
   * @returns Hits and recall, probe by probe.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.benchmark();
   * ```
   */
  benchmark(options?: CallOptions & { readonly query?: MemoryBenchmarkQuery }): Promise<MemoryBenchmarkAnswer>;
  /**
   * The context block for a question, within its budgets; what it hands out is remembered as handed out.
   *
   * `POST /memory/context`
   *
   * @returns The block as text, and layer by layer.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.context({ query: 'Where does Ada live?' });
   * ```
   */
  context(body: MemoryContextBody, options?: CallOptions): Promise<MemoryContextAnswer>;
  /**
   * Counts and samples of duplicates, recall loops, stale and never recalled memories.
   *
   * `GET /memory/audit`
   *
   * @returns The audit.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.audit();
   * ```
   */
  audit(options?: CallOptions & { readonly query?: MemoryAuditQuery }): Promise<MemoryAuditAnswer>;
  /**
   * One memory, and the events that made it what it is.
   *
   * `GET /memory/{id}`
   *
   * @param id Id of the memory.
   * @returns The memory.
   * @throws DaybookError 404: No memory has this id.
   * @example
   * ```ts
   * const answer = await client.memory.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions): Promise<MemoryDetail>;
}

export interface GoalsOperations {
  /**
   * The pinned goal of a workspace; without `workspace` the one for everywhere. `at`: as it was then.
   *
   * `GET /v1/goals/current`
   *
   * @returns The pin; only `goal_id: null` when the slot is empty.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @example
   * ```ts
   * const answer = await client.goals.current();
   * ```
   */
  current(options?: CallOptions & { readonly query?: GoalsCurrentQuery }): Promise<GoalsCurrentAnswer>;
  /**
   * Pins a goal in a slot, in place of what was there. New runs of the workspace are linked to it.
   *
   * `PUT /v1/goals/current`
   *
   * @returns The pin.
   * @throws DaybookError 400: No goal_id.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.pin({ goal_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  pin(body: GoalsPinBody, options?: CallOptions): Promise<GoalsPinAnswer>;
  /**
   * Empties a slot.
   *
   * `DELETE /v1/goals/current`
   *
   * @returns `removed` is false when the slot was empty.
   * @example
   * ```ts
   * const answer = await client.goals.unpin();
   * ```
   */
  unpin(options?: CallOptions & { readonly query?: GoalsUnpinQuery }): Promise<GoalsUnpinAnswer>;
  /**
   * Creates a goal. A title is there once in a workspace, and once among the goals of no workspace.
   *
   * `POST /v1/goals`
   *
   * @returns The goal.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @throws DaybookError 409: The workspace has a goal with this title.
   * @example
   * ```ts
   * const answer = await client.goals.create({ title: 'Accept empty lines', statement: 'The parser accepts every file of the corpus.', tags: ['parser'] });
   * ```
   */
  create(body: GoalsCreateBody, options?: CallOptions): Promise<Goal>;
  /**
   * Goals, last changed first; `limit` counts after the filters, 0 is all. `at` answers as it was then.
   *
   * `GET /v1/goals`
   *
   * @returns The goals and how many they are.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.goals.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: GoalsListQuery }): Promise<GoalsListAnswer>;
  /**
   * One goal and its links, newest link first; `at` answers as it was then.
   *
   * `GET /v1/goals/{id}`
   *
   * @param id Id of the goal.
   * @returns The goal.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions & { readonly query?: GoalsGetQuery }): Promise<GoalsGetAnswer>;
  /**
   * Changes what is named. The plan falls when the statement or the criteria really become different.
   *
   * `PATCH /v1/goals/{id}`
   *
   * @param id Id of the goal.
   * @returns The goal as it is now.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 409: The workspace has a goal with this title.
   * @example
   * ```ts
   * const answer = await client.goals.update('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { status: 'done' });
   * ```
   */
  update(id: string, body: GoalsUpdateBody, options?: CallOptions): Promise<Goal>;
  /**
   * Deletes a goal for good, with its links and pins. Its children keep its id.
   *
   * `DELETE /v1/goals/{id}`
   *
   * @param id Id of the goal.
   * @returns It is gone.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.delete('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  delete(id: string, options?: CallOptions): Promise<void>;
  /**
   * Links a session, a job, a recap or a note.
   *
   * `POST /v1/goals/{id}/link`
   *
   * @param id Id of the goal.
   * @returns The link.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.link('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { kind: 'note', target_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  link(id: string, body: GoalsLinkBody, options?: CallOptions): Promise<GoalLink>;
  /**
   * Starts an agent run for the goal, in its workspace, and links it.
   *
   * `POST /v1/goals/{id}/start`
   *
   * @param id Id of the goal.
   * @returns The run is queued.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @throws DaybookError 403: The workspace lies in a folder that holds credentials, or in Daybook’s home.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.goals.start('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { task: 'Make the parser accept empty lines.' });
   * ```
   */
  start(id: string, body?: GoalsStartBody, options?: CallOptions): Promise<GoalsStartAnswer>;
  /**
   * The goals right below one, last changed first; `at` answers as it was then.
   *
   * `GET /v1/goals/{id}/children`
   *
   * @param id Id of the goal.
   * @returns One level.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.children('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  children(id: string, options?: CallOptions & { readonly query?: GoalsChildrenQuery }): Promise<GoalsChildrenAnswer>;
  /**
   * The tree below a goal; `depth` counts levels from the goal itself, 1 to 10. `at` answers as it was then.
   *
   * `GET /v1/goals/{id}/tree`
   *
   * @param id Id of the goal.
   * @returns The tree.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.tree('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  tree(id: string, options?: CallOptions & { readonly query?: GoalsTreeQuery }): Promise<GoalsTreeAnswer>;
  /**
   * Has a model plan the goal, and keeps the plan; `provider` and `model` count when both are named and usable.
   *
   * `POST /v1/goals/{id}/plan`
   *
   * @param id Id of the goal.
   * @returns The goal with its new plan, and which model was wanted.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 409: The goal was restated while it was planned.
   * @throws DaybookError 500: The model failed, or answered no plan.
   * @example
   * ```ts
   * const answer = await client.goals.plan('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { provider: 'ollama', model: 'qwen3:8b' });
   * ```
   */
  plan(id: string, body?: GoalsPlanBody, options?: CallOptions): Promise<GoalsPlanAnswer>;
  /**
   * What has come of a goal, by a model when `provider` and `model` name a usable one, else heuristically.
   *
   * `POST /v1/goals/{id}/recap`
   *
   * @param id Id of the goal.
   * @returns The recap, and who wrote it.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.recap('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { provider: 'ollama', model: 'qwen3:8b' });
   * ```
   */
  recap(id: string, body?: GoalsRecapBody, options?: CallOptions): Promise<GoalsRecapAnswer>;
  /**
   * All events of the goal with their proofs, as one file that anybody can check offline.
   *
   * `GET /v1/goals/{id}/evidence.zip`
   *
   * @param id Id of the goal.
   * @returns The bundle.
   * @throws DaybookError 400: More events than a bundle holds, or a wrong field.
   * @throws DaybookError 404: The log has no such events.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.goals.evidenceBundle('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
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
   *
   * @returns The goals.
   * @example
   * ```ts
   * const answer = await client.watch.listGoals();
   * ```
   */
  listGoals(options?: CallOptions): Promise<WatchListGoalsAnswer>;
  /**
   * One goal, its links, and whether it is pinned.
   *
   * `GET /watch/goals/{id}`
   *
   * @param id Id of the goal.
   * @returns The goal.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.watch.getGoal('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  getGoal(id: string, options?: CallOptions): Promise<WatchGetGoalAnswer>;
  /**
   * Starts an agent run for the goal, and links it.
   *
   * `POST /watch/goals/{id}/start`
   *
   * @param id Id of the goal.
   * @returns The run is queued.
   * @throws DaybookError 400: A task that is no text.
   * @throws DaybookError 403: The workspace lies in a folder that holds credentials, or in Daybook’s home.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.watch.startGoal('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { task: 'Make the parser accept empty lines.' });
   * ```
   */
  startGoal(id: string, body?: WatchStartGoalBody, options?: CallOptions): Promise<WatchStartGoalAnswer>;
}

export interface EngagementsOperations {
  /**
   * Phases, deliverables and gates that every engagement is seeded with.
   *
   * `GET /engagements/template`
   *
   * @returns The template, in seeding order.
   * @example
   * ```ts
   * const answer = await client.engagements.template();
   * ```
   */
  template(options?: CallOptions): Promise<EngagementsTemplateAnswer>;
  /**
   * Engagements, the last changed first; at most 10,000.
   *
   * `GET /engagements`
   *
   * @returns Engagements.
   * @example
   * ```ts
   * const answer = await client.engagements.list();
   * ```
   */
  list(options?: CallOptions): Promise<EngagementsListAnswer>;
  /**
   * Opens an engagement, seeded with the whole template.
   *
   * `POST /engagements`
   *
   * @returns The engagement.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @example
   * ```ts
   * const answer = await client.engagements.create({ name: 'Search for the archive', client: 'Analytical Engines Ltd', workspace_path: '/home/ada/archive' });
   * ```
   */
  create(body: EngagementsCreateBody, options?: CallOptions): Promise<EngagementsCreateAnswer>;
  /**
   * An engagement and how ready each phase is to be left; `at` answers as it was then.
   *
   * `GET /engagements/{id}`
   *
   * @param id Id of the engagement.
   * @returns The report.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions & { readonly query?: EngagementsGetQuery }): Promise<EngagementsGetAnswer>;
  /**
   * Sets status, phase or both; what is left out stays.
   *
   * `PATCH /engagements/{id}`
   *
   * @param id Id of the engagement.
   * @returns The engagement.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.update('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { status: 'active' });
   * ```
   */
  update(id: string, body: EngagementsUpdateBody, options?: CallOptions): Promise<EngagementsUpdateAnswer>;
  /**
   * Removes an engagement with its deliverables, evidence and gates; its history stays.
   *
   * `DELETE /engagements/{id}`
   *
   * @param id Id of the engagement.
   * @returns Removed.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.delete('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  delete(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsDeleteQuery },
  ): Promise<EngagementsDeleteAnswer>;
  /**
   * Adds what the template has and the engagement lacks; nothing that is there changes.
   *
   * `POST /engagements/{id}/seed`
   *
   * @param id Id of the engagement.
   * @returns How many were added.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.seed('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { reason: 'The customer asked for it.' });
   * ```
   */
  seed(id: string, body?: EngagementsSeedBody, options?: CallOptions): Promise<EngagementsSeedAnswer>;
  /**
   * Closes the current phase; with blockers only by `force`, which is recorded with them.
   *
   * `POST /engagements/{id}/advance`
   *
   * @param id Id of the engagement.
   * @returns What came of it; a refusal is an answer too.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.advance('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { force: true, reason: 'The customer accepts the open gate.' });
   * ```
   */
  advance(id: string, body: EngagementsAdvanceBody, options?: CallOptions): Promise<EngagementsAdvanceAnswer>;
  /**
   * Proposes files of a workspace as evidence; `attach` records them, or `only` some; statuses never change.
   *
   * `POST /engagements/{id}/scan`
   *
   * @param id Id of the engagement.
   * @returns What was found, and how many were attached: null when none were to be.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.scan('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { path: '/home/ada/archive', attach: true });
   * ```
   */
  scan(id: string, body?: EngagementsScanBody, options?: CallOptions): Promise<EngagementsScanAnswer>;
  /**
   * Every event of an engagement, newest last; `next` is where to go on, null at the end.
   *
   * `GET /engagements/{id}/history`
   *
   * @param id Id of the engagement.
   * @returns A page.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.history('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  history(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsHistoryQuery },
  ): Promise<EngagementsHistoryAnswer>;
  /**
   * Deliverables in the order they were added; `phase` filters, `at` answers as it was then.
   *
   * `GET /engagements/{id}/deliverables`
   *
   * @param id Id of the engagement.
   * @returns Deliverables.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.listDeliverables('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  listDeliverables(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsListDeliverablesQuery },
  ): Promise<EngagementsListDeliverablesAnswer>;
  /**
   * Adds a deliverable; one whose key exists is revised, its status, owner and evidence stay.
   *
   * `POST /engagements/{id}/deliverables`
   *
   * @param id Id of the engagement.
   * @returns The deliverable.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.addDeliverable('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { phase: 'discover', key: 'problem-statement', title: 'Problem statement' });
   * ```
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
   *
   * @param id Id of the engagement.
   * @param did Id of the deliverable.
   * @returns The id of what was updated.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.updateDeliverable('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { status: 'ready' });
   * ```
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
   *
   * @param id Id of the engagement.
   * @param did Id of the deliverable.
   * @returns Evidence.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.listEvidence('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
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
   *
   * @param id Id of the engagement.
   * @param did Id of the deliverable.
   * @returns The evidence.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.addEvidence('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { kind: 'file', label: 'Load test', reference: '/home/ada/archive/load-test.md' });
   * ```
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
   *
   * @param id Id of the engagement.
   * @param eid Id of the piece of evidence.
   * @returns Removed.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.deleteEvidence('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
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
   *
   * @param id Id of the engagement.
   * @returns Gates.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.listGates('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  listGates(
    id: string,
    options?: CallOptions & { readonly query?: EngagementsListGatesQuery },
  ): Promise<EngagementsListGatesAnswer>;
  /**
   * Adds a gate; without a measurement procedure there is none.
   *
   * `POST /engagements/{id}/gates`
   *
   * @param id Id of the engagement.
   * @returns The gate.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.addGate('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { phase: 'prove', title: 'Fast enough', criterion: 'p95 is below 200 ms.', measurement: 'Read p95 of a load test.' });
   * ```
   */
  addGate(id: string, body: EngagementsAddGateBody, options?: CallOptions): Promise<EngagementsAddGateAnswer>;
  /**
   * Records a verdict; earlier ones stay. A pass needs something observed.
   *
   * `POST /engagements/{id}/gates/{gid}/judge`
   *
   * @param id Id of the engagement.
   * @param gid Id of the gate.
   * @returns The gate.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.judgeGate('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { verdict: 'pass', observed: 'p95 is 140 ms.', rationale: 'Measured twice.' });
   * ```
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
   *
   * @param id Id of the engagement.
   * @param gid Id of the gate.
   * @returns Removed.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.deleteGate('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
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
   *
   * @param id Id of the engagement.
   * @returns The document.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.report('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  report(id: string, options?: CallOptions & { readonly query?: EngagementsReportQuery }): Promise<string>;
  /**
   * The handover pack; `at` answers as it was then.
   *
   * `GET /engagements/{id}/handover.md`
   *
   * @param id Id of the engagement.
   * @returns The document.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: No such thing, or not at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.handover('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  handover(id: string, options?: CallOptions & { readonly query?: EngagementsHandoverQuery }): Promise<string>;
  /**
   * All events of the engagement with their proofs, as one file that anybody can check offline.
   *
   * `GET /engagements/{id}/evidence.zip`
   *
   * @param id Id of the engagement.
   * @returns The bundle.
   * @throws DaybookError 400: More events than a bundle holds, or a wrong field.
   * @throws DaybookError 404: The log has no such events.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.engagements.evidenceBundle('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
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
   *
   * @returns The status.
   * @throws DaybookError 400: A wrong value, or settings that name no model.
   * @example
   * ```ts
   * const answer = await client.index.status();
   * ```
   */
  status(options?: CallOptions): Promise<IndexStatusAnswer>;
  /**
   * Builds the index of the workspace, embedding what changed; answers when it is written.
   *
   * `POST /index/build`
   *
   * @returns The index is on disk.
   * @throws DaybookError 400: A wrong value, or settings that name no model.
   * @throws DaybookError 500: The provider failed, or the index could not be written.
   * @throws DaybookError 503: The daemon is stopping.
   * @example
   * ```ts
   * const answer = await client.index.build({ provider: 'ollama' });
   * ```
   */
  build(body: IndexBuildBody, options?: CallOptions): Promise<IndexBuildAnswer>;
  /**
   * The chunks that answer `q` best, at most `k`, with every part of their score.
   *
   * `GET /index/search`
   *
   * @returns Best first. `notes` says when the index had to be built anew for this search.
   * @throws DaybookError 400: A wrong value, or settings that name no model.
   * @throws DaybookError 404: There is no index of this model.
   * @throws DaybookError 500: The provider failed.
   * @example
   * ```ts
   * const answer = await client.index.search({ query: { q: 'parser' } });
   * ```
   */
  search(options: CallOptions & { readonly query: IndexSearchQuery }): Promise<IndexSearchAnswer>;
  /**
   * A build as SSE: `idle` when there is none, else `building` with progress until `built` or `failed`.
   *
   * `GET /index/stream`
   *
   * @returns The stream; it ends with the build. Or: The stream has ended, and nothing follows this event.
   * @throws DaybookError 400: A wrong value, or settings that name no model.
   * @example
   * ```ts
   * for await (const event of client.index.stream()) console.log(event);
   * ```
   */
  stream(options?: StreamOptions & IndexStreamQuery): EventStream<BuildMessage>;
}

export interface EmbeddingsOperations {
  /**
   * Embedding providers with their models and availability, the chosen model, and what Ollama has here.
   *
   * `GET /embeddings/models`
   *
   * @returns The catalogue; unlisted models can be chosen too.
   * @example
   * ```ts
   * const answer = await client.embeddings.models();
   * ```
   */
  models(options?: CallOptions): Promise<EmbeddingsModelsAnswer>;
  /**
   * Vectors for texts, in their order, from the chosen model or the given one.
   *
   * `POST /embeddings/embed`
   *
   * @returns One vector a text; `dimension` is the length that was really returned, null without texts.
   * @throws DaybookError 400: Unknown provider, empty model, bad kind, too many texts, or no key.
   * @throws DaybookError 500: The provider failed.
   * @example
   * ```ts
   * const answer = await client.embeddings.embed({ texts: ['The parser fails on an empty line.'], kind: 'query' });
   * ```
   */
  embed(body: EmbeddingsEmbedBody, options?: CallOptions): Promise<EmbeddingsEmbedAnswer>;
}

export interface OfficeOperations {
  /**
   * The converter as it is now, freshly asked, and what it reads.
   *
   * `GET /office/soffice`
   *
   * @returns Its state.
   * @example
   * ```ts
   * const answer = await client.office.converter();
   * ```
   */
  converter(options?: CallOptions): Promise<OfficeConverterAnswer>;
  /**
   * Sets the program to use, after starting it once, or clears the setting with null.
   *
   * `PUT /office/soffice/path`
   *
   * @returns The state as it is now.
   * @throws DaybookError 400: path is missing or neither text nor null.
   * @throws DaybookError 403: path leads into a credential store.
   * @throws DaybookError 422: path does not start a converter; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.office.setConverterPath({ path: '/usr/bin/soffice' });
   * ```
   */
  setConverterPath(body: OfficeSetConverterPathBody, options?: CallOptions): Promise<OfficeSetConverterPathAnswer>;
  /**
   * Converts a document. The result is a file; the same input, target and engine answer it again.
   *
   * `POST /office/convert`
   *
   * @returns Where the result is.
   * @throws DaybookError 400: A field is missing or not allowed; unknown target.
   * @throws DaybookError 403: path leads into a credential store.
   * @throws DaybookError 404: There is no such input.
   * @throws DaybookError 413: The input has more than 100 MiB.
   * @throws DaybookError 422: The input is of no supported format, or cannot become the target.
   * @throws DaybookError 502: The converter left no usable output.
   * @throws DaybookError 503: No converter, or too many conversions wait; `soffice` tells its state.
   * @throws DaybookError 504: The conversion took longer than timeout_secs.
   * @example
   * ```ts
   * const answer = await client.office.convert({ path: '/home/ada/notes/report.docx', to: 'pdf' });
   * ```
   */
  convert(body: OfficeConvertBody, options?: CallOptions): Promise<OfficeConvertAnswer>;
}

export interface FilesOperations {
  /**
   * A text file of the workspace as PDF: markdown as it is meant, anything else with line numbers.
   *
   * `POST /api/vibedesk/files/export.pdf`
   *
   * @returns The document.
   * @throws DaybookError 400: path is missing or empty.
   * @throws DaybookError 403: path is outside the workspace or in a credential store.
   * @throws DaybookError 404: There is no such file.
   * @throws DaybookError 413: The file, or its PDF, exceeds a bound that the error names.
   * @throws DaybookError 415: The file is not text.
   * @throws DaybookError 503: Too many documents are waiting.
   * @throws DaybookError 504: The document takes too long to set.
   * @example
   * ```ts
   * const answer = await client.files.exportPdf({ path: '/home/ada/notes/report.md' });
   * ```
   */
  exportPdf(body: FilesExportPdfBody, options?: CallOptions): Promise<Uint8Array>;
}

export interface BriefingOperations {
  /**
   * Settings, the briefings so far, newest first, and how the routine does; `wait` answers when none runs.
   *
   * `GET /briefing`
   *
   * @returns As of now.
   * @throws DaybookError 400: An unknown field, a value that is not allowed, or half a pair.
   * @example
   * ```ts
   * const answer = await client.briefing.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: BriefingListQuery }): Promise<BriefingListAnswer>;
  /**
   * Changes what is named, for every briefing from now on.
   *
   * `PUT /briefing/settings`
   *
   * @returns The settings as they are now.
   * @throws DaybookError 400: An unknown field, a value that is not allowed, or half a pair.
   * @example
   * ```ts
   * const answer = await client.briefing.updateSettings({ enabled: true, time: '07:30', sections: ['runs', 'goals'] });
   * ```
   */
  updateSettings(body?: BriefingUpdateSettingsBody, options?: CallOptions): Promise<BriefingSettings>;
  /**
   * Begins a briefing now; what the body names holds for this one only.
   *
   * `POST /briefing/generate`
   *
   * @returns It is being made.
   * @throws DaybookError 400: An unknown field, a value that is not allowed, or half a pair.
   * @throws DaybookError 409: One is being made already: `id` names it. Or the Idempotency-Key was used with another body.
   * @example
   * ```ts
   * const answer = await client.briefing.generate({ enabled: true, time: '07:30', sections: ['runs', 'goals'] });
   * ```
   */
  generate(body?: BriefingGenerateBody, options?: CallOptions): Promise<BriefingGenerateAnswer>;
  /**
   * One briefing whole: its text, the facts behind it, and what the facts alone say.
   *
   * `GET /briefing/{id}`
   *
   * @param id Id of the briefing.
   * @returns The briefing.
   * @throws DaybookError 404: There is none with this id in the history.
   * @example
   * ```ts
   * const answer = await client.briefing.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Briefing>;
  /**
   * Reads markdown aloud, with the engine and the voice of the voice settings.
   *
   * `POST /briefing/speak`
   *
   * @returns A WAV file.
   * @throws DaybookError 400: There is nothing in it to say.
   * @throws DaybookError 413: More than 100000 characters, or more than is spoken at once.
   * @throws DaybookError 503: The chosen engine cannot speak; the error says what to install.
   * @example
   * ```ts
   * const answer = await client.briefing.speak({ text: 'The parser fails on an empty line.' });
   * ```
   */
  speak(body: BriefingSpeakBody, options?: CallOptions): Promise<Uint8Array>;
}

export interface RoomsOperations {
  /**
   * Opens a room; one that is open already stays as it is. Its text is the one it had.
   *
   * `POST /collab/rooms`
   *
   * @returns The room.
   * @throws DaybookError 400: No body, or an id no room can have.
   * @example
   * ```ts
   * const answer = await client.rooms.open({ room_id: 'standup' });
   * ```
   */
  open(body: RoomsOpenBody, options?: CallOptions): Promise<RoomsOpenAnswer>;
  /**
   * Ids of the open rooms: those somebody is in, and those that wait for the first to come.
   *
   * `GET /collab/rooms`
   *
   * @returns At most 10000, in no order.
   * @example
   * ```ts
   * const answer = await client.rooms.list();
   * ```
   */
  list(options?: CallOptions): Promise<readonly string[]>;
  /**
   * Who is in an open room.
   *
   * `GET /collab/rooms/{room_id}/peers`
   *
   * @param roomId The room.
   * @returns Its peers; none while it waits for the first.
   * @throws DaybookError 404: There is no such room, or it is closed: everybody has left.
   * @example
   * ```ts
   * const answer = await client.rooms.peers('standup');
   * ```
   */
  peers(roomId: string, options?: CallOptions): Promise<RoomsPeersAnswer>;
}

export interface VoiceOperations {
  /**
   * Writes a recording down: JSON with base64, or the audio itself with X-Voice-Language, X-Voice-Prefer-Local.
   *
   * `POST /voice/transcribe`
   *
   * @returns What was said, and whether the audio stayed on this machine.
   * @throws DaybookError 400: The body is empty, no JSON, or no base64.
   * @throws DaybookError 413: The body has more than 16 MB.
   * @throws DaybookError 415: The audio is of none of the seven types.
   * @throws DaybookError 503: No engine, or none that could do it; the text is guidance for the user.
   * @example
   * ```ts
   * const answer = await client.voice.transcribe({ audio_base64: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=' });
   * ```
   */
  transcribe(body?: VoiceTranscribeBody, options?: CallOptions): Promise<VoiceTranscribeAnswer>;
  /**
   * What can write audio down here. What is found out about the machine holds for a minute.
   *
   * `GET /voice/status`
   *
   * @returns can_transcribe is the field to branch on.
   * @example
   * ```ts
   * const answer = await client.voice.status();
   * ```
   */
  status(options?: CallOptions): Promise<VoiceStatus>;
  /**
   * The engine, its voices and languages, and the models that can answer.
   *
   * `GET /voice/settings`
   *
   * @returns The settings.
   * @example
   * ```ts
   * const answer = await client.voice.settings();
   * ```
   */
  settings(options?: CallOptions): Promise<VoiceSettings>;
  /**
   * Changes what is named. provider and model go together; both empty clears them.
   *
   * `PUT /voice/settings`
   *
   * @returns As now stored.
   * @throws DaybookError 400: Half a pair, an unknown engine, or one that cannot run here.
   * @example
   * ```ts
   * const answer = await client.voice.updateSettings({ engine: 'system', language: 'en' });
   * ```
   */
  updateSettings(body: VoiceUpdateSettingsBody, options?: CallOptions): Promise<VoiceUpdateSettingsAnswer>;
}

export interface PluginsOperations {
  /**
   * The components that are in force in a project, by kind, and the plugins that are not what was installed.
   *
   * `GET /api/vibedesk/plugins`
   *
   * @returns They were checked just now.
   * @throws DaybookError 400: path names no folder that may be used.
   * @example
   * ```ts
   * const answer = await client.plugins.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: PluginsListQuery }): Promise<PluginsListAnswer>;
  /**
   * Every plugin that can be installed, and how it stands in a project.
   *
   * `GET /api/vibedesk/plugins/catalog`
   *
   * @returns Bundles, then core plugins.
   * @throws DaybookError 400: path names no folder that may be used.
   * @example
   * ```ts
   * const answer = await client.plugins.catalog();
   * ```
   */
  catalog(options?: CallOptions & { readonly query?: PluginsCatalogQuery }): Promise<PluginsCatalogAnswer>;
  /**
   * Installs a plugin of the catalogue as a signed folder; a bundle with its members and connectors.
   *
   * `POST /api/vibedesk/plugins/install`
   *
   * @returns It is in its place, and on.
   * @throws DaybookError 400: No such plugin, already there without force, or it cannot be written.
   * @example
   * ```ts
   * const answer = await client.plugins.install({ name: 'core-test-first' });
   * ```
   */
  install(body: PluginsInstallBody, options?: CallOptions): Promise<PluginsInstallAnswer>;
  /**
   * Turns a plugin on or off, also one that is not installed.
   *
   * `POST /api/vibedesk/plugins/policy`
   *
   * @returns So it is now.
   * @throws DaybookError 400: Another policy than on or off, or the settings require the plugin.
   * @example
   * ```ts
   * const answer = await client.plugins.setPolicy({ name: 'core-test-first', policy: 'off' });
   * ```
   */
  setPolicy(body: PluginsSetPolicyBody, options?: CallOptions): Promise<PluginsSetPolicyAnswer>;
  /**
   * Removes a plugin’s folder and its policy. The members of a bundle stay.
   *
   * `POST /api/vibedesk/plugins/uninstall`
   *
   * @returns `removed` is false when there was nothing on the disk.
   * @throws DaybookError 400: The settings require the plugin, or its folder cannot be removed.
   * @example
   * ```ts
   * const answer = await client.plugins.uninstall({ name: 'core-test-first' });
   * ```
   */
  uninstall(body: PluginsUninstallBody, options?: CallOptions): Promise<PluginsUninstallAnswer>;
}

export interface ConnectorsOperations {
  /**
   * The connectors of a workspace in the order they were added, and the catalogue. Credentials by name only. `at` answers as it was then.
   *
   * `GET /api/vibedesk/connectors`
   *
   * @returns Connectors and catalogue.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.connectors.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: ConnectorsListQuery }): Promise<ConnectorsListAnswer>;
  /**
   * Configures a connector: of the catalogue by catalog_id, or one of your own by id and command.
   *
   * `POST /api/vibedesk/connectors`
   *
   * @returns What was configured.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @throws DaybookError 409: The workspace has as many connectors as it can have.
   * @throws DaybookError 503: Credentials cannot be kept or deleted; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.connectors.add({ catalog_id: 'filesystem', path: '/home/ada/notes' });
   * ```
   */
  add(body: ConnectorsAddBody, options?: CallOptions): Promise<ConnectorsAddAnswer>;
  /**
   * Enables or disables a connector; a disabled one is not launched and keeps its credentials.
   *
   * `POST /api/vibedesk/connectors/toggle`
   *
   * @returns As it is now.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.connectors.toggle({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', enabled: true });
   * ```
   */
  toggle(body: ConnectorsToggleBody, options?: CallOptions): Promise<ConnectorsToggleAnswer>;
  /**
   * Removes a connector and deletes its credentials.
   *
   * `POST /api/vibedesk/connectors/remove`
   *
   * @returns Whether there was one, and how many credentials were deleted.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @throws DaybookError 503: Credentials cannot be kept or deleted; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.connectors.remove({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  remove(body: ConnectorsRemoveBody, options?: CallOptions): Promise<ConnectorsRemoveAnswer>;
  /**
   * Launches the server, lists its tools and ends it, within 45 s, and when it is removed or disabled. Nothing is kept.
   *
   * `POST /api/vibedesk/connectors/probe`
   *
   * @returns What came of it.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @throws DaybookError 503: Too many probes run and wait already.
   * @example
   * ```ts
   * const answer = await client.connectors.probe({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  probe(body: ConnectorsProbeBody, options?: CallOptions): Promise<ConnectorsProbeAnswer>;
}

export interface McpOperations {
  /**
   * MCP over Streamable HTTP: messages of a client, answered as JSON or as a stream.
   *
   * `POST /mcp`
   *
   * @returns The answers, after notifications of progress. Or: The messages need no answer.
   * @throws DaybookError 400: No message of MCP, or a header that does not fit it.
   * @throws DaybookError 404: There is no such session: it has ended.
   * @throws DaybookError 406: The client does not accept what this route answers.
   * @throws DaybookError 415: The body is no JSON.
   * @throws DaybookError 429: There are too many sessions.
   * @example
   * ```ts
   * for await (const event of client.mcp.send({ jsonrpc: '2.0' })) console.log(event);
   * ```
   */
  send(body: McpSendBody, options?: StreamOptions): EventStream<McpSendEvent>;
  /**
   * The stream of messages that the server sends by itself; with `Last-Event-ID` one that was cut goes on.
   *
   * `GET /mcp`
   *
   * @returns The stream.
   * @throws DaybookError 400: No message of MCP, or a header that does not fit it.
   * @throws DaybookError 404: There is no such session: it has ended.
   * @throws DaybookError 406: The client does not accept what this route answers.
   * @throws DaybookError 409: The stream is open on another connection.
   * @example
   * ```ts
   * for await (const event of client.mcp.listen()) console.log(event);
   * ```
   */
  listen(options?: StreamOptions): EventStream<McpListenEvent>;
  /**
   * Ends an MCP session.
   *
   * `DELETE /mcp`
   *
   * @returns It has ended.
   * @throws DaybookError 400: No message of MCP, or a header that does not fit it.
   * @throws DaybookError 404: There is no such session: it has ended.
   * @throws DaybookError 406: The client does not accept what this route answers.
   * @example
   * ```ts
   * const answer = await client.mcp.endSession();
   * ```
   */
  endSession(options?: CallOptions): Promise<void>;
}

export interface PairingOperations {
  /**
   * Offers a pairing token: single use, five minutes, worth nothing until it is exchanged.
   *
   * `GET /pair`
   *
   * @returns The offer.
   * @example
   * ```ts
   * const answer = await client.pairing.offer();
   * ```
   */
  offer(options?: CallOptions): Promise<PairingOfferAnswer>;
  /**
   * Exchanges a pairing token for the bearer token; from another machine with the code shown at the daemon.
   *
   * `POST /pair`
   *
   * @returns The bearer token.
   * @throws DaybookError 401: Unknown, used or expired.
   * @throws DaybookError 403: The code from the daemon’s terminal is missing or wrong.
   * @example
   * ```ts
   * const answer = await client.pairing.exchange({ token: '3f9d2b7c6e1a4805b2c4d6e8f0a1b3c5' });
   * ```
   */
  exchange(body: PairingExchangeBody, options?: CallOptions): Promise<PairingExchangeAnswer>;
}

export interface DevexOperations {
  /**
   * The four delivery keys with band, sample size and proxy, and why the others are unmeasured.
   *
   * `GET /devex/dora`
   *
   * @returns The report.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.dora({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  dora(options: CallOptions & { readonly query: DevexDoraQuery }): Promise<DevexDoraAnswer>;
  /**
   * Practice maturity as far as files show it: a level of 0 to 3 per practice, with its signals.
   *
   * `GET /devex/practices`
   *
   * @returns The report.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.practices({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  practices(options: CallOptions & { readonly query: DevexPracticesQuery }): Promise<DevexPracticesAnswer>;
  /**
   * Signs of a prepared start, and who committed for the first time in the window.
   *
   * `GET /devex/onboarding`
   *
   * @returns The report.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.onboarding({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  onboarding(options: CallOptions & { readonly query: DevexOnboardingQuery }): Promise<DevexOnboardingAnswer>;
  /**
   * Delivery and practices together, with a grade over the keys that could be measured.
   *
   * `GET /devex/scorecard`
   *
   * @returns The scorecard.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.scorecard({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  scorecard(options: CallOptions & { readonly query: DevexScorecardQuery }): Promise<DevexScorecardAnswer>;
  /**
   * The five SPACE dimensions: what the history says about each, and which system knows the rest.
   *
   * `GET /devex/space`
   *
   * @returns The report.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.space({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  space(options: CallOptions & { readonly query: DevexSpaceQuery }): Promise<DevexSpaceAnswer>;
  /**
   * The scorecard as markdown.
   *
   * `GET /devex/scorecard.md`
   *
   * @returns Markdown.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.scorecardMarkdown({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  scorecardMarkdown(options: CallOptions & { readonly query: DevexScorecardMarkdownQuery }): Promise<string>;
  /**
   * The scorecard as a page with plots, to read and to print.
   *
   * `GET /devex/scorecard.html`
   *
   * @returns The page.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.scorecardPage({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  scorecardPage(options: CallOptions & { readonly query: DevexScorecardPageQuery }): Promise<string>;
  /**
   * The quarterly survey for what no repository knows, as markdown.
   *
   * `GET /devex/survey.md`
   *
   * @returns Markdown.
   * @throws DaybookError 400: A parameter is missing or wrong, or the path is in no repository.
   * @throws DaybookError 503: git is missing, or too many repositories are being measured.
   * @throws DaybookError 504: git did not finish in time.
   * @example
   * ```ts
   * const answer = await client.devex.survey({ query: { path: '/home/ada/notes/report.md' } });
   * ```
   */
  survey(options: CallOptions & { readonly query: DevexSurveyQuery }): Promise<string>;
}

export interface ModelsOperations {
  /**
   * The models that can be asked: the active one first, then local ones, then the catalogue.
   *
   * `GET /models`
   *
   * @returns The catalogue.
   * @example
   * ```ts
   * const answer = await client.models.list();
   * ```
   */
  list(options?: CallOptions): Promise<ModelsListAnswer>;
}

export interface AboutOperations {
  /**
   * What this daemon can do.
   *
   * `GET /v1/capabilities`
   *
   * @returns Capabilities by name.
   * @example
   * ```ts
   * const answer = await client.about.capabilities();
   * ```
   */
  capabilities(options?: CallOptions): Promise<AboutCapabilitiesAnswer>;
  /**
   * Where this daemon can be reached. It names no work in progress: the route is public.
   *
   * `GET /mobile/beacon`
   *
   * @returns The beacon.
   * @example
   * ```ts
   * const answer = await client.about.beacon();
   * ```
   */
  beacon(options?: CallOptions): Promise<AboutBeaconAnswer>;
  /**
   * The MCP card of this daemon.
   *
   * `GET /.well-known/mcp.json`
   *
   * @returns The card.
   * @example
   * ```ts
   * const answer = await client.about.mcpCard();
   * ```
   */
  mcpCard(options?: CallOptions): Promise<AboutMcpCardAnswer>;
  /**
   * The icon.
   *
   * `GET /favicon.svg`
   *
   * @returns SVG.
   * @example
   * ```ts
   * const answer = await client.about.favicon();
   * ```
   */
  favicon(options?: CallOptions): Promise<string>;
  /**
   * This interface as a page.
   *
   * `GET /docs`
   *
   * @returns The page.
   * @example
   * ```ts
   * const answer = await client.about.docs();
   * ```
   */
  docs(options?: CallOptions): Promise<string>;
  /**
   * A file of the page of this interface: `style.css` or `script.js`.
   *
   * `GET /docs/{name}`
   *
   * @param name Name of the file.
   * @returns The file.
   * @throws DaybookError 404: The page has no such file.
   * @example
   * ```ts
   * const answer = await client.about.docsFile('notes');
   * ```
   */
  docsFile(name: string, options?: CallOptions): Promise<string>;
  /**
   * This interface as an OpenAPI 3.1 document.
   *
   * `GET /openapi.json`
   *
   * @returns The document.
   * @example
   * ```ts
   * const answer = await client.about.openApi();
   * ```
   */
  openApi(options?: CallOptions): Promise<Json>;
  /**
   * The WebSocket channels and the event streams as an AsyncAPI 3 document.
   *
   * `GET /asyncapi.json`
   *
   * @returns The document.
   * @example
   * ```ts
   * const answer = await client.about.asyncApi();
   * ```
   */
  asyncApi(options?: CallOptions): Promise<Json>;
}

export interface LogOperations {
  /**
   * Envelopes after a position, by stream, type, actor, correlation and time (Unix milliseconds) if asked; `next` is where to go on, null at the head. With `before` they are those before that position, the newest first.
   *
   * `GET /v1/events`
   *
   * @returns A page.
   * @example
   * ```ts
   * const answer = await client.log.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: LogListQuery }): Promise<LogListAnswer>;
  /**
   * The same envelopes as SSE, `id:` = position: history, then live, for ever; of one stream or type if asked.
   *
   * `GET /v1/events/stream`
   *
   * @returns The stream.
   * @example
   * ```ts
   * for await (const event of client.log.events()) console.log(event);
   * ```
   */
  events(options?: StreamOptions & LogEventsQuery): EventStream<Envelope>;
  /**
   * Position, RFC 9162 tree hash and time of the newest event.
   *
   * `GET /v1/log/head`
   *
   * @returns The head.
   * @example
   * ```ts
   * const answer = await client.log.head();
   * ```
   */
  head(options?: CallOptions): Promise<LogHeadAnswer>;
  /**
   * Forgets every view and folds the log again; other routes answer 503 until it is done.
   *
   * `POST /v1/views/rebuild`
   *
   * @returns Rebuilt.
   * @throws DaybookError 503: The views cannot be written; says what to do.
   * @example
   * ```ts
   * const answer = await client.log.rebuildViews();
   * ```
   */
  rebuildViews(options?: CallOptions): Promise<LogRebuildViewsAnswer>;
  /**
   * Proof that the event at a position is in the tree of a size, also as `c2sp.org/tlog-proof@v1`.
   *
   * `GET /v1/log/proof`
   *
   * @returns The audit path, leaf first.
   * @throws DaybookError 400: A position the log does not have.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.log.proof({ query: { position: 1 } });
   * ```
   */
  proof(options: CallOptions & { readonly query: LogProofQuery }): Promise<InclusionProof>;
  /**
   * Proof that the tree of one size is a beginning of the tree of another.
   *
   * `GET /v1/log/consistency`
   *
   * @returns The consistency path.
   * @throws DaybookError 400: A position the log does not have.
   * @example
   * ```ts
   * const answer = await client.log.consistency({ query: { from: 1 } });
   * ```
   */
  consistency(options: CallOptions & { readonly query: LogConsistencyQuery }): Promise<ConsistencyProof>;
  /**
   * Signed checkpoints larger than `after`, of the newest 100 000; `next` is where to go on, null at the end.
   *
   * `GET /v1/log/checkpoints`
   *
   * @returns A page.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.log.checkpoints();
   * ```
   */
  checkpoints(options?: CallOptions & { readonly query?: LogCheckpointsQuery }): Promise<LogCheckpointsAnswer>;
  /**
   * The same of whatever has an id, of a stream, or of a range of positions.
   *
   * `GET /v1/evidence.zip`
   *
   * @returns The bundle.
   * @throws DaybookError 400: More events than a bundle holds, or a wrong field.
   * @throws DaybookError 404: The log has no such events.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.log.evidenceBundle();
   * ```
   */
  evidenceBundle(options?: CallOptions & { readonly query?: LogEvidenceBundleQuery }): Promise<Uint8Array>;
}

export interface TlogOperations {
  /**
   * The newest checkpoint: a signed note of size and root hash (c2sp.org/tlog-checkpoint).
   *
   * `GET /v1/tlog/checkpoint`
   *
   * @returns The note.
   * @throws DaybookError 503: The log is not signed; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.checkpoint();
   * ```
   */
  checkpoint(options?: CallOptions): Promise<string>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}`
   *
   * @param level Height of the tile; 0 is that of the leaf hashes.
   * @param n1 The first three digits of the number of the tile, or all; a partial tile ends with `.p` and its width.
   * @returns The hashes.
   * @throws DaybookError 404: No such tile, or not yet.
   * @example
   * ```ts
   * const answer = await client.tlog.tile1('level', 'n1');
   * ```
   */
  tile1(level: string, n1: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}/{n2}`
   *
   * @param level Height of the tile; 0 is that of the leaf hashes.
   * @param n1 The first three digits of the number of the tile, or all; a partial tile ends with `.p` and its width.
   * @param n2 Further digits of the number of the tile.
   * @returns The hashes.
   * @throws DaybookError 404: No such tile, or not yet.
   * @example
   * ```ts
   * const answer = await client.tlog.tile2('level', 'n1', 'n2');
   * ```
   */
  tile2(level: string, n1: string, n2: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}/{n2}/{n3}`
   *
   * @param level Height of the tile; 0 is that of the leaf hashes.
   * @param n1 The first three digits of the number of the tile, or all; a partial tile ends with `.p` and its width.
   * @param n2 Further digits of the number of the tile.
   * @param n3 Further digits of the number of the tile.
   * @returns The hashes.
   * @throws DaybookError 404: No such tile, or not yet.
   * @example
   * ```ts
   * const answer = await client.tlog.tile3('level', 'n1', 'n2', 'n3');
   * ```
   */
  tile3(level: string, n1: string, n2: string, n3: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * A tile of the tree: up to 256 hashes of 32 bytes (c2sp.org/tlog-tiles).
   *
   * `GET /v1/tlog/tile/{level}/{n1}/{n2}/{n3}/{n4}`
   *
   * @param level Height of the tile; 0 is that of the leaf hashes.
   * @param n1 The first three digits of the number of the tile, or all; a partial tile ends with `.p` and its width.
   * @param n2 Further digits of the number of the tile.
   * @param n3 Further digits of the number of the tile.
   * @param n4 Further digits of the number of the tile.
   * @returns The hashes.
   * @throws DaybookError 404: No such tile, or not yet.
   * @example
   * ```ts
   * const answer = await client.tlog.tile4('level', 'n1', 'n2', 'n3', 'n4');
   * ```
   */
  tile4(level: string, n1: string, n2: string, n3: string, n4: string, options?: CallOptions): Promise<Uint8Array>;
  /**
   * The verifier key of the log, that of this Daybook as a witness, and every change of the key.
   *
   * `GET /v1/log/key`
   *
   * @returns Public keys only.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.key();
   * ```
   */
  key(options?: CallOptions): Promise<TlogKeyAnswer>;
  /**
   * Replaces the key of the log; the change is recorded, signed by the old key and the new one.
   *
   * `POST /v1/log/key/rotate`
   *
   * @returns The new verifier key.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.rotateKey();
   * ```
   */
  rotateKey(options?: CallOptions): Promise<TlogRotateKeyAnswer>;
  /**
   * Has the newest checkpoint stamped by an RFC 3161 authority and records the response.
   *
   * `POST /v1/log/timestamps`
   *
   * @returns What was stamped, the time, and the response in Base64.
   * @throws DaybookError 502: The authority does not answer, or answers something else.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.timestamp({ authority: 'https://tsa.example.org/tsr' });
   * ```
   */
  timestamp(body?: TlogTimestampBody, options?: CallOptions): Promise<TlogTimestampAnswer>;
  /**
   * Cosigns a checkpoint of a trusted log that continues the one before it (c2sp.org/tlog-witness).
   *
   * `POST /v1/tlog/add-checkpoint`
   *
   * @returns The signature line of this witness.
   * @throws DaybookError 403: No trusted key of the log signed it, or a signature is wrong.
   * @throws DaybookError 404: The log is not trusted here.
   * @throws DaybookError 422: It does not continue the checkpoint that was cosigned before.
   * @throws DaybookError 503: The witness cannot cosign at the moment.
   * @example
   * ```ts
   * const answer = await client.tlog.addCheckpoint('any JSON');
   * ```
   */
  addCheckpoint(body?: TlogAddCheckpointBody, options?: CallOptions): Promise<string>;
  /**
   * The newest checkpoint of a trusted log that this witness cosigned.
   *
   * `GET /v1/tlog/witness/{origin_hash}/checkpoint`
   *
   * @param originHash SHA-256 of the origin of the log, hexadecimal.
   * @returns The cosigned note.
   * @throws DaybookError 404: No checkpoint of that log was cosigned.
   * @throws DaybookError 503: What was cosigned cannot be read.
   * @example
   * ```ts
   * const answer = await client.tlog.witnessed('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08');
   * ```
   */
  witnessed(originHash: string, options?: CallOptions): Promise<string>;
  /**
   * The witnesses that this log asks, the logs that it witnesses, and the forks that it saw.
   *
   * `GET /v1/log/witnesses`
   *
   * @returns What is set now.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.witnesses();
   * ```
   */
  witnesses(options?: CallOptions): Promise<TlogWitnessesAnswer>;
  /**
   * Adds a witness by its address and verifier key, and asks it.
   *
   * `POST /v1/log/witnesses`
   *
   * @returns What is set now.
   * @throws DaybookError 409: There are as many as there can be.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.addWitness({ url: 'http://127.0.0.1:7878', vkey: 'example.org/log+1fd7b933+BAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH' });
   * ```
   */
  addWitness(body: TlogAddWitnessBody, options?: CallOptions): Promise<TlogAddWitnessAnswer>;
  /**
   * Asks a witness no longer.
   *
   * `DELETE /v1/log/witnesses`
   *
   * @returns What is set now.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.removeWitness({ query: { vkey: 'vkey' } });
   * ```
   */
  removeWitness(options: CallOptions & { readonly query: TlogRemoveWitnessQuery }): Promise<TlogRemoveWitnessAnswer>;
  /**
   * Trusts a log: its checkpoints are cosigned here.
   *
   * `POST /v1/log/trusted`
   *
   * @returns What is set now.
   * @throws DaybookError 409: There are as many as there can be.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.trustLog({ vkey: 'example.org/log+338375d0+AQcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH' });
   * ```
   */
  trustLog(body: TlogTrustLogBody, options?: CallOptions): Promise<TlogTrustLogAnswer>;
  /**
   * Trusts a log no longer. What was cosigned for it stays remembered.
   *
   * `DELETE /v1/log/trusted`
   *
   * @returns What is set now.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.distrustLog({ query: { vkey: 'vkey' } });
   * ```
   */
  distrustLog(options: CallOptions & { readonly query: TlogDistrustLogQuery }): Promise<TlogDistrustLogAnswer>;
}

export interface StorageOperations {
  /**
   * Begins a backup, a verified backup, a compaction or a verification; one at a time.
   *
   * `POST /v1/storage/operations`
   *
   * @returns It runs; ask for it by its id.
   * @throws DaybookError 400: What was asked makes no sense for this store.
   * @throws DaybookError 409: Another operation runs.
   * @example
   * ```ts
   * const answer = await client.storage.startOperation({ kind: 'backup', to: '/home/ada/backup' });
   * ```
   */
  startOperation(body: StorageStartOperationBody, options?: CallOptions): Promise<StorageOperation>;
  /**
   * An operation, after `wait` milliseconds or once it has ended.
   *
   * `GET /v1/storage/operations/{id}`
   *
   * @param id Id of the operation.
   * @returns How far it is, and what came of it.
   * @throws DaybookError 404: No such operation; the latest ones are remembered.
   * @example
   * ```ts
   * const answer = await client.storage.getOperation('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  getOperation(
    id: string,
    options?: CallOptions & { readonly query?: StorageGetOperationQuery },
  ): Promise<StorageOperation>;
  /**
   * Figures of the store: sizes, cache, write-ahead log, levels, head.
   *
   * `GET /v1/storage/stats`
   *
   * @returns As of now.
   * @example
   * ```ts
   * const answer = await client.storage.stats();
   * ```
   */
  stats(options?: CallOptions): Promise<StorageStats>;
  /**
   * Gives the block cache of the lsm engine another size, at once.
   *
   * `POST /v1/storage/cache`
   *
   * @returns The new size.
   * @throws DaybookError 400: What was asked makes no sense for this store.
   * @example
   * ```ts
   * const answer = await client.storage.resizeCache({ block_cache_mb: 64 });
   * ```
   */
  resizeCache(body: StorageResizeCacheBody, options?: CallOptions): Promise<StorageResizeCacheAnswer>;
}

export interface NodesOperations {
  /**
   * The daemons of this log, the one that answers first: the folders whose runs each takes (none: all), the runs that it executes, and the position that its views have folded.
   *
   * `GET /v1/nodes`
   *
   * @returns At least the daemon itself.
   * @example
   * ```ts
   * const answer = await client.nodes.list();
   * ```
   */
  list(options?: CallOptions): Promise<NodesListAnswer>;
}

export interface MetricsOperations {
  /**
   * What was measured since `from` (Unix milliseconds; an hour ago), in at most `points` points.
   *
   * `GET /v1/metrics/history`
   *
   * @returns The points.
   * @example
   * ```ts
   * const answer = await client.metrics.history();
   * ```
   */
  history(options?: CallOptions & { readonly query?: MetricsHistoryQuery }): Promise<MetricsHistory>;
}

export interface WebOperations {
  /**
   * The console, in a browser.
   *
   * `GET /web`
   *
   * @returns The page.
   * @example
   * ```ts
   * const answer = await client.web.console();
   * ```
   */
  console(options?: CallOptions): Promise<string>;
  /**
   * A script of the console.
   *
   * `GET /web/scripts/{name}`
   *
   * @param name Name of the script.
   * @returns The file.
   * @throws DaybookError 404: No such file in this build.
   * @example
   * ```ts
   * const answer = await client.web.script('notes');
   * ```
   */
  script(name: string, options?: CallOptions): Promise<string>;
  /**
   * The style sheet of the console.
   *
   * `GET /web/styles/{name}`
   *
   * @param name Name of the style.
   * @returns The file.
   * @throws DaybookError 404: No such file in this build.
   * @example
   * ```ts
   * const answer = await client.web.style('notes');
   * ```
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
    /** Unix time in seconds. */
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
    /** Memories in the memory, drawers not counted. */
    readonly total_memories: number;
    readonly drawer_count: number;
    readonly encryption_enabled: boolean;
    /** `warming`: some entries cannot be found yet. `locked`: the key is missing. */
    readonly status?: 'warming' | 'locked';
    /** Without the error: a provider may repeat a text in it. */
    readonly embedding?: {
      /** null when the settings name no provider that exists. */
      readonly provider: string | null;
      readonly model: string | null;
      /** As measured from an answer of the model; null before the first one. */
      readonly dimension: number | null;
      /** Entries (memories and drawers) with a vector of this model. */
      readonly embedded: number;
      /** All entries. */
      readonly total: number;
      /** `complete`: the model was asked for every entry. `embedding`: under way. `waiting`: the provider failed and is tried again. `loading`: vectors are read from disk. `locked`: texts cannot be read. `misconfigured`: the settings allow no request. */
      readonly state: 'complete' | 'embedding' | 'waiting' | 'loading' | 'locked' | 'misconfigured';
      /** Entries that the provider refuses; they keep their built-in vector. Absent when there are none. */
      readonly skipped?: number;
    };
  };
  readonly checkpoints: {
    readonly size: number | null;
    /** Unix time in milliseconds. */
    readonly at: number | null;
    readonly witnesses: {
      /** Witnesses that have to sign a checkpoint. */
      readonly needed: number;
      /** Witnesses that signed the newest checkpoint. */
      readonly cosigned: number;
      /** Fewer witnesses than needed signed. */
      readonly missing: boolean;
    };
    readonly warning: string | null;
  };
  readonly log: {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    readonly backend: string;
    readonly failure: string | null;
  };
  readonly views: {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    readonly unavailable: string | null;
  };
  /** Seconds since the start of the daemon. */
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
  /** What the agent is asked to do. */
  readonly task: string;
  /** The approval policy: which tools run without asking. */
  readonly approval?: string | null;
  /** Ask a person about gated tools instead of rejecting them. */
  readonly interactive?: boolean | null;
  /** How often a run that has used up its steps gets as many again. */
  readonly max_step_extensions?: number | null;
  /** Absent: the selected one. */
  readonly provider?: string | null;
  /** Absent: that of the provider. */
  readonly model?: string | null;
  readonly mode?: string | null;
  /** Folder in which the agent works. */
  readonly workspace_root?: string | null;
  /** Another name of `workspace_root`. */
  readonly project_path?: string | null;
  /** Another name of `workspace_root`. */
  readonly cwd?: string | null;
  readonly reasoning?: string | null;
  /** Continues this run, with its conversation and its folder. */
  readonly resume_session_id?: string | null;
  /** The id of the new run, for a caller that must know it beforehand; one that exists is 409. */
  readonly session_id?: string | null;
  readonly context_request?: {
    readonly kind?: 'Chat' | 'CodingAgent' | 'ResearchAgent' | 'BackgroundJob' | null;
    readonly openmemory_enabled?: boolean | null;
    readonly openmemory_auto_inject?: boolean | null;
  } | null;
};

export type AgentEvent = {
  readonly type: 'user' | 'chunk' | 'step' | 'system' | 'retry' | 'complete' | 'partial' | 'error';
  /** Text: of the model, of the user or about the run. */
  readonly content?: string;
  /** Number of the tool call, from 1. */
  readonly step_num?: number;
  /** Name of the tool. */
  readonly tool_name?: string;
  /** Whether the tool call succeeded. */
  readonly success?: boolean;
  /** Tool calls that have ended. */
  readonly steps_completed?: number;
  /** Steps of the plan. */
  readonly steps_planned?: number;
  /** Planned steps that are left. */
  readonly remaining_plan?: readonly string[];
  /** The attempt that failed, from 0. */
  readonly attempt?: number;
  /** Attempts that a model call has. */
  readonly max_attempts?: number;
  /** Milliseconds. */
  readonly backoff_ms?: number;
  /** Set on the `system` event of a tool call that waits for this approval. */
  readonly approval_id?: string;
};

export type Approval = {
  readonly id: string;
  /** The run. */
  readonly session_id: string;
  /** Name of the tool. */
  readonly tool_name: string;
  readonly input: Json;
  /** Unix time in milliseconds. */
  readonly requested_at: number;
  /** Unix time in milliseconds. */
  readonly expires_at: number;
  readonly status: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';
  readonly decision: 'allow_once' | 'allow_run' | 'deny' | null;
  readonly reason: string | null;
  /** Unix time in milliseconds. */
  readonly decided_at: number | null;
};

export type JobRecord = {
  /** The run. */
  readonly session_id: string;
  /** What the agent is asked to do. */
  readonly task: string;
  /** `partial`: it ended with planned steps left. */
  readonly status: 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  /** Who answers. */
  readonly provider: string;
  /** Unix time in milliseconds. */
  readonly started_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  /** What it did, or why it failed; null before its end. */
  readonly summary: string | null;
  /** The model that answers. */
  readonly model: string;
  /** The approval policy: which tools run without asking. */
  readonly approval: string;
  /** Folder in which agents work. */
  readonly workspace: string;
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Unix time in milliseconds. */
  readonly queued_at: number;
  /** Why it was cancelled; null when it was not. */
  readonly cancellation_reason: string | null;
  /** Tool calls that have ended. */
  readonly steps_completed: number;
  /** Tokens of the model calls so far. */
  readonly tokens_used: number;
  /** Files that the run changed. */
  readonly files_modified: readonly string[];
  /** The run that this one continues; null for a run of its own. */
  readonly parent_session_id: string | null;
  /** The daemon that executes it at this moment; where several daemons are set. */
  readonly node?: {
    readonly id: string;
    readonly name: string;
  } | null;
  /** Why no daemon executes it; where several daemons, or some folders, are set. */
  readonly waiting?: string | null;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type AsOf = {
  readonly asked: string;
  /** Position in the log; the first event has 1. */
  readonly position: number;
  /** Unix time in milliseconds. */
  readonly at: number | null;
  /** RFC 9162 leaf hash of the event, hexadecimal. */
  readonly leaf_hash: string | null;
};

export type Replay = {
  /** The run. */
  readonly session_id: string;
  readonly identical: boolean;
  readonly events: number;
  readonly effects: number;
  readonly divergence: {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    readonly version: number;
    readonly field: string;
    readonly recorded: Json;
    readonly replayed: Json;
  } | null;
};

export type Session = {
  readonly id: string;
  /** What the agent is asked to do. */
  readonly task: string;
  readonly provider: string;
  readonly model: string;
  /** Unix time in milliseconds. */
  readonly started_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  /** `partial`: it ended with planned steps left. */
  readonly status: 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly summary: string | null;
  /** Tool calls so far. */
  readonly step_count: number;
  /** The run that this one continues; null for a run of its own. */
  readonly parent_session_id: string | null;
  /** How many runs it descends from. */
  readonly depth: number;
  /** Folder of the project. */
  readonly project_path: string | null;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type AcpTask = {
  readonly id: string;
  readonly status: 'pending' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly summary: string;
  /** Files that the run changed. */
  readonly files_modified: readonly string[];
  /** Tool calls that have ended. */
  readonly steps_completed: number;
};

export type Delivery = {
  readonly id: string;
  readonly delivery_id: string | null;
  readonly kind: 'forge' | 'skill';
  readonly event: string | null;
  readonly status: 'ignored' | 'pending' | 'reviewed' | 'failed' | 'triggered';
  /** The pull request; of an ignored delivery the action alone. */
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
  /** The run. */
  readonly session_id: string | null;
  /** Bytes of the received body. */
  readonly body_length: number;
  /** Hexadecimal. */
  readonly body_sha256: string;
  /** Unix time in milliseconds. */
  readonly received_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
};

export type ForgeRequest = {
  readonly action: string;
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly head: {
    /** Hash of the commit. */
    readonly sha: string;
    readonly ref: string;
  };
  readonly base: {
    /** Hash of the commit. */
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
  /** The pull request; of an ignored delivery the action alone. */
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
  /** The run. */
  readonly session_id: string | null;
  /** Bytes of the received body. */
  readonly body_length: number;
  /** Hexadecimal. */
  readonly body_sha256: string;
  /** Unix time in milliseconds. */
  readonly received_at: number;
  /** Unix time in milliseconds. */
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
      /** The diff exceeds the limit; files after the cut are in no list. */
      readonly diff_cut: boolean;
    };
    readonly source: 'diff_url' | 'git';
    /** Size in bytes. */
    readonly diff_bytes: number;
    /** Hexadecimal. */
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
  /** The run. */
  readonly session_id: string;
  /** Folder of the project. */
  readonly project_path: string;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
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
  /** Most tokens of an answer. */
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  /** Lets the model ask for several tools at once. */
  readonly parallel_tool_calls?: boolean;
  /** Tokens for reasoning, by its effort. */
  readonly thinking_budgets?: {
    readonly low?: number;
    readonly medium?: number;
    readonly high?: number;
    readonly xhigh?: number;
  };
  /** Tokens of the context window where the provider does not say. */
  readonly context_window_fallback?: number;
  /** Stands at the end of the system prompt. */
  readonly system_prompt_suffix?: string;
};

export type HarnessPatch = {
  /** Tools of the provider, or calls written as text. */
  readonly tool_transport?: 'native' | 'prose';
  /** How much the system prompt says. */
  readonly prompt_dialect?: 'full' | 'compact';
  /** Marks the prompt for the cache of the provider. */
  readonly prompt_cache?: boolean;
  /** Most tokens of an answer. */
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  /** Lets the model ask for several tools at once. */
  readonly parallel_tool_calls?: boolean;
  /** Tokens for reasoning, by its effort. */
  readonly thinking_budgets?: {
    readonly low?: number;
    readonly medium?: number;
    readonly high?: number;
    readonly xhigh?: number;
  };
  /** Tokens of the context window where the provider does not say. */
  readonly context_window_fallback?: number;
  /** Stands at the end of the system prompt. */
  readonly system_prompt_suffix?: string;
};

export type FoundMemory = {
  readonly id: string;
  readonly content: string;
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** How much it counts, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  readonly pinned: boolean;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** The higher, the better it fits. */
  readonly score: number;
  /** How near the two texts are, 0 to 1. */
  readonly similarity: number;
  /** Part of the score that comes of words. */
  readonly lexical: number;
  /** Part of the score that comes of vectors. */
  readonly vector: number;
  /** Part of the score that comes of age. */
  readonly recency: number;
  /** Part of the score that comes of links to other found memories. */
  readonly waypoint: number;
  /** Part of the score that comes of the sector. */
  readonly sector_match: number;
};

export type FoundDrawer = {
  readonly id: string;
  readonly content: string;
  /** The part of the memory that belongs to one project. */
  readonly wing: string;
  readonly room: string;
  readonly source: string;
  /** SHA-256 of the content, hexadecimal. */
  readonly content_hash: string;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** The text it is a piece of. */
  readonly text_id: string;
  /** Its number in the text, from 0. */
  readonly index: number;
  /** Its first character in the text, from 0. */
  readonly start: number;
  /** The drawer (or the recalled entry) whose words it repeats. Such a piece is no drawer and in no count. */
  readonly duplicate_of: string | null;
  /** How near the two texts are, 0 to 1. */
  readonly similarity: number;
};

export type VectorsUsed = {
  readonly provider: string | null;
  readonly model: string | null;
  /** Whether the model's vectors had a part in the answer; if not, the built-in ones had. */
  readonly used: boolean;
  readonly fallback_reason?: string;
};

export type Memory = {
  readonly id: string;
  readonly content: string;
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** How much it counts, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  readonly pinned: boolean;
  /** Unix time in milliseconds. */
  readonly created_at: number;
};

export type VectorStatus = {
  /** null when the settings name no provider that exists. */
  readonly provider: string | null;
  readonly model: string | null;
  /** As measured from an answer of the model; null before the first one. */
  readonly dimension: number | null;
  /** Entries (memories and drawers) with a vector of this model. */
  readonly embedded: number;
  /** All entries. */
  readonly total: number;
  /** `complete`: the model was asked for every entry. `embedding`: under way. `waiting`: the provider failed and is tried again. `loading`: vectors are read from disk. `locked`: texts cannot be read. `misconfigured`: the settings allow no request. */
  readonly state: 'complete' | 'embedding' | 'waiting' | 'loading' | 'locked' | 'misconfigured';
  /** Entries that the provider refuses; they keep their built-in vector. Absent when there are none. */
  readonly skipped?: number;
  /** The last failure of the provider or of the disk. */
  readonly error?: string;
};

export type ExportedMemory = {
  readonly id: string;
  readonly content: string;
  readonly primary_sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Other sectors that it shows signs of, with their shares. */
  readonly secondary_sectors: readonly (readonly (
    | 'episodic'
    | 'semantic'
    | 'procedural'
    | 'emotional'
    | 'reflective'
    | number
  )[])[];
  /** Words to find it by. */
  readonly tags: readonly string[];
  readonly meta: { readonly [key: string]: string };
  /** How much it counts, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Rate per day at which the salience decays. */
  readonly decay_lambda: number;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
  readonly updated_at: number;
  /** Unix time in milliseconds. */
  readonly last_seen_at: number;
  readonly version: number;
  /** Whose it is. */
  readonly user_id: string;
  /** The project that it belongs to. */
  readonly project_id: string | null;
  /** The run. */
  readonly session_id: string | null;
  readonly pinned: boolean;
};

export type Fact = {
  readonly id: string;
  /** What the fact is about. */
  readonly subject: string;
  /** What the fact says of the subject. */
  readonly predicate: string;
  /** The value that the fact gives. */
  readonly object: string;
  /** Unix time in seconds from which the fact holds. */
  readonly valid_from: number;
  /** Unix time in seconds until which the fact holds; null while it holds. */
  readonly valid_to: number | null;
  /** How sure it is, 0 to 1. */
  readonly confidence: number;
  /** Unix seconds at which the fact was recorded. */
  readonly recorded_at: number;
};

export type Drawer = {
  readonly id: string;
  readonly content: string;
  /** The part of the memory that belongs to one project. */
  readonly wing: string;
  readonly room: string;
  readonly source: string;
  /** SHA-256 of the content, hexadecimal. */
  readonly content_hash: string;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** The text it is a piece of. */
  readonly text_id: string;
  /** Its number in the text, from 0. */
  readonly index: number;
  /** Its first character in the text, from 0. */
  readonly start: number;
  /** The drawer (or the recalled entry) whose words it repeats. Such a piece is no drawer and in no count. */
  readonly duplicate_of: string | null;
};

export type MemoryDetail = {
  readonly id: string;
  readonly content: string;
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** How much it counts, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  readonly pinned: boolean;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  readonly effective_salience: number;
  readonly stored_salience: number;
  /** Rate per day at which the salience decays. */
  readonly decay_lambda: number;
  /** Other sectors that it shows signs of, with their shares. */
  readonly secondary_sectors: readonly (readonly (
    | 'episodic'
    | 'semantic'
    | 'procedural'
    | 'emotional'
    | 'reflective'
    | number
  )[])[];
  /** Names and texts of the caller. */
  readonly metadata: { readonly [key: string]: string };
  /** Unix time in milliseconds. */
  readonly updated_at: number;
  /** Unix time in milliseconds. */
  readonly last_seen_at: number;
  readonly version: number;
  /** Whose it is. */
  readonly user_id: string;
  /** The project that it belongs to. */
  readonly project_id: string | null;
  /** The run. */
  readonly session_id: string | null;
  readonly encrypted: boolean;
  /** Unix time in milliseconds. */
  readonly recalled_at: number | null;
  readonly recalls: number;
  readonly waypoint_count: number;
  readonly waypoints: readonly {
    /** The memory that the link begins at. */
    readonly src_id: string;
    /** The memory that the link leads to. */
    readonly dst_id: string;
    readonly kind: string;
    /** Strength of the link. */
    readonly weight: number;
    /** Unix time in milliseconds. */
    readonly created_at: number;
    /** Unix time in milliseconds. */
    readonly updated_at: number;
    /** The two memories are of different sectors. */
    readonly cross_sector: boolean;
    /** The two memories are of different projects. */
    readonly cross_project: boolean;
  }[];
  readonly events: readonly {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    readonly version: number;
    readonly id: string;
    readonly type: string;
    /** Unix time in milliseconds. */
    readonly at: number;
    /** Who caused the event: `owner`, `system`, `agent:<run>` and so on. */
    readonly actor: string;
    /** RFC 9162 leaf hash of the event, hexadecimal. */
    readonly leaf_hash: string;
    /** What the event says, by its type; null once it is erased. */
    readonly data: Json;
    /** Present when the data of the event were erased for good. */
    readonly erased?: true;
  }[];
};

export type Goal = {
  readonly id: string;
  /** Folder in which agents work. */
  readonly workspace: string | null;
  readonly title: string;
  readonly statement: string;
  readonly status: 'active' | 'paused' | 'done' | 'abandoned';
  /** How it is known that the goal is reached. */
  readonly success_criteria: readonly string[];
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** RFC 3339 time. */
  readonly created_at: string;
  /** RFC 3339 time. */
  readonly updated_at: string;
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id: string | null;
  readonly current_plan: GoalPlan | null;
  readonly schema_version: number;
};

export type GoalPlan = {
  readonly goal: string;
  readonly steps: readonly {
    /** From 1. */
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
  /** The goal. */
  readonly goal_id: string;
  readonly kind: 'session' | 'job' | 'recap' | 'note';
  /** What is linked. */
  readonly target_id: string;
  /** RFC 3339 time. */
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
  /** The phase that the engagement is in. */
  readonly current_phase: 'discover' | 'prove' | 'build' | 'operate';
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
  readonly updated_at: number;
};

export type Blocker = {
  readonly kind:
    | 'deliverable_without_evidence'
    | 'deliverable_outstanding'
    | 'gate_not_measured'
    | 'gate_pending'
    | 'gate_failed';
  /** A deliverable's key or a gate's id. */
  readonly subject: string;
  readonly detail: string;
};

export type Deliverable = {
  readonly id: string;
  /** The engagement. */
  readonly engagement_id: string;
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly status: 'not_started' | 'in_progress' | 'ready' | 'accepted' | 'waived';
  readonly owner: string | null;
  /** The tool that produces it. */
  readonly tool_hint: string | null;
  readonly notes: string;
  /** Pieces of evidence that are attached. */
  readonly evidence_count: number;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
  readonly updated_at: number;
};

export type Gate = {
  readonly id: string;
  /** The engagement. */
  readonly engagement_id: string;
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly title: string;
  /** What has to hold for the gate to pass. */
  readonly criterion: string;
  /** How it is measured whether the criterion holds. */
  readonly measurement: string;
  /** What was measured. */
  readonly observed: string | null;
  /** Whether the gate passes. */
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  /** Why the verdict is this one. */
  readonly rationale: string;
  /** Who judged. */
  readonly decided_by: string | null;
  /** Unix time in milliseconds. */
  readonly decided_at: number | null;
  /** Every verdict so far, oldest first, the one in force last. */
  readonly judgements: readonly Judgement[];
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
  readonly updated_at: number;
};

export type Judgement = {
  /** Whether the gate passes. */
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  /** What was measured. */
  readonly observed: string | null;
  /** Why the verdict is this one. */
  readonly rationale: string;
  /** Who judged. */
  readonly decided_by: string | null;
  /** The sender of the command, who need not be the author of the verdict. */
  readonly recorded_by: string;
  /** Unix time in milliseconds. */
  readonly at: number;
};

export type IndexHeader = {
  readonly format_version: number;
  readonly model: EmbeddingChoice;
  readonly dimension: number | null;
  /** Pieces of text. */
  readonly chunk_count: number;
  /** Files. */
  readonly file_count: number;
  /** Unix time in milliseconds. */
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
  /** The higher, the better it fits. */
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
  /** Made by itself at `time` on `days`. */
  readonly enabled: boolean;
  /** HH:MM on the clocks of `timezone`. */
  readonly time: string;
  /** Days of the week. */
  readonly days: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  /** IANA name; null is the machine's own. */
  readonly timezone: string | null;
  /** Parts of the briefing. */
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
  /** Both or neither; null is the daemon's own model. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly language: string;
  readonly length: 'short' | 'medium' | 'long';
  /** Restricts the briefing to this folder; null for all folders. */
  readonly workspace: string | null;
  /** Folders of git repositories; empty is the workspace's. */
  readonly repositories: readonly string[];
  /** Covers so many hours; null is all since the briefing before. */
  readonly hours: number | null;
  /** Briefings in the history. */
  readonly keep: number;
};

export type BriefingEntry = {
  readonly id: string;
  readonly status: 'running' | 'written' | 'failed';
  readonly trigger: 'asked' | 'scheduled';
  /** The scheduled time in Unix milliseconds; null without one. */
  readonly scheduled_for: number | null;
  /** Unix time in milliseconds. */
  readonly requested_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  readonly from_position: number | null;
  readonly to_position: number | null;
  /** One sentence that says the most important. */
  readonly headline: string | null;
  readonly markdown: string | null;
  readonly writer: {
    readonly kind: 'model' | 'computed';
    readonly provider: string | null;
    readonly model: string | null;
  } | null;
  /** Sentences of the model that the facts do not support; they are not in `markdown`. */
  readonly dropped: readonly string[];
  /** Notes for the reader about the making of the briefing. */
  readonly notes: readonly string[];
  readonly error: string | null;
};

export type Briefing = {
  readonly id: string;
  readonly status: 'running' | 'written' | 'failed';
  readonly trigger: 'asked' | 'scheduled';
  /** The scheduled time in Unix milliseconds; null without one. */
  readonly scheduled_for: number | null;
  /** Unix time in milliseconds. */
  readonly requested_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  readonly from_position: number | null;
  readonly to_position: number | null;
  /** One sentence that says the most important. */
  readonly headline: string | null;
  readonly markdown: string | null;
  readonly writer: {
    readonly kind: 'model' | 'computed';
    readonly provider: string | null;
    readonly model: string | null;
  } | null;
  /** Sentences of the model that the facts do not support; they are not in `markdown`. */
  readonly dropped: readonly string[];
  /** Notes for the reader about the making of the briefing. */
  readonly notes: readonly string[];
  readonly error: string | null;
  readonly stage: 'waiting' | 'gathering' | 'writing' | null;
  readonly settings: BriefingSettings;
  readonly computed_markdown: string | null;
  readonly facts: BriefingFacts | null;
};

export type BriefingFacts = {
  readonly period: {
    /** The first and the last covered event; `from_position` is one more than the last position when no event is covered. */
    readonly from_position: number;
    readonly to_position: number;
    /** RFC 9162 tree hash of the log up to `to_position`. */
    readonly tree_hash: string;
    /** Unix milliseconds. */
    readonly from: number;
    readonly to: number;
    /** The previous briefing, at whose end this one begins. */
    readonly previous: string | null;
    /** The period has too many events; only the newest are covered. */
    readonly is_cut: boolean;
  };
  /** IANA name of the time zone. */
  readonly timezone: string;
  /** The scheduled time in Unix milliseconds; null without one. */
  readonly scheduled_for: number | null;
  readonly late_minutes: number;
  /** Folder in which agents work. */
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
      /** An id, or empty for kinds that need none. */
      readonly ref: string;
      readonly text: string;
      /** Position in the log; the first event has 1. */
      readonly position: number | null;
    }[];
    /** How many more there are than the listed ones. */
    readonly more: number;
  };
  readonly runs?: {
    readonly items: readonly {
      /** The run. */
      readonly session_id: string;
      readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
      /** What the agent is asked to do. */
      readonly task: string;
      /** The run's summary, or the reason for its failure. */
      readonly summary: string;
      /** Folder in which agents work. */
      readonly workspace: string;
      readonly steps: number;
      /** Files that the run changed. */
      readonly files_modified: number;
      /** Planned steps that are not done. */
      readonly remaining: number;
      /** Unix time in milliseconds. */
      readonly ended_at: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** How many more there are than the listed ones. */
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
      /** The run. */
      readonly session_id: string;
      /** Name of the tool. */
      readonly tool_name: string;
      /** What the agent is asked to do. */
      readonly task: string;
      /** Unix time in milliseconds. */
      readonly requested_at: number;
      /** Unix time in milliseconds. */
      readonly expires_at: number;
      /** Null when it was requested before the period. */
      readonly position: number | null;
    }[];
    /** How many more there are than the listed ones. */
    readonly more: number;
    readonly asked: number;
    readonly allowed: number;
    readonly denied: number;
    readonly expired: number;
  };
  readonly goals?: {
    readonly items: readonly {
      readonly id: string;
      /** Null for one that is deleted. */
      readonly title: string | null;
      readonly status: string;
      readonly changes: readonly ('created' | 'revised' | 'planned' | 'linked' | 'deleted')[];
      readonly links: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** How many more there are than the listed ones. */
    readonly more: number;
    readonly active: number;
  };
  readonly engagements?: {
    readonly items: readonly {
      readonly id: string;
      /** Null for one that is removed. */
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
        /** Whether the gate passes. */
        readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
      }[];
      readonly evidence_added: number;
      readonly evidence_removed: number;
      readonly deliverables_changed: number;
      /** Of the current phase. */
      readonly deliverables_accepted: number;
      readonly deliverables_total: number;
      /** What keeps the phase from ending. */
      readonly blockers: number;
      readonly gates_failed: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** How many more there are than the listed ones. */
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
        /** Position in the log; the first event has 1. */
        readonly position: number;
      }[];
      /** How many more there are than the listed ones. */
      readonly more: number;
    };
    /** Memories in the memory, drawers not counted. */
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
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** How many more there are than the listed ones. */
    readonly more: number;
    readonly reviewed: number;
    readonly failed: number;
    readonly findings: number;
  };
  /** Folders of git repositories. */
  readonly repositories?: readonly {
    readonly path: string;
    readonly commits: number;
    readonly merges: number;
    readonly authors: number;
    /** Commits that took back something. */
    readonly remediations: number;
    /** Git tags of the period. */
    readonly tags: readonly string[];
    readonly head: string | null;
    /** Why it could not be read. */
    readonly error: string | null;
  }[];
  readonly index?: {
    readonly provider: string | null;
    readonly model: string | null;
    readonly chunks: number | null;
    readonly files: number | null;
    /** Unix time in milliseconds. */
    readonly built_at: number | null;
    readonly builds: number;
    readonly builds_failed: number;
    readonly failure: string | null;
    readonly error: string | null;
  };
  readonly storage?: {
    readonly backend: string;
    readonly events: number;
    /** Size in bytes. */
    readonly disk_bytes: number;
    readonly failure: string | null;
    /** An ephemeral store keeps none. */
    readonly keeps_backups: boolean;
    /** When the log begins; null while it is empty. */
    readonly begun_at: number | null;
    /** The newest backup that was verified by restoring and reading it; null without one. */
    readonly backup: {
      /** Unix time in milliseconds. */
      readonly made_at: number;
      /** Unix time in milliseconds. */
      readonly verified_at: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    } | null;
    readonly backup_failure: string | null;
    /** Unix time in milliseconds. */
    readonly observed_at: number;
  };
};

export type VoiceStatus = {
  readonly cloud_stt_configured: boolean;
  readonly cloud_tts_configured: boolean;
  readonly local_model: string;
  readonly local_model_size_mb: number;
  readonly local_model_downloaded: boolean;
  /** Takes an engine of this machine where there is one. */
  readonly prefer_local: boolean;
  readonly language: string;
  readonly asr_cpp_installed: boolean;
  readonly asr_python_installed: boolean;
  readonly sox_installed: boolean;
  readonly ffmpeg_installed: boolean;
  readonly can_transcribe: boolean;
  /** Size in bytes. */
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
    /** Size in bytes. */
    readonly size_bytes?: number;
  }[];
};

export type CatalogConnector = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly command: string;
  /** Arguments of the command. */
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
  /** Unix time in milliseconds. */
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
    /** Unix time in milliseconds. */
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
  /** The proxy that is measured in place of the key itself. */
  readonly proxy: string;
  readonly percentiles?: readonly {
    readonly label: string;
    readonly value: number;
  }[];
};

export type Practices = {
  /** Folder in which agents work. */
  readonly workspace: string;
  /** Unix time in milliseconds. */
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
  /** Unix time in milliseconds. */
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
    /** Unix time in milliseconds. */
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
  /** One sentence that says the most important. */
  readonly headline: string;
};

export type Space = {
  readonly repo: string;
  readonly window_days: number;
  /** Unix time in milliseconds. */
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
  /** Size in bytes. */
  readonly size_bytes?: number;
};

export type Envelope = {
  /** Position in the log; the first event has 1. */
  readonly position: number;
  /** The stream of the log: `<category>-<id>`. */
  readonly stream: string;
  /** Number of the event in its stream, from 1. */
  readonly version: number;
  /** UUID of the event. */
  readonly id: string;
  /** What happened, in the past tense. */
  readonly type: string;
  /** Version of the schema of `data`, from 1. */
  readonly schema: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  /** Who caused the event: `owner`, `system`, `agent:<run>` and so on. */
  readonly actor: string;
  /** The request or run that the event belongs to. */
  readonly correlation: string | null;
  /** The command or event that led to this event. */
  readonly causation: string | null;
  /** What the event says, by its type; null once it is erased. */
  readonly data: Json;
  /** RFC 9162 leaf hash of the event, hexadecimal. */
  readonly leaf_hash: string;
  /** Present when the data of the event were erased for good. */
  readonly erased?: true;
};

export type InclusionProof = {
  /** Position in the log; the first event has 1. */
  readonly position: number;
  readonly size: number;
  /** RFC 9162 leaf hash of the event, hexadecimal. */
  readonly leaf_hash: string;
  readonly path: readonly string[];
  /** RFC 9162 tree hash of the log, hexadecimal. */
  readonly tree_hash: string;
};

export type ConsistencyProof = {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
  /** Hexadecimal. */
  readonly from_hash: string;
  /** Hexadecimal. */
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
        /** Size in bytes. */
        readonly bytes: number;
      }
    | {
        readonly path: string;
        /** Position in the log; the first event has 1. */
        readonly position: number;
        /** RFC 9162 tree hash of the log, hexadecimal. */
        readonly tree_hash: string;
        /** Size in bytes. */
        readonly bytes: number;
        /** Unix time in milliseconds. */
        readonly made_at: number;
        /** Unix time in milliseconds. */
        readonly verified_at: number;
      }
    | {
        readonly disk_bytes_before: number;
        /** Size in bytes. */
        readonly disk_bytes: number;
      }
    | {
        readonly ok: boolean;
        readonly head: number;
        /** RFC 9162 tree hash of the log, hexadecimal. */
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
  /** RFC 9162 tree hash of the log, hexadecimal. */
  readonly tree_hash: string;
  readonly keys: number | null;
  /** Size in bytes. */
  readonly disk_bytes: number;
  /** Size in bytes. */
  readonly live_bytes: number | null;
  /** Size in bytes. */
  readonly wal_bytes: number;
  /** Size in bytes. */
  readonly cache_bytes: number;
  readonly cache_hits: number;
  readonly cache_misses: number;
  readonly snapshots: number;
  /** Size in bytes. */
  readonly pending_compaction_bytes: number;
  readonly levels: readonly {
    readonly tables: number;
    /** Size in bytes. */
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
  /** Position in the log; the first event has 1. */
  readonly position: number;
};

export type MetricsHistory = {
  /** Milliseconds between two samples. */
  readonly every_ms: number;
  /** Milliseconds for which samples are kept. */
  readonly kept_ms: number;
  /** Unix time in milliseconds. */
  readonly started_at: number;
  /** Unix milliseconds of each point. */
  readonly at: readonly number[];
  /** By name, a value for each point; null where nothing was measured. Seconds, bytes, ratios, rates per second. */
  readonly series: { readonly [key: string]: readonly (number | null)[] };
  /** The kept backups; null when none are kept. */
  readonly backups: {
    readonly kept: number;
    readonly failures: number;
    readonly failure: string | null;
    readonly last: {
      /** Position in the log; the first event has 1. */
      readonly position: number;
      /** Size in bytes. */
      readonly bytes: number;
      /** Unix time in milliseconds. */
      readonly made_at: number;
      /** When it was last restored to a scratch folder and found whole. */
      readonly verified_at: number;
    } | null;
  } | null;
};

export type ChatSendAnswer = {
  readonly content: string;
};

export type RunsStartAnswer = {
  /** The run. */
  readonly session_id: string;
};

export type RunsStreamQuery = {
  /** Only what follows this position or id. */
  readonly after?: number | undefined;
  /** Another name of `after`. */
  readonly since_seq?: number | undefined;
};

export type RunsListQuery = {
  /** At most so many. */
  readonly limit?: number | undefined;
  /** A session id. */
  readonly after?: string | undefined;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
  readonly status?: string | undefined;
  readonly provider?: string | undefined;
  /** A part of the task, of the id or of the summary. */
  readonly q?: string | undefined;
  /** Started from this time on, and before that one. Unix milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Linked to this goal. */
  readonly goal?: string | undefined;
};

export type RunsGetQuery = {
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
};

export type RunsForkBody = {
  /** Tool calls of the parent that the new run starts after; absent: all of them. */
  readonly step?: number;
  /** What the agent is asked to do. */
  readonly task?: string;
  /** The approval policy: which tools run without asking. */
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
  /** The run. */
  readonly session_id?: string | undefined;
  /** At most so many. */
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
  /** At most so many. */
  readonly limit?: number | undefined;
  /** A session id. */
  readonly after?: string | undefined;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
};

export type SessionsViewQuery = RunsGetQuery;

export type SessionsShareQuery = RunsGetQuery;

export type AcpCreateTaskBody = {
  /** What the agent is asked to do. */
  readonly task: string;
  readonly context?: {
    /** Folder in which the agent works. */
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
      /** Hash of the commit. */
      readonly sha: string;
      readonly ref: string;
    };
    readonly base: {
      /** Hash of the commit. */
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
  /** Bytes of the received body. */
  readonly body_length: number;
};

export type WebhooksListDeliveriesQuery = {
  /** At most so many. */
  readonly limit?: number | undefined;
};

export type WebhooksListDeliveriesAnswer = {
  readonly deliveries: readonly Delivery[];
};

export type TasksCreateBody = {
  readonly title: string;
  readonly provider?: string | null;
  readonly model?: string | null;
  /** Folder of the project. */
  readonly project_path?: string | null;
  readonly create_worktree?: boolean | null;
};

export type TasksListQuery = {
  readonly state?: string | undefined;
};

export type TasksUpdateBody = {
  readonly title?: string;
  readonly status?: string;
  /** The run. */
  readonly session_id?: string;
};

export type TasksHistoryAnswer = {
  readonly id: string;
  readonly title: string;
  readonly status: 'draft' | 'queued' | 'running' | 'reviewing' | 'partial' | 'completed' | 'failed';
  /** The run. */
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
  /** The key is derived from it; it is not stored. */
  readonly passphrase?: string | null;
  /** The new source of the key. Absent, a key stays where it is, and a first key follows from the passphrase. */
  readonly key_source?: 'keyring' | 'passphrase' | null;
};

export type MemoryEncryptAnswer = MemoryEncryptionAnswer;

export type MemoryAddBody = {
  readonly content: string;
  /** Words to find it by. */
  readonly tags?: readonly string[] | null;
  /** Names and texts of the caller. */
  readonly metadata?: { readonly [key: string]: string } | null;
  /** The project that it belongs to. */
  readonly project_id?: string | null;
  /** The run. */
  readonly session_id?: string | null;
};

export type MemoryAddAnswer = {
  readonly id: string;
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Strength of the link. */
  readonly weight: number;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Present when the text repeats a shown entry and is not stored. */
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
  /** At most so many. */
  readonly limit?: number | null;
  /** An unknown name is ignored. */
  readonly sector?: string | null;
  /** So many verbatim drawers beside the memories. */
  readonly drawers?: number | null;
};

export type MemoryQueryAnswer = {
  readonly results: readonly FoundMemory[];
  readonly count: number;
  /** Present when drawers are requested. */
  readonly drawers?: readonly FoundDrawer[];
  /** The index is incomplete: some memories may not be found by their words yet. */
  readonly warming?: true;
  /** Present when an embedding provider is configured. */
  readonly vectors?: VectorsUsed;
};

export type MemoryListQuery = {
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector?: string | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
  /** Leaves out so many of the first. */
  readonly offset?: number | undefined;
};

export type MemoryListAnswer = {
  readonly memories: readonly Memory[];
  readonly total: number;
};

export type MemoryStatsAnswer = {
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  readonly total_waypoints: number;
  readonly total_facts: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  readonly encryption: boolean;
  readonly sectors: readonly {
    /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
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
  /** What the fact is about. */
  readonly subject: string;
  /** What the fact says of the subject. */
  readonly predicate: string;
  /** The value that the fact gives. */
  readonly object: string;
  /** Unix time in seconds from which the fact holds. */
  readonly valid_from?: number | null;
  /** How sure it is, 0 to 1. */
  readonly confidence?: number | null;
};

export type MemoryListFactsQuery = {
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
  /** Unix time in seconds: only what held then. */
  readonly valid_at?: number | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
  /** Leaves out so many of the first. */
  readonly offset?: number | undefined;
};

export type MemoryListFactsAnswer = {
  readonly facts: readonly Fact[];
  readonly count: number;
  readonly total: number;
  /** The moment of the answer; present when `at` was given. */
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
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  readonly format_used: string;
  /** The detected format of the entries. */
  readonly format_detected: string;
  /** Entries without text, with too little confidence, or stored before. */
  readonly skipped: readonly {
    readonly index: number;
    readonly error: string;
  }[];
  /** Entries that repeat what a context block showed. */
  readonly recognised: readonly {
    readonly index: number;
    readonly error: string;
  }[];
  /** Entries stored under another id than theirs. */
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
  /** Drawers in the memory. */
  readonly total_drawers: number;
  readonly text_id: string;
  readonly chunks: number;
  /** Chunks whose words are in a drawer or in a shown entry already; no drawer is made of them. */
  readonly duplicates: number;
  /** Present when the text repeats a shown entry: it is listed with its source, and made no drawer. */
  readonly recognised?: 'exact' | 'near';
};

export type MemoryListDrawersQuery = {
  readonly source?: string | undefined;
  /** The part of the memory that belongs to one project. */
  readonly wing?: string | undefined;
  readonly room?: string | undefined;
  /** Only what follows this position or id. */
  readonly after?: number | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
};

export type MemoryListDrawersAnswer = {
  readonly drawers: readonly Drawer[];
  readonly count: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** What to give as `after` for the next page; null on the last one. */
  readonly next: number | null;
};

export type MemoryDrawerStatsAnswer = {
  /** Drawers in the memory. */
  readonly total_drawers: number;
  readonly wings: readonly {
    /** The part of the memory that belongs to one project. */
    readonly wing: string;
    readonly count: number;
  }[];
  readonly rooms: readonly {
    readonly room: string;
    readonly count: number;
  }[];
  /** Share of the offered chunks that made no new drawer, 0 to 1. */
  readonly dedup_hit_rate: number;
  readonly dedup: {
    readonly chunks_offered: number;
    readonly exact_hits: number;
    readonly near_hits: number;
    readonly hits: number;
  };
};

export type MemoryAddTunnelBody = {
  /** The memory that the link begins at. */
  readonly src_id: string;
  /** The memory that the link leads to. */
  readonly dst_id: string;
  /** Strength of the link. */
  readonly weight?: number | null;
};

export type MemoryAddTunnelAnswer = {
  readonly created: boolean;
  /** The memory that the link begins at. */
  readonly src_id: string;
  /** The memory that the link leads to. */
  readonly dst_id: string;
  /** Strength of the link. */
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
  /** An answer counts when it is among so many. */
  readonly k?: number | undefined;
};

export type MemoryBenchmarkAnswer = {
  readonly k: number;
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  readonly probes: number;
  readonly hits_cognitive: number;
  readonly hits_verbatim: number;
  readonly recall_cognitive: number;
  readonly recall_verbatim: number;
  readonly recall_combined: number;
  readonly cases: readonly {
    /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
    readonly sector: string;
    readonly query: string;
    readonly found_cognitive: boolean;
    readonly found_verbatim: boolean;
  }[];
};

export type MemoryContextBody = {
  readonly query: string;
  /** Tokens for the essential story. */
  readonly l1_tokens?: number | null;
  /** Most entries of this wing and sector. */
  readonly l2_limit?: number | null;
  /** With fewer scoped entries than these, entries from anywhere are added. */
  readonly l3_threshold?: number | null;
};

export type MemoryContextAnswer = {
  readonly query: string;
  readonly context: string;
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  readonly l1_essential_story: readonly string[];
  readonly l2_scoped: readonly FoundMemory[];
  readonly l3_deep: readonly FoundMemory[];
  readonly l3_drawers: readonly FoundDrawer[];
  readonly facts: readonly string[];
  /** The part of the memory that belongs to one project. */
  readonly wing: string;
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector: string;
  /** Present when an embedding provider is configured. */
  readonly vectors?: VectorsUsed;
};

export type MemoryAuditQuery = {
  /** So many examples of each kind. */
  readonly samples?: number | undefined;
};

export type MemoryAuditAnswer = {
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Drawers in the memory. */
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
      /** How near the two texts are, 0 to 1. */
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
      /** How near the two texts are, 0 to 1. */
      readonly similarity: number;
      readonly via: string;
      /** Unix time in milliseconds. */
      readonly at: number;
    }[];
  };
  readonly stale: {
    readonly count: number;
    readonly below_salience: number;
    readonly samples: readonly {
      readonly id: string;
      /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
      readonly sector: string;
      /** How much it counts, 0 to 1; it decays with time. */
      readonly salience: number;
      /** Unix time in milliseconds. */
      readonly last_seen_at: number;
    }[];
  };
  readonly never_recalled: {
    readonly count: number;
    readonly samples: readonly {
      readonly id: string;
      /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
      readonly sector: string;
      /** Unix time in milliseconds. */
      readonly created_at: number;
    }[];
  };
};

export type GoalsCurrentQuery = {
  /** Folder in which agents work. */
  readonly workspace?: string | undefined;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
};

export type GoalsCurrentAnswer = {
  /** Folder in which agents work. */
  readonly workspace: string | null;
  /** The goal. */
  readonly goal_id: string | null;
  /** RFC 3339 time. */
  readonly pinned_at?: string;
  readonly goal?: Goal;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type GoalsPinBody = {
  /** The goal. */
  readonly goal_id: string;
  /** Folder in which agents work. */
  readonly workspace?: string | null;
};

export type GoalsPinAnswer = GoalsCurrentAnswer;

export type GoalsUnpinQuery = {
  /** Folder in which agents work. */
  readonly workspace?: string | undefined;
};

export type GoalsUnpinAnswer = {
  /** Folder in which agents work. */
  readonly workspace: string | null;
  readonly removed: boolean;
};

export type GoalsCreateBody = {
  readonly title: string;
  /** What should be true in the end. */
  readonly statement?: string;
  /** Folder in which agents work. */
  readonly workspace?: string | null;
  /** How it is known that the goal is reached. */
  readonly success_criteria?: readonly string[];
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id?: string | null;
};

export type GoalsListQuery = {
  readonly status?: 'active' | 'paused' | 'done' | 'abandoned' | undefined;
  /** Folder in which agents work. */
  readonly workspace?: string | undefined;
  /** Only what has this tag. */
  readonly tag?: string | undefined;
  /** Words to search for. */
  readonly q?: string | undefined;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
  /** How many at most; 0 is all, up to 10000. */
  readonly limit?: number | undefined;
};

export type GoalsListAnswer = {
  readonly goals: readonly Goal[];
  readonly count: number;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type GoalsGetQuery = RunsGetQuery;

export type GoalsGetAnswer = {
  readonly goal: Goal;
  readonly links: readonly GoalLink[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type GoalsUpdateBody = {
  readonly title?: string;
  /** What should be true in the end. */
  readonly statement?: string;
  readonly status?: 'active' | 'paused' | 'done' | 'abandoned';
  /** How it is known that the goal is reached. */
  readonly success_criteria?: readonly string[];
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** Folder in which agents work. */
  readonly workspace?: string | null;
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id?: string | null;
};

export type GoalsLinkBody = {
  readonly kind: 'session' | 'job' | 'recap' | 'note';
  /** What is linked. */
  readonly target_id: string;
  readonly note?: string | null;
};

export type GoalsStartBody = {
  /** What the agent is asked to do. */
  readonly task?: string | null;
  readonly provider?: string | null;
  readonly model?: string | null;
};

export type GoalsStartAnswer = {
  /** The run. */
  readonly session_id: string;
  readonly link_id: string;
  /** The goal. */
  readonly goal_id: string;
};

export type GoalsChildrenQuery = RunsGetQuery;

export type GoalsChildrenAnswer = {
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id: string;
  readonly children: readonly Goal[];
  readonly count: number;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type GoalsTreeQuery = {
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
  /** Levels from the goal itself, clamped to 1..10. */
  readonly depth?: number | undefined;
};

export type GoalsTreeAnswer = {
  readonly root: string;
  readonly depth: number;
  readonly tree: GoalNode;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type GoalsPlanBody = {
  readonly provider?: string | null;
  readonly model?: string | null;
};

export type GoalsPlanAnswer = {
  readonly id: string;
  /** Folder in which agents work. */
  readonly workspace: string | null;
  readonly title: string;
  readonly statement: string;
  readonly status: 'active' | 'paused' | 'done' | 'abandoned';
  /** How it is known that the goal is reached. */
  readonly success_criteria: readonly string[];
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** RFC 3339 time. */
  readonly created_at: string;
  /** RFC 3339 time. */
  readonly updated_at: string;
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id: string | null;
  readonly current_plan: GoalPlan | null;
  readonly schema_version: number;
  readonly plan_provider_override_applied: boolean;
  readonly plan_provider_requested?: string;
  readonly plan_model_requested?: string;
};

export type GoalsRecapBody = GoalsPlanBody;

export type GoalsRecapAnswer = {
  /** The goal. */
  readonly goal_id: string;
  readonly title: string;
  /** One sentence that says the most important. */
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
    /** What is linked. */
    readonly target_id: string;
  }[];
  /** RFC 3339 time. */
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
    /** RFC 3339 time. */
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
  /** What the agent is asked to do. */
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
    /** The tool that produces it. */
    readonly tool_hint: string;
  }[];
  readonly gates: readonly {
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    readonly title: string;
    /** What has to hold for the gate to pass. */
    readonly criterion: string;
    /** How it is measured whether the criterion holds. */
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
  /** Why the caller asks for the change; it is recorded with the event. */
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
      /** 0 to 1, or null when nothing is in scope. */
      readonly completion: number | null;
      /** What keeps the phase from ending. */
      readonly blockers: readonly Blocker[];
      readonly can_exit: boolean;
    }[];
    readonly phase_changes: readonly {
      readonly id: string;
      readonly kind: 'advanced' | 'forced' | 'set';
      readonly from: 'discover' | 'prove' | 'build' | 'operate';
      readonly to: 'discover' | 'prove' | 'build' | 'operate';
      /** What keeps the phase from ending. */
      readonly blockers: readonly Blocker[];
      readonly by: string;
      readonly reason: string;
      /** Unix time in milliseconds. */
      readonly at: number;
    }[];
    readonly removed_gates: readonly {
      readonly id: string;
      readonly phase: 'discover' | 'prove' | 'build' | 'operate';
      readonly title: string;
      /** Whether the gate passes. */
      readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
      readonly by: string;
      readonly reason: string;
      /** Unix time in milliseconds. */
      readonly at: number;
    }[];
    /** Unix time in milliseconds. */
    readonly generated_at: number;
  };
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type EngagementsUpdateBody = {
  readonly status?: 'draft' | 'active' | 'paused' | 'closed';
  readonly phase?: 'discover' | 'prove' | 'build' | 'operate';
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};

export type EngagementsUpdateAnswer = EngagementsCreateAnswer;

export type EngagementsDeleteQuery = {
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | undefined;
};

export type EngagementsDeleteAnswer = {
  readonly deleted: boolean;
};

export type EngagementsSeedBody = {
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
} | null;

export type EngagementsSeedAnswer = {
  readonly added: number;
};

export type EngagementsAdvanceBody = {
  /** Does it in spite of what speaks against it. */
  readonly force?: boolean | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};

export type EngagementsAdvanceAnswer = {
  readonly outcome: {
    readonly advanced: boolean;
    readonly from: 'discover' | 'prove' | 'build' | 'operate';
    readonly to: 'discover' | 'prove' | 'build' | 'operate' | null;
    /** It advanced with blockers outstanding. */
    readonly forced: boolean;
    /** What keeps the phase from ending. */
    readonly blockers: readonly Blocker[];
    readonly reason: string;
  };
};

export type EngagementsScanBody = {
  readonly path?: string | null;
  /** Attaches what was found; otherwise it is only listed. */
  readonly attach?: boolean | null;
  /** The candidates to attach, as an earlier scan named them; absent: all of them. */
  readonly only?:
    | readonly {
        readonly deliverable_key: string;
        readonly path: string;
      }[]
    | null;
  /** Why the caller asks for the change; it is recorded with the event. */
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
      /** Size in bytes. */
      readonly bytes: number;
    }[];
    readonly truncated: boolean;
    readonly undetectable: readonly string[];
    readonly notes: readonly string[];
  };
  readonly attached: number | null;
};

export type EngagementsHistoryQuery = {
  /** A position of the log. */
  readonly after?: number | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
};

export type EngagementsHistoryAnswer = {
  readonly events: readonly {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    /** The stream of the log: `<category>-<id>`. */
    readonly stream: string;
    /** Number of the event in its stream, from 1. */
    readonly version: number;
    /** UUID of the event. */
    readonly id: string;
    /** What happened, in the past tense. */
    readonly type: string;
    /** Version of the schema of `data`, from 1. */
    readonly schema: number;
    /** Unix time in milliseconds. */
    readonly at: number;
    /** Who caused the event: `owner`, `system`, `agent:<run>` and so on. */
    readonly actor: string;
    /** The request or run that the event belongs to. */
    readonly correlation: string | null;
    /** The command or event that led to this event. */
    readonly causation: string | null;
    /** What the event says, by its type; null once it is erased. */
    readonly data: Json;
    /** RFC 9162 leaf hash of the event, hexadecimal. */
    readonly leaf_hash: string;
    /** Present when the data of the event were erased for good. */
    readonly erased?: true;
    readonly reason: string;
  }[];
  /** What to give as `after` for the next page; null on the last one. */
  readonly next: number | null;
};

export type EngagementsListDeliverablesQuery = {
  readonly phase?: '' | 'all' | 'discover' | 'prove' | 'build' | 'operate' | undefined;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
};

export type EngagementsListDeliverablesAnswer = {
  readonly deliverables: readonly Deliverable[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type EngagementsAddDeliverableBody = {
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly key: string;
  readonly title: string;
  readonly description?: string | null;
  /** The tool that produces it. */
  readonly tool_hint?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};

export type EngagementsAddDeliverableAnswer = {
  readonly deliverable: Deliverable;
};

export type EngagementsUpdateDeliverableBody = {
  readonly status?: 'not_started' | 'in_progress' | 'ready' | 'accepted' | 'waived';
  readonly owner?: string | null;
  readonly notes?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};

export type EngagementsUpdateDeliverableAnswer = {
  readonly updated: string;
};

export type EngagementsListEvidenceQuery = RunsGetQuery;

export type EngagementsListEvidenceAnswer = {
  readonly evidence: readonly {
    readonly id: string;
    /** The deliverable. */
    readonly deliverable_id: string;
    readonly kind: 'file' | 'url' | 'run' | 'metric' | 'note';
    readonly label: string;
    /** Where the evidence is: a path, an address or an id, by its kind. */
    readonly reference: string;
    /** Unix time in milliseconds. */
    readonly captured_at: number;
    /** The local file that the reference named when it was attached; null for other references and for missing files. */
    readonly file_path: string | null;
    /** Size in bytes. */
    readonly size_bytes: number | null;
    /** Hexadecimal. */
    readonly sha256: string | null;
    readonly changed_since: boolean | null;
  }[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type EngagementsAddEvidenceBody = {
  readonly kind?: 'file' | 'url' | 'run' | 'metric' | 'note' | null;
  readonly label?: string | null;
  /** Where the evidence is: a path, an address or an id, by its kind. */
  readonly reference?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};

export type EngagementsAddEvidenceAnswer = {
  readonly evidence: {
    readonly id: string;
    /** The deliverable. */
    readonly deliverable_id: string;
    readonly kind: 'file' | 'url' | 'run' | 'metric' | 'note';
    readonly label: string;
    /** Where the evidence is: a path, an address or an id, by its kind. */
    readonly reference: string;
    /** Unix time in milliseconds. */
    readonly captured_at: number;
    /** The local file that the reference named when it was attached; null for other references and for missing files. */
    readonly file_path: string | null;
    /** Size in bytes. */
    readonly size_bytes: number | null;
    /** Hexadecimal. */
    readonly sha256: string | null;
    readonly changed_since: boolean | null;
  };
};

export type EngagementsDeleteEvidenceQuery = EngagementsDeleteQuery;

export type EngagementsDeleteEvidenceAnswer = EngagementsDeleteAnswer;

export type EngagementsListGatesQuery = EngagementsListDeliverablesQuery;

export type EngagementsListGatesAnswer = {
  readonly gates: readonly Gate[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type EngagementsAddGateBody = {
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  readonly title: string;
  /** What has to hold for the gate to pass. */
  readonly criterion?: string | null;
  /** How it is measured whether the criterion holds. */
  readonly measurement: string;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};

export type EngagementsAddGateAnswer = {
  readonly gate: Gate;
};

export type EngagementsJudgeGateBody = {
  /** Whether the gate passes. */
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  /** What was measured. */
  readonly observed?: string | null;
  /** Why the verdict is this one. */
  readonly rationale?: string | null;
  /** Who judged. */
  readonly decided_by?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
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
    /** Address of the server of the provider. */
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
    /** Unix time in milliseconds. */
    readonly requested_at: number;
    /** Unix time in milliseconds. */
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
  /** Words to search for. */
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
    /** Address of the server of the provider. */
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
  /** One vector is answered for each. */
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
  /** Unix time in milliseconds. */
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
  /** Seconds after which the conversion is stopped. */
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
  /** Size in bytes. */
  readonly bytes: number;
  readonly cached: boolean;
  readonly engine_version: string;
  /** Milliseconds. */
  readonly elapsed_ms: number;
};

export type FilesExportPdfBody = {
  readonly path: string;
  readonly root?: string | null;
};

export type BriefingListQuery = {
  /** At most so many. */
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
      /** Unix time in milliseconds. */
      readonly requested_at: number;
      /** The scheduled time in Unix milliseconds; null without one. */
      readonly scheduled_for: number | null;
    } | null;
    readonly last_error: string | null;
    /** Unix time in milliseconds. */
    readonly last_run_at: number | null;
    /** Unix time in milliseconds. */
    readonly next_run_at: number | null;
  };
  readonly running: boolean;
  readonly last_error: string | null;
};

export type BriefingUpdateSettingsBody = {
  readonly enabled?: boolean;
  readonly time?: string;
  /** Days of the week. */
  readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  /** IANA name of the time zone. */
  readonly timezone?: string | null;
  /** Parts of the briefing. */
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
  /** Folder in which agents work. */
  readonly workspace?: string | null;
  /** Folders of git repositories. */
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
  /** The room. */
  readonly room_id?: string | null;
};

export type RoomsOpenAnswer = {
  /** The room. */
  readonly room_id: string;
  readonly peer_count: number;
};

export type RoomsPeersAnswer = readonly {
  /** The peer of the room. */
  readonly peer_id: string;
  readonly name: string;
  readonly color: string;
  readonly cursor: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly selection_end: readonly [number, number] | null;
  } | null;
  /** Unix time in milliseconds. */
  readonly last_active: number;
}[];

export type VoiceTranscribeBody =
  | {
      /** The recording, in Base64. */
      readonly audio_base64: string;
      /** Media type. */
      readonly mime_type?: string | null;
      readonly language?: string | null;
      /** Takes an engine of this machine where there is one. */
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
  /** null means empty: answers show null while there is no pair. */
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
    /** The plugin that brings it. */
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly skills: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly subagents: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly rules: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
  }[];
  readonly hooks: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    readonly name: string;
    readonly policy: 'on' | 'off' | 'required';
    readonly event: string;
  }[];
  readonly not_live: readonly {
    /** The plugin that brings it. */
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
  /** Does it in spite of what speaks against it. */
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
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string | undefined;
};

export type ConnectorsListAnswer = {
  readonly connectors: readonly {
    readonly id: string;
    /** The entry of the catalogue. */
    readonly catalog_id: string | null;
    readonly title: string;
    readonly command: string;
    /** Arguments of the command. */
    readonly args: readonly string[];
    readonly enabled: boolean;
    /** Unix time in milliseconds. */
    readonly added_at: number | null;
    readonly credential_names: readonly string[];
    readonly missing_credentials: readonly string[] | null;
  }[];
  readonly catalog: readonly CatalogConnector[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};

export type ConnectorsAddBody = {
  /** The entry of the catalogue. */
  readonly catalog_id?: string | null;
  readonly id?: string | null;
  readonly title?: string | null;
  readonly command?: string | null;
  /** Arguments of the command. */
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
  /** Unix time in milliseconds. */
  readonly checked_at: number;
};

export type McpSendBody =
  | {
      /** Version of JSON-RPC. */
      readonly jsonrpc: '2.0';
    }
  | readonly {
      /** Version of JSON-RPC. */
      readonly jsonrpc: '2.0';
    }[];

export type McpSendEvent = {
  /** Version of JSON-RPC. */
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
  /** The machine of the daemon. */
  readonly machine_id: string;
  readonly hostname: string;
  /** Version of the daemon. */
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
  /** Path of the transport `streamable-http`. */
  readonly endpoint: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
  }[];
  readonly prompts: readonly Json[];
  readonly resources: readonly Json[];
};

export type LogListQuery = {
  /** Only what follows this position or id. */
  readonly after?: number | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
  /** The stream of the log: `<category>-<id>`. */
  readonly stream?: string | undefined;
  /** Only events of this type. */
  readonly type?: string | undefined;
  /** Only what precedes this position, the newest first. */
  readonly before?: number | undefined;
  /** Who caused the event: `owner`, `system`, `agent:<run>` and so on. */
  readonly actor?: string | undefined;
  /** The request or run that the event belongs to. */
  readonly correlation?: string | undefined;
  /** Recorded at this time or later, in Unix milliseconds. */
  readonly from?: number | undefined;
  /** Recorded before this time, in Unix milliseconds. */
  readonly to?: number | undefined;
};

export type LogListAnswer = {
  readonly events: readonly Envelope[];
  /** What to give as `after` for the next page; null on the last one. */
  readonly next: number | null;
  readonly head: number;
};

export type LogEventsQuery = {
  /** Only what follows this position or id. */
  readonly after?: number | undefined;
  /** The stream of the log: `<category>-<id>`. */
  readonly stream?: string | undefined;
  readonly type?: string | undefined;
};

export type LogHeadAnswer = {
  /** Position in the log; the first event has 1. */
  readonly position: number;
  /** RFC 9162 tree hash of the log, hexadecimal. */
  readonly tree_hash: string;
  /** Unix time in milliseconds. */
  readonly at: number | null;
};

export type LogRebuildViewsAnswer = {
  /** Position in the log; the first event has 1. */
  readonly position: number;
  readonly seconds: number;
};

export type LogProofQuery = {
  /** Position in the log; the first event has 1. */
  readonly position: number | undefined;
  readonly size?: number | undefined;
  readonly format?: 'json' | 'tlog-proof' | undefined;
};

export type LogConsistencyQuery = {
  readonly from: number | undefined;
  readonly to?: number | undefined;
};

export type LogCheckpointsQuery = {
  /** Only what follows this position or id. */
  readonly after?: number | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
};

export type LogCheckpointsAnswer = {
  readonly checkpoints: readonly {
    readonly size: number;
    /** Unix time in milliseconds. */
    readonly at: number;
    readonly note: string;
    readonly witnesses: readonly string[];
  }[];
  /** What to give as `after` for the next page; null on the last one. */
  readonly next: number | null;
};

export type LogEvidenceBundleQuery = {
  /** Id of an engagement, a run or a goal. */
  readonly of?: string | undefined;
  /** The stream of the log: `<category>-<id>`. */
  readonly stream?: string | undefined;
  readonly positions?: string | undefined;
  /** 1: the attached files too. */
  readonly with_files?: '0' | '1' | 'true' | 'false' | undefined;
  /** Size of a checkpoint that the reader holds: the bundle proves that the log continues it. */
  readonly since?: number | undefined;
};

export type TlogKeyAnswer = {
  /** Public key of a log or witness, as a note names it: name, hash and key. */
  readonly vkey: string;
  /** Name of the log in its checkpoints. */
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
  /** Public key of a log or witness, as a note names it: name, hash and key. */
  readonly vkey: string;
};

export type TlogTimestampBody = {
  /** Address of a time-stamping authority (RFC 3161). */
  readonly authority?: string;
};

export type TlogTimestampAnswer = {
  /** Address of a time-stamping authority (RFC 3161). */
  readonly authority: string;
  readonly size: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly checkpoint: string;
  readonly response: string;
};

export type TlogAddCheckpointBody = unknown | { readonly type: 'text/plain'; readonly bytes: Bytes };

export type TlogWitnessesAnswer = {
  readonly witness_vkey: string;
  /** How many witnesses signed, and how many have to. */
  readonly quorum: {
    /** Witnesses that have to sign a checkpoint. */
    readonly needed: number;
    /** Witnesses that signed the newest checkpoint. */
    readonly cosigned: number;
    /** Fewer witnesses than needed signed. */
    readonly missing: boolean;
  };
  readonly witnesses: readonly {
    readonly url: string;
    /** Public key of a log or witness, as a note names it: name, hash and key. */
    readonly vkey: string;
    readonly size: number;
    readonly error: string | null;
  }[];
  /** Logs that this daemon is a witness of. */
  readonly trusted: readonly {
    /** Public key of a log or witness, as a note names it: name, hash and key. */
    readonly vkey: string;
    readonly size: number | null;
    readonly offered: number | null;
    /** The log showed a smaller tree than before. */
    readonly rolled_back: boolean;
    readonly error: string | null;
  }[];
  /** Proofs that a log showed two histories. */
  readonly forks: readonly {
    /** Name of the log in its checkpoints. */
    readonly origin: string;
    readonly size: number;
    readonly known: string;
    readonly other: string;
  }[];
};

export type TlogAddWitnessBody = {
  readonly url: string;
  /** Public key of a log or witness, as a note names it: name, hash and key. */
  readonly vkey: string;
};

export type TlogAddWitnessAnswer = TlogWitnessesAnswer;

export type TlogRemoveWitnessQuery = {
  /** Public key of a log or witness, as a note names it: name, hash and key. */
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
  /** Size of the block cache in MiB. */
  readonly block_cache_mb: number;
};

export type StorageResizeCacheAnswer = StorageResizeCacheBody;

export type NodesListAnswer = {
  readonly nodes: readonly Node[];
};

export type MetricsHistoryQuery = {
  readonly from?: number | undefined;
  /** At most so many. */
  readonly points?: number | undefined;
};
