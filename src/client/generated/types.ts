/** Bodies, queries and answers of every route, and its method. Generated from /openapi.json by `npm run client:generate`. */
import type { Bytes, CallOptions, EventStream, FieldsOf, StreamOptions } from '../calls.ts';

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
   * The state of the daemon: identity, version, capabilities, log and views.
   *
   * `GET /health`
   *
   * @returns The state; 200 also while the daemon is degraded.
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
  send(body: FieldsOf<ChatRequest>, options?: CallOptions): Promise<ChatSendAnswer>;
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
  stream(body: FieldsOf<ChatRequest>, options?: StreamOptions): EventStream<ChatStreamEvent>;
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
   * @throws DaybookError 409: The run to resume has not ended, or its folder is gone and `workspace_root` names no other; or the run to start has the `session_id` of another one.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.runs.start({ task: 'Make the parser accept empty lines.', approval: 'auto-edit', workspace_root: '/home/ada/notes' });
   * ```
   */
  start(body: FieldsOf<AgentRequest>, options?: CallOptions): Promise<RunsStartAnswer>;
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
  stream(sessionId: string, options?: StreamOptions & FieldsOf<RunsStreamQuery>): EventStream<AgentEvent>;
  /**
   * Every job, most recent first; `limit` and `after` (a session id) page through them, the other parameters filter. With `at` the list as it was then, and `as_of` in each record.
   *
   * `GET /jobs`
   *
   * @returns A bare array.
   * @throws DaybookError 400: at is neither a position of the log nor a time, or after is no run of the list.
   * @example
   * ```ts
   * const answer = await client.runs.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<RunsListQuery> }): Promise<RunsListAnswer>;
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
  get(id: string, options?: CallOptions & { readonly query?: FieldsOf<RunsGetQuery> }): Promise<JobRecord>;
  /**
   * Cancels a job permanently: the model call is aborted, the tool’s processes are killed. A finished job is unchanged.
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
   * @throws DaybookError 409: Events of the run are erased, or its folder is gone; it cannot be forked.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.runs.fork('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { step: 3, task: 'Try it without the cache.' });
   * ```
   */
  fork(id: string, body?: FieldsOf<RunsForkBody>, options?: CallOptions): Promise<RunsForkAnswer>;
  /**
   * The run as PDF: its messages and its tool calls; `at` answers as it was then.
   *
   * `GET /jobs/{id}/export.pdf`
   *
   * @param id Id of the run.
   * @returns The document.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown run, or not at that time.
   * @throws DaybookError 413: The PDF exceeds a bound that the error names.
   * @throws DaybookError 503: Too many documents are waiting.
   * @throws DaybookError 504: The document takes too long to set.
   * @example
   * ```ts
   * const answer = await client.runs.exportPdf('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  exportPdf(id: string, options?: CallOptions & { readonly query?: FieldsOf<RunsExportPdfQuery> }): Promise<Uint8Array>;
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
  evidenceBundle(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<RunsEvidenceBundleQuery> },
  ): Promise<Uint8Array>;
}

export interface ApprovalsOperations {
  /**
   * Pending approvals, oldest first, then decided ones, newest first.
   *
   * `GET /approvals`
   *
   * @returns Approvals.
   * @example
   * ```ts
   * const answer = await client.approvals.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<ApprovalsListQuery> }): Promise<ApprovalsListAnswer>;
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
   * Answers an approval: allows this call, allows this tool until the run ends, or denies it.
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
  answer(id: string, body: FieldsOf<ApprovalsAnswerBody>, options?: CallOptions): Promise<Approval>;
  /**
   * The approval policy of runs whose request names none.
   *
   * `GET /v1/approval-policy`
   *
   * @returns The policy.
   * @example
   * ```ts
   * const answer = await client.approvals.policy();
   * ```
   */
  policy(options?: CallOptions): Promise<ApprovalPolicy>;
  /**
   * Sets that policy for runs that are requested from now on; null restores the configured one.
   *
   * `PUT /v1/approval-policy`
   *
   * @returns The policy as it is now.
   * @throws DaybookError 400: policy is missing, or neither a policy nor null.
   * @example
   * ```ts
   * const answer = await client.approvals.setPolicy({ policy: 'auto-edit' });
   * ```
   */
  setPolicy(body: FieldsOf<ApprovalsSetPolicyBody>, options?: CallOptions): Promise<ApprovalPolicy>;
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
   * The newest 200 sessions, or `limit`, newest started first; `after` (a session id) continues the list. With `at` the list as it was then, and `as_of` in each item.
   *
   * `GET /sessions.json`
   *
   * @returns A bare array.
   * @throws DaybookError 400: at is neither a position of the log nor a time, or after is no run of the list.
   * @example
   * ```ts
   * const answer = await client.sessions.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<SessionsListQuery> }): Promise<SessionsListAnswer>;
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
  view(id: string, options?: CallOptions & { readonly query?: FieldsOf<SessionsViewQuery> }): Promise<string>;
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
  share(id: string, options?: CallOptions & { readonly query?: FieldsOf<SessionsShareQuery> }): Promise<string>;
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
  createTask(body: FieldsOf<AcpCreateTaskBody>, options?: CallOptions): Promise<AcpTask>;
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
   * @returns The capabilities.
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
   * @throws DaybookError 504: The review has not ended; a redelivery gets its result.
   * @example
   * ```ts
   * const answer = await client.webhooks.receiveForge({ pull_request: { number: 1, title: 'Accept empty lines', head: { sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', ref: 'main' }, base: { sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', ref: 'main' }, diff_url: 'https://forge.example/ada/notes/pull/7.diff' }, repository: { full_name: 'ada/notes' }, action: 'opened' });
   * ```
   */
  receiveForge(body: FieldsOf<WebhooksReceiveForgeBody>, options?: CallOptions): Promise<WebhooksReceiveForgeAnswer>;
  /**
   * Starts a run with the skill that has this webhook_trigger; the body, of any content, is part of the task.
   *
   * `POST /webhook/skill/{skill_name}`
   *
   * @param skillName The skill.
   * @returns The run is queued.
   * @throws DaybookError 400: A body that is not UTF-8, or not JSON although its Content-Type says so.
   * @throws DaybookError 404: No skill has that webhook_trigger.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.webhooks.triggerSkill('release-notes', 'text');
   * ```
   */
  triggerSkill(
    skillName: string,
    body?: FieldsOf<Json> | { readonly type: 'text/plain'; readonly bytes: Bytes },
    options?: CallOptions,
  ): Promise<WebhooksTriggerSkillAnswer>;
  /**
   * The newest deliveries, newest first; `at` answers as it was then.
   *
   * `GET /webhook/deliveries`
   *
   * @returns Deliveries.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @example
   * ```ts
   * const answer = await client.webhooks.listDeliveries();
   * ```
   */
  listDeliveries(
    options?: CallOptions & { readonly query?: FieldsOf<WebhooksListDeliveriesQuery> },
  ): Promise<WebhooksListDeliveriesAnswer>;
  /**
   * One delivery, by its id here or at its sender, with every finding of its review; `at` answers as it was then.
   *
   * `GET /webhook/deliveries/{id}`
   *
   * @param id Id of the delivery.
   * @returns The delivery.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown delivery.
   * @example
   * ```ts
   * const answer = await client.webhooks.getDelivery('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  getDelivery(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<WebhooksGetDeliveryQuery> },
  ): Promise<WebhooksGetDeliveryAnswer>;
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
  create(body: FieldsOf<TasksCreateBody>, options?: CallOptions): Promise<Task>;
  /**
   * The newest tasks, newest first. No task is ever archived or trashed.
   *
   * `GET /api/tasks`
   *
   * @returns At most 200.
   * @example
   * ```ts
   * const answer = await client.tasks.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<TasksListQuery> }): Promise<TasksListAnswer>;
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
   * Changes title, status or linked session; omitted fields stay.
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
  update(id: string, body: FieldsOf<TasksUpdateBody>, options?: CallOptions): Promise<Task>;
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
   * @returns The resolved profile.
   * @throws DaybookError 400: No provider, an unknown field or a value that is not allowed.
   * @example
   * ```ts
   * const answer = await client.harness.getProfile({ query: { provider: 'ollama' } });
   * ```
   */
  getProfile(options: CallOptions & { readonly query: FieldsOf<HarnessGetProfileQuery> }): Promise<HarnessProfile>;
  /**
   * Replaces the pair’s override by the body; an empty body removes it. It applies from the next request on.
   *
   * `PUT /harness/profile`
   *
   * @returns The resolved profile.
   * @throws DaybookError 400: No provider, an unknown field or a value that is not allowed.
   * @example
   * ```ts
   * const answer = await client.harness.setProfile({ temperature: 0, max_output_tokens: 4096 }, { query: { provider: 'ollama' } });
   * ```
   */
  setProfile(
    body: FieldsOf<HarnessPatch> | undefined,
    options: CallOptions & { readonly query: FieldsOf<HarnessSetProfileQuery> },
  ): Promise<HarnessProfile>;
  /**
   * Removes the pair’s override.
   *
   * `DELETE /harness/profile`
   *
   * @returns The resolved profile.
   * @throws DaybookError 400: No provider, an unknown field or a value that is not allowed.
   * @example
   * ```ts
   * const answer = await client.harness.resetProfile({ query: { provider: 'ollama' } });
   * ```
   */
  resetProfile(options: CallOptions & { readonly query: FieldsOf<HarnessResetProfileQuery> }): Promise<HarnessProfile>;
  /**
   * Every stored override, and the profiles of all known providers and overridden pairs.
   *
   * `GET /harness/profiles`
   *
   * @returns The overrides by `provider/model`, and the profiles.
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
   * @returns The present state.
   * @example
   * ```ts
   * const answer = await client.memory.encryption();
   * ```
   */
  encryption(options?: CallOptions): Promise<MemoryEncryptionAnswer>;
  /**
   * Enables encryption at rest permanently, unlocks encrypted memories, or moves the key. Answers when that is done.
   *
   * `POST /memory/encryption`
   *
   * @returns The present state.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @throws DaybookError 403: The key is not available: another passphrase, or a keyring without it.
   * @example
   * ```ts
   * const answer = await client.memory.encrypt({ key_source: 'keyring' });
   * ```
   */
  encrypt(body?: FieldsOf<MemoryEncryptBody>, options?: CallOptions): Promise<MemoryEncryptAnswer>;
  /**
   * Stores a memory in the sector that its words indicate. Text that repeats a context block is counted, not stored.
   *
   * `POST /memory/add`
   *
   * @returns Nothing was stored: the text repeats an entry that this daemon showed. Or: The memory.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.add({ content: 'Ada lives in Paris.', tags: ['people'] });
   * ```
   */
  add(body: FieldsOf<MemoryAddBody>, options?: CallOptions): Promise<MemoryAddAnswer>;
  /**
   * Pins a memory: it neither decays nor is purged.
   *
   * `POST /memory/pin`
   *
   * @returns Whether it was done, and if not, why.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.pin({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  pin(body: FieldsOf<MemoryPinBody>, options?: CallOptions): Promise<MemoryPinAnswer>;
  /**
   * Removes the pin of a memory.
   *
   * `POST /memory/unpin`
   *
   * @returns Whether it was done, and if not, why.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.unpin({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  unpin(body: FieldsOf<MemoryUnpinBody>, options?: CallOptions): Promise<MemoryUnpinAnswer>;
  /**
   * Deletes a memory, a fact or a drawer permanently: its text is removed from views, index and log.
   *
   * `POST /memory/delete`
   *
   * @returns Whether it was done, and if not, why.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.delete({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  delete(body: FieldsOf<MemoryDeleteBody>, options?: CallOptions): Promise<MemoryDeleteAnswer>;
  /**
   * Memories that answer a question: words, vectors, strength, time, waypoints and sector in one score.
   *
   * `POST /memory/query`
   *
   * @returns Memories, the best first.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.query({ query: 'Where does Ada live?' });
   * ```
   */
  query(body: FieldsOf<MemoryQueryBody>, options?: CallOptions): Promise<MemoryQueryAnswer>;
  /**
   * Memories, newest first.
   *
   * `GET /memory/list`
   *
   * @returns A page, and the number of all memories.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<MemoryListQuery> }): Promise<MemoryListAnswer>;
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
   * Every memory as JSON, oldest first, in a format that POST /memory/import accepts.
   *
   * `GET /memory/export`
   *
   * @returns A list of entries.
   * @example
   * ```ts
   * const answer = await client.memory.exportAll();
   * ```
   */
  exportAll(options?: CallOptions): Promise<MemoryExportAllAnswer>;
  /**
   * Records a fact. It ends the fact with the same subject and predicate that held until then.
   *
   * `POST /memory/fact`
   *
   * @returns The fact was known; nothing was recorded. Or: The fact.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.addFact({ subject: 'Ada', predicate: 'lives in', object: 'Paris', confidence: 0.9 });
   * ```
   */
  addFact(body: FieldsOf<MemoryAddFactBody>, options?: CallOptions): Promise<Fact>;
  /**
   * Present and past facts, the last recorded first; with `valid_at` (Unix seconds) only what held at that moment. `at` answers as the memory was then.
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
  listFacts(
    options?: CallOptions & { readonly query?: FieldsOf<MemoryListFactsQuery> },
  ): Promise<MemoryListFactsAnswer>;
  /**
   * Deletes unpinned memories whose salience has decayed below 0.05.
   *
   * `POST /memory/decay`
   *
   * @returns How many were deleted, and how many remain.
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
   * Imports mem0, zep, openmemory (our own export) or a list of facts; invalid entries are reported and skipped.
   *
   * `POST /memory/import`
   *
   * @returns How many entries were stored; the others by their index, with the reason.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.importAll({ content: 'The parser fails on an empty line.' });
   * ```
   */
  importAll(body: FieldsOf<MemoryImportAllBody>, options?: CallOptions): Promise<MemoryImportAllAnswer>;
  /**
   * Stores a text verbatim, in chunks of 800 characters that overlap by 100.
   *
   * `POST /memory/chunk`
   *
   * @returns How many drawers it added, and how many there are.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.addDrawers({ content: 'The parser fails on an empty line.' });
   * ```
   */
  addDrawers(body: FieldsOf<MemoryAddDrawersBody>, options?: CallOptions): Promise<MemoryAddDrawersAnswer>;
  /**
   * Drawers in the order in which they were stored; with `source` every piece of its texts.
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
  listDrawers(
    options?: CallOptions & { readonly query?: FieldsOf<MemoryListDrawersQuery> },
  ): Promise<MemoryListDrawersAnswer>;
  /**
   * How many drawers there are, in which wings and rooms, and how often a chunk was stored already.
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
   * Adds a waypoint between two memories, also of different projects.
   *
   * `POST /memory/tunnel`
   *
   * @returns No waypoint was added: an id is unknown, or the waypoint exists. Or: The waypoint.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.addTunnel({ src_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', dst_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  addTunnel(body: FieldsOf<MemoryAddTunnelBody>, options?: CallOptions): Promise<MemoryAddTunnelAnswer>;
  /**
   * Adds tunnels between memories, and from memories to drawers, whose similarity reaches the threshold.
   *
   * `POST /memory/auto-tunnel`
   *
   * @returns How many tunnels were added, and among how many of the newest memories.
   * @throws DaybookError 400: A field is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.memory.autoTunnel({ threshold: 1 });
   * ```
   */
  autoTunnel(body?: FieldsOf<MemoryAutoTunnelBody>, options?: CallOptions): Promise<MemoryAutoTunnelAnswer>;
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
  benchmark(
    options?: CallOptions & { readonly query?: FieldsOf<MemoryBenchmarkQuery> },
  ): Promise<MemoryBenchmarkAnswer>;
  /**
   * The context block for a question, within its budgets. Its entries are recorded as shown, so that text which repeats them is recognised.
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
  context(body: FieldsOf<MemoryContextBody>, options?: CallOptions): Promise<MemoryContextAnswer>;
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
  audit(options?: CallOptions & { readonly query?: FieldsOf<MemoryAuditQuery> }): Promise<MemoryAuditAnswer>;
  /**
   * One memory, and the events that led to its state.
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
   * The pinned goal of a workspace; without `workspace` that of the global slot. `at` answers as it was then.
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
  current(options?: CallOptions & { readonly query?: FieldsOf<GoalsCurrentQuery> }): Promise<GoalsCurrentAnswer>;
  /**
   * Pins a goal in a slot, in place of the goal that was pinned there. New runs of the workspace are linked to it.
   *
   * `PUT /v1/goals/current`
   *
   * @returns The pin.
   * @throws DaybookError 400: No goal_id.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 409: 10000 workspaces have a pinned goal, the most that can.
   * @example
   * ```ts
   * const answer = await client.goals.pin({ goal_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  pin(body: FieldsOf<GoalsPinBody>, options?: CallOptions): Promise<GoalsPinAnswer>;
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
  unpin(options?: CallOptions & { readonly query?: FieldsOf<GoalsUnpinQuery> }): Promise<GoalsUnpinAnswer>;
  /**
   * Creates a goal. Titles are unique in a workspace, and among the goals without a workspace.
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
  create(body: FieldsOf<GoalsCreateBody>, options?: CallOptions): Promise<Goal>;
  /**
   * Goals, last changed first; `limit` counts after the filters, 0 is all. `at` answers as it was then.
   *
   * `GET /v1/goals`
   *
   * @returns The goals and their number.
   * @throws DaybookError 400: A field that is missing or not allowed; the error names it.
   * @example
   * ```ts
   * const answer = await client.goals.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<GoalsListQuery> }): Promise<GoalsListAnswer>;
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
  get(id: string, options?: CallOptions & { readonly query?: FieldsOf<GoalsGetQuery> }): Promise<GoalsGetAnswer>;
  /**
   * Changes the given fields. A different statement or different criteria discard the plan.
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
  update(id: string, body: FieldsOf<GoalsUpdateBody>, options?: CallOptions): Promise<Goal>;
  /**
   * Deletes a goal permanently, with its links and pins. Its children keep its id as that of their parent.
   *
   * `DELETE /v1/goals/{id}`
   *
   * @param id Id of the goal.
   * @returns The goal is deleted.
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
   * @throws DaybookError 409: The goal has 10000 links, the most it may have.
   * @example
   * ```ts
   * const answer = await client.goals.link('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { kind: 'note', target_id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  link(id: string, body: FieldsOf<GoalsLinkBody>, options?: CallOptions): Promise<GoalLink>;
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
  start(id: string, body?: FieldsOf<GoalsStartBody>, options?: CallOptions): Promise<GoalsStartAnswer>;
  /**
   * The direct children of a goal, last changed first; `at` answers as it was then.
   *
   * `GET /v1/goals/{id}/children`
   *
   * @param id Id of the goal.
   * @returns The children.
   * @throws DaybookError 400: at is neither a position of the log nor a time.
   * @throws DaybookError 404: Unknown goal.
   * @example
   * ```ts
   * const answer = await client.goals.children('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  children(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<GoalsChildrenQuery> },
  ): Promise<GoalsChildrenAnswer>;
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
  tree(id: string, options?: CallOptions & { readonly query?: FieldsOf<GoalsTreeQuery> }): Promise<GoalsTreeAnswer>;
  /**
   * Lets a model plan the goal, and stores the plan; `provider` and `model` count when both are named and usable.
   *
   * `POST /v1/goals/{id}/plan`
   *
   * @param id Id of the goal.
   * @returns The goal with its new plan, and the requested model.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 409: The statement of the goal changed while it was planned.
   * @throws DaybookError 500: The model failed, or answered no plan.
   * @example
   * ```ts
   * const answer = await client.goals.plan('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { provider: 'ollama', model: 'qwen3:8b' });
   * ```
   */
  plan(id: string, body?: FieldsOf<GoalsPlanBody>, options?: CallOptions): Promise<GoalsPlanAnswer>;
  /**
   * The results of a goal, worded by a model when `provider` and `model` name a usable one, else heuristically.
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
  recap(id: string, body?: FieldsOf<GoalsRecapBody>, options?: CallOptions): Promise<GoalsRecapAnswer>;
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
    options?: CallOptions & { readonly query?: FieldsOf<GoalsEvidenceBundleQuery> },
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
   * @throws DaybookError 400: task is not a text.
   * @throws DaybookError 403: The workspace lies in a folder that holds credentials, or in Daybook’s home.
   * @throws DaybookError 404: Unknown goal.
   * @throws DaybookError 503: Too many runs wait already.
   * @example
   * ```ts
   * const answer = await client.watch.startGoal('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { task: 'Make the parser accept empty lines.' });
   * ```
   */
  startGoal(id: string, body?: FieldsOf<WatchStartGoalBody>, options?: CallOptions): Promise<WatchStartGoalAnswer>;
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
   * Engagements, the last changed first; at most 10,000. `at` answers as it was then.
   *
   * `GET /engagements`
   *
   * @returns Engagements.
   * @throws DaybookError 400: An unknown status, a limit out of range, or an invalid `at`.
   * @example
   * ```ts
   * const answer = await client.engagements.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<EngagementsListQuery> }): Promise<EngagementsListAnswer>;
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
  create(body: FieldsOf<EngagementsCreateBody>, options?: CallOptions): Promise<EngagementsCreateAnswer>;
  /**
   * An engagement and how ready each phase is to be left; `at` answers as it was then.
   *
   * `GET /engagements/{id}`
   *
   * @param id Id of the engagement.
   * @returns The report.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.get('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  get(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsGetQuery> },
  ): Promise<EngagementsGetAnswer>;
  /**
   * Sets status, phase or both; omitted fields stay.
   *
   * `PATCH /engagements/{id}`
   *
   * @param id Id of the engagement.
   * @returns The engagement.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.update('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { status: 'active' });
   * ```
   */
  update(id: string, body: FieldsOf<EngagementsUpdateBody>, options?: CallOptions): Promise<EngagementsUpdateAnswer>;
  /**
   * Removes an engagement with its deliverables, evidence and gates; its history stays.
   *
   * `DELETE /engagements/{id}`
   *
   * @param id Id of the engagement.
   * @returns Removed.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.delete('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  delete(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsDeleteQuery> },
  ): Promise<EngagementsDeleteAnswer>;
  /**
   * Leaves the current phase; despite blockers only with `force`, which is recorded with them.
   *
   * `POST /engagements/{id}/advance`
   *
   * @param id Id of the engagement.
   * @returns The outcome: the next phase, or the blockers of the current one.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.advance('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { force: true, reason: 'The customer accepts the open gate.' });
   * ```
   */
  advance(id: string, body: FieldsOf<EngagementsAdvanceBody>, options?: CallOptions): Promise<EngagementsAdvanceAnswer>;
  /**
   * Files of the workspace by a part of their path, to choose evidence from; credentials are left out.
   *
   * `GET /engagements/{id}/workspace-files`
   *
   * @param id Id of the engagement.
   * @returns The files, and how many there are in all.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.workspaceFiles('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  workspaceFiles(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsWorkspaceFilesQuery> },
  ): Promise<EngagementsWorkspaceFilesAnswer>;
  /**
   * Every event of an engagement, newest last; `next` is where to go on, null at the end.
   *
   * `GET /engagements/{id}/history`
   *
   * @param id Id of the engagement.
   * @returns A page.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.history('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  history(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsHistoryQuery> },
  ): Promise<EngagementsHistoryAnswer>;
  /**
   * Adds the deliverables and gates of the template that the engagement lacks; the others stay as they are.
   *
   * `POST /engagements/{id}/seed`
   *
   * @param id Id of the engagement.
   * @returns How many were added.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.seed('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { reason: 'The customer asked for it.' });
   * ```
   */
  seed(id: string, body?: FieldsOf<EngagementsSeedBody>, options?: CallOptions): Promise<EngagementsSeedAnswer>;
  /**
   * Proposes files of a workspace as evidence; `attach` records them, or `only` some; statuses never change.
   *
   * `POST /engagements/{id}/scan`
   *
   * @param id Id of the engagement.
   * @returns What was found, and how many files were attached; null without `attach`.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.scan('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { path: '/home/ada/archive', attach: true });
   * ```
   */
  scan(id: string, body?: FieldsOf<EngagementsScanBody>, options?: CallOptions): Promise<EngagementsScanAnswer>;
  /**
   * Deliverables in the order they were added; `phase` filters, `at` answers as it was then.
   *
   * `GET /engagements/{id}/deliverables`
   *
   * @param id Id of the engagement.
   * @returns Deliverables.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.listDeliverables('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  listDeliverables(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsListDeliverablesQuery> },
  ): Promise<EngagementsListDeliverablesAnswer>;
  /**
   * Adds a deliverable, or revises the one with this key: omitted fields, its phase, status, owner and evidence stay.
   *
   * `POST /engagements/{id}/deliverables`
   *
   * @param id Id of the engagement.
   * @returns The deliverable.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.addDeliverable('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { phase: 'discover', key: 'problem-statement', title: 'Problem statement' });
   * ```
   */
  addDeliverable(
    id: string,
    body: FieldsOf<EngagementsAddDeliverableBody>,
    options?: CallOptions,
  ): Promise<EngagementsAddDeliverableAnswer>;
  /**
   * Sets status, owner or notes; omitted fields stay, and null removes the owner.
   *
   * `PATCH /engagements/{id}/deliverables/{did}`
   *
   * @param id Id of the engagement.
   * @param did Id of the deliverable.
   * @returns The id of what was updated.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.updateDeliverable('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { status: 'ready' });
   * ```
   */
  updateDeliverable(
    id: string,
    did: string,
    body: FieldsOf<EngagementsUpdateDeliverableBody>,
    options?: CallOptions,
  ): Promise<EngagementsUpdateDeliverableAnswer>;
  /**
   * Evidence by time of capture, and whether each file has changed since; `at` answers as it was then.
   *
   * `GET /engagements/{id}/deliverables/{did}/evidence`
   *
   * @param id Id of the engagement.
   * @param did Id of the deliverable.
   * @returns Evidence.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.listEvidence('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  listEvidence(
    id: string,
    did: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsListEvidenceQuery> },
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
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.addEvidence('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { kind: 'file', label: 'Load test', reference: '/home/ada/archive/load-test.md' });
   * ```
   */
  addEvidence(
    id: string,
    did: string,
    body: FieldsOf<EngagementsAddEvidenceBody>,
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
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.deleteEvidence('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  deleteEvidence(
    id: string,
    eid: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsDeleteEvidenceQuery> },
  ): Promise<EngagementsDeleteEvidenceAnswer>;
  /**
   * Gates in the order they were added, with every verdict so far; `at` answers as it was then.
   *
   * `GET /engagements/{id}/gates`
   *
   * @param id Id of the engagement.
   * @returns Gates.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.listGates('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  listGates(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsListGatesQuery> },
  ): Promise<EngagementsListGatesAnswer>;
  /**
   * Adds a gate, which needs a measurement procedure.
   *
   * `POST /engagements/{id}/gates`
   *
   * @param id Id of the engagement.
   * @returns The gate.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.addGate('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { phase: 'prove', title: 'Fast enough', criterion: 'p95 is below 200 ms.', measurement: 'Read p95 of a load test.' });
   * ```
   */
  addGate(id: string, body: FieldsOf<EngagementsAddGateBody>, options?: CallOptions): Promise<EngagementsAddGateAnswer>;
  /**
   * Records a verdict; earlier ones stay. A pass needs `observed`.
   *
   * `POST /engagements/{id}/gates/{gid}/judge`
   *
   * @param id Id of the engagement.
   * @param gid Id of the gate.
   * @returns The gate.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.judgeGate('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', { verdict: 'pass', observed: 'p95 is 140 ms.', rationale: 'Measured twice.' });
   * ```
   */
  judgeGate(
    id: string,
    gid: string,
    body: FieldsOf<EngagementsJudgeGateBody>,
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
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.deleteGate('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  deleteGate(
    id: string,
    gid: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsDeleteGateQuery> },
  ): Promise<EngagementsDeleteGateAnswer>;
  /**
   * The status report; `at` answers as it was then.
   *
   * `GET /engagements/{id}/report.md`
   *
   * @param id Id of the engagement.
   * @returns The document.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.report('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  report(id: string, options?: CallOptions & { readonly query?: FieldsOf<EngagementsReportQuery> }): Promise<string>;
  /**
   * The status report as PDF: the same text, with page numbers and bookmarks; `at` answers as it was then.
   *
   * `GET /engagements/{id}/report.pdf`
   *
   * @param id Id of the engagement.
   * @returns The document.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @throws DaybookError 413: The PDF exceeds a bound that the error names.
   * @throws DaybookError 503: Too many documents are waiting.
   * @throws DaybookError 504: The document takes too long to set.
   * @example
   * ```ts
   * const answer = await client.engagements.reportPdf('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  reportPdf(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsReportPdfQuery> },
  ): Promise<Uint8Array>;
  /**
   * The handover pack; `at` answers as it was then.
   *
   * `GET /engagements/{id}/handover.md`
   *
   * @param id Id of the engagement.
   * @returns The document.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @example
   * ```ts
   * const answer = await client.engagements.handover('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  handover(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsHandoverQuery> },
  ): Promise<string>;
  /**
   * The handover pack as PDF: the same text, with page numbers and bookmarks; `at` answers as it was then.
   *
   * `GET /engagements/{id}/handover.pdf`
   *
   * @param id Id of the engagement.
   * @returns The document.
   * @throws DaybookError 400: A field that is missing or not allowed; the message names it.
   * @throws DaybookError 404: It does not exist, or did not exist at that time.
   * @throws DaybookError 413: The PDF exceeds a bound that the error names.
   * @throws DaybookError 503: Too many documents are waiting.
   * @throws DaybookError 504: The document takes too long to set.
   * @example
   * ```ts
   * const answer = await client.engagements.handoverPdf('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  handoverPdf(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsHandoverPdfQuery> },
  ): Promise<Uint8Array>;
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
    options?: CallOptions & { readonly query?: FieldsOf<EngagementsEvidenceBundleQuery> },
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
  build(body: FieldsOf<IndexBuildBody>, options?: CallOptions): Promise<IndexBuildAnswer>;
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
  search(options: CallOptions & { readonly query: FieldsOf<IndexSearchQuery> }): Promise<IndexSearchAnswer>;
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
  stream(options?: StreamOptions & FieldsOf<IndexStreamQuery>): EventStream<BuildMessage>;
}

export interface EmbeddingsOperations {
  /**
   * Embedding providers with their models and availability, the chosen model, and what Ollama has installed.
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
   * @returns One vector for each text; `dimension` is their length, null without texts.
   * @throws DaybookError 400: Unknown provider, empty model, bad kind, too many texts, or no key.
   * @throws DaybookError 500: The provider failed.
   * @example
   * ```ts
   * const answer = await client.embeddings.embed({ texts: ['The parser fails on an empty line.'], kind: 'query' });
   * ```
   */
  embed(body: FieldsOf<EmbeddingsEmbedBody>, options?: CallOptions): Promise<EmbeddingsEmbedAnswer>;
}

export interface OfficeOperations {
  /**
   * The state of the converter, examined now, and the formats that it reads.
   *
   * `GET /office/soffice`
   *
   * @returns The state.
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
  setConverterPath(
    body: FieldsOf<OfficeSetConverterPathBody>,
    options?: CallOptions,
  ): Promise<OfficeSetConverterPathAnswer>;
  /**
   * Converts a document. The result is a file; the same input, target and engine get that file again.
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
  convert(body: FieldsOf<OfficeConvertBody>, options?: CallOptions): Promise<OfficeConvertAnswer>;
}

export interface FilesOperations {
  /**
   * A text file of the workspace as PDF: markdown is rendered, other text has line numbers.
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
  exportPdf(body: FieldsOf<FilesExportPdfBody>, options?: CallOptions): Promise<Uint8Array>;
}

export interface BriefingOperations {
  /**
   * Settings, the briefings so far, newest first, and the schedule; `wait` delays the answer until none is made.
   *
   * `GET /briefing`
   *
   * @returns As of now.
   * @throws DaybookError 400: An unknown field, a value that is not allowed, or only one of provider and model.
   * @example
   * ```ts
   * const answer = await client.briefing.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<BriefingListQuery> }): Promise<BriefingListAnswer>;
  /**
   * Changes the given fields, for every briefing from now on.
   *
   * `PUT /briefing/settings`
   *
   * @returns The settings as they are now.
   * @throws DaybookError 400: An unknown field, a value that is not allowed, or only one of provider and model.
   * @example
   * ```ts
   * const answer = await client.briefing.updateSettings({ enabled: true, time: '07:30', sections: ['runs', 'goals'] });
   * ```
   */
  updateSettings(body?: FieldsOf<BriefingUpdateSettingsBody>, options?: CallOptions): Promise<BriefingSettings>;
  /**
   * Starts a briefing now; the settings in the body apply to this one only.
   *
   * `POST /briefing/generate`
   *
   * @returns It is being made.
   * @throws DaybookError 400: An unknown field, a value that is not allowed, or only one of provider and model.
   * @throws DaybookError 409: One is being made already: `id` names it. Or the Idempotency-Key was used with another body.
   * @example
   * ```ts
   * const answer = await client.briefing.generate({ enabled: true, time: '07:30', sections: ['runs', 'goals'] });
   * ```
   */
  generate(body?: FieldsOf<BriefingGenerateBody>, options?: CallOptions): Promise<BriefingGenerateAnswer>;
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
   * @throws DaybookError 400: The text holds nothing to speak.
   * @throws DaybookError 413: More than 100000 characters, or more than is spoken at once.
   * @throws DaybookError 503: The chosen engine cannot speak; the error says what to install.
   * @example
   * ```ts
   * const answer = await client.briefing.speak({ text: 'The parser fails on an empty line.' });
   * ```
   */
  speak(body: FieldsOf<BriefingSpeakBody>, options?: CallOptions): Promise<Uint8Array>;
}

export interface RoomsOperations {
  /**
   * Opens a room; an open room stays as it is. A closed room has kept its texts.
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
  open(body: FieldsOf<RoomsOpenBody>, options?: CallOptions): Promise<RoomsOpenAnswer>;
  /**
   * Ids of the open rooms: those with peers, and those that wait for their first peer.
   *
   * `GET /collab/rooms`
   *
   * @returns At most 10000, in no order; at most 100000 with `all`.
   * @example
   * ```ts
   * const answer = await client.rooms.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<RoomsListQuery> }): Promise<RoomsListAnswer>;
  /**
   * The peers of an open room.
   *
   * `GET /collab/rooms/{room_id}/peers`
   *
   * @param roomId The room.
   * @returns Its peers; empty while it waits for the first one.
   * @throws DaybookError 404: Unknown room, or a closed one, which all peers have left.
   * @example
   * ```ts
   * const answer = await client.rooms.peers('standup');
   * ```
   */
  peers(roomId: string, options?: CallOptions): Promise<RoomsPeersAnswer>;
}

export interface VoiceOperations {
  /**
   * Transcribes a recording: JSON with base64, or the audio itself with X-Voice-Language, X-Voice-Prefer-Local.
   *
   * `POST /voice/transcribe`
   *
   * @returns What was said, and whether the audio stayed on this machine.
   * @throws DaybookError 400: The body is empty, no JSON, or no base64.
   * @throws DaybookError 413: The body has more than 16 MB.
   * @throws DaybookError 415: The audio is of none of the seven types.
   * @throws DaybookError 503: No engine, or none that succeeded; the error tells the user what to do.
   * @example
   * ```ts
   * const answer = await client.voice.transcribe({ audio_base64: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=' });
   * ```
   */
  transcribe(
    body:
      | FieldsOf<VoiceTranscribeBody>
      | { readonly type: 'audio/webm'; readonly bytes: Bytes }
      | { readonly type: 'audio/wav'; readonly bytes: Bytes }
      | { readonly type: 'audio/mp4'; readonly bytes: Bytes }
      | { readonly type: 'audio/mpeg'; readonly bytes: Bytes }
      | { readonly type: 'audio/ogg'; readonly bytes: Bytes }
      | { readonly type: 'audio/flac'; readonly bytes: Bytes }
      | { readonly type: 'audio/aac'; readonly bytes: Bytes },
    options?: CallOptions,
  ): Promise<VoiceTranscribeAnswer>;
  /**
   * The speech recognition of this machine. What is found out about the machine is kept for a minute.
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
   * Changes the given fields. provider and model go together; both empty clears them.
   *
   * `PUT /voice/settings`
   *
   * @returns The stored settings.
   * @throws DaybookError 400: Only one of provider and model, an unknown engine, or one that cannot run here.
   * @example
   * ```ts
   * const answer = await client.voice.updateSettings({ engine: 'system', language: 'en' });
   * ```
   */
  updateSettings(body: FieldsOf<VoiceUpdateSettingsBody>, options?: CallOptions): Promise<VoiceUpdateSettingsAnswer>;
}

export interface PluginsOperations {
  /**
   * The components that are in force in a project, by kind, and the installed plugins that are not in force.
   *
   * `GET /api/vibedesk/plugins`
   *
   * @returns The components, verified for this answer.
   * @throws DaybookError 400: path names no folder that may be used.
   * @example
   * ```ts
   * const answer = await client.plugins.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<PluginsListQuery> }): Promise<PluginsListAnswer>;
  /**
   * Every plugin that can be installed, and its state in a project.
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
  catalog(options?: CallOptions & { readonly query?: FieldsOf<PluginsCatalogQuery> }): Promise<PluginsCatalogAnswer>;
  /**
   * Installs a plugin of the catalogue as a signed folder; a bundle with its members and connectors.
   *
   * `POST /api/vibedesk/plugins/install`
   *
   * @returns The plugin is installed, and on.
   * @throws DaybookError 400: No such plugin, already there without force, or it cannot be written.
   * @example
   * ```ts
   * const answer = await client.plugins.install({ name: 'core-test-first' });
   * ```
   */
  install(body: FieldsOf<PluginsInstallBody>, options?: CallOptions): Promise<PluginsInstallAnswer>;
  /**
   * Turns a plugin on or off, also one that is not installed.
   *
   * `POST /api/vibedesk/plugins/policy`
   *
   * @returns The policy in force.
   * @throws DaybookError 400: Another policy than on or off, or the settings require the plugin.
   * @example
   * ```ts
   * const answer = await client.plugins.setPolicy({ name: 'core-test-first', policy: 'off' });
   * ```
   */
  setPolicy(body: FieldsOf<PluginsSetPolicyBody>, options?: CallOptions): Promise<PluginsSetPolicyAnswer>;
  /**
   * Removes a plugin’s folder and its policy. The members and the connectors of a bundle stay.
   *
   * `POST /api/vibedesk/plugins/uninstall`
   *
   * @returns `removed` is false when the plugin was not installed.
   * @throws DaybookError 400: The settings require the plugin, or its folder cannot be removed.
   * @example
   * ```ts
   * const answer = await client.plugins.uninstall({ name: 'core-test-first' });
   * ```
   */
  uninstall(body: FieldsOf<PluginsUninstallBody>, options?: CallOptions): Promise<PluginsUninstallAnswer>;
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
  list(options?: CallOptions & { readonly query?: FieldsOf<ConnectorsListQuery> }): Promise<ConnectorsListAnswer>;
  /**
   * Configures a connector: of the catalogue by catalog_id, or one of your own by id and command.
   *
   * `POST /api/vibedesk/connectors`
   *
   * @returns The configured connector.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @throws DaybookError 409: The workspace has as many connectors as it can have.
   * @throws DaybookError 503: Credentials cannot be kept or deleted; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.connectors.add({ catalog_id: 'filesystem', path: '/home/ada/notes' });
   * ```
   */
  add(body: FieldsOf<ConnectorsAddBody>, options?: CallOptions): Promise<ConnectorsAddAnswer>;
  /**
   * Enables or disables a connector; a disabled one is not launched and keeps its credentials.
   *
   * `POST /api/vibedesk/connectors/toggle`
   *
   * @returns The new state.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @example
   * ```ts
   * const answer = await client.connectors.toggle({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35', enabled: true });
   * ```
   */
  toggle(body: FieldsOf<ConnectorsToggleBody>, options?: CallOptions): Promise<ConnectorsToggleAnswer>;
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
  remove(body: FieldsOf<ConnectorsRemoveBody>, options?: CallOptions): Promise<ConnectorsRemoveAnswer>;
  /**
   * Launches the server, lists its tools and ends it: within 45 s, and at once when the connector is removed or disabled. Nothing is recorded.
   *
   * `POST /api/vibedesk/connectors/probe`
   *
   * @returns The result of the probe.
   * @throws DaybookError 400: A field is missing or not allowed; nothing was changed.
   * @throws DaybookError 503: Too many probes run and wait already.
   * @example
   * ```ts
   * const answer = await client.connectors.probe({ id: '5f2c9a7e1d3b48c6a0e4f7b29d8c1a35' });
   * ```
   */
  probe(body: FieldsOf<ConnectorsProbeBody>, options?: CallOptions): Promise<ConnectorsProbeAnswer>;
}

export interface McpOperations {
  /**
   * MCP over Streamable HTTP: messages of a client, answered as JSON or as a stream.
   *
   * `POST /mcp`
   *
   * @returns The answers, after notifications of progress. Or: The messages need no answer.
   * @throws DaybookError 400: No message of MCP, or a header that does not fit it.
   * @throws DaybookError 404: Unknown session, or one that has ended.
   * @throws DaybookError 406: The client does not accept what this route answers.
   * @throws DaybookError 415: The body is no JSON.
   * @throws DaybookError 429: There are too many sessions.
   * @example
   * ```ts
   * for await (const event of client.mcp.send({ jsonrpc: '2.0' })) console.log(event);
   * ```
   */
  send(body: FieldsOf<McpSendBody>, options?: StreamOptions): EventStream<McpSendEvent>;
  /**
   * The stream of messages that the server sends by itself; with `Last-Event-ID` an interrupted stream continues.
   *
   * `GET /mcp`
   *
   * @returns The stream.
   * @throws DaybookError 400: No message of MCP, or a header that does not fit it.
   * @throws DaybookError 404: Unknown session, or one that has ended.
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
   * @throws DaybookError 404: Unknown session, or one that has ended.
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
   * Offers a pairing token, which can be exchanged once, within five minutes.
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
   * Exchanges a pairing token for the bearer token; from another machine and through a proxy with the code shown at the daemon.
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
  exchange(body: FieldsOf<PairingExchangeBody>, options?: CallOptions): Promise<PairingExchangeAnswer>;
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
  dora(options: CallOptions & { readonly query: FieldsOf<DevexDoraQuery> }): Promise<DevexDoraAnswer>;
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
  practices(options: CallOptions & { readonly query: FieldsOf<DevexPracticesQuery> }): Promise<DevexPracticesAnswer>;
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
  onboarding(options: CallOptions & { readonly query: FieldsOf<DevexOnboardingQuery> }): Promise<DevexOnboardingAnswer>;
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
  scorecard(options: CallOptions & { readonly query: FieldsOf<DevexScorecardQuery> }): Promise<DevexScorecardAnswer>;
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
  space(options: CallOptions & { readonly query: FieldsOf<DevexSpaceQuery> }): Promise<DevexSpaceAnswer>;
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
  scorecardMarkdown(options: CallOptions & { readonly query: FieldsOf<DevexScorecardMarkdownQuery> }): Promise<string>;
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
  scorecardPage(options: CallOptions & { readonly query: FieldsOf<DevexScorecardPageQuery> }): Promise<string>;
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
  survey(options: CallOptions & { readonly query: FieldsOf<DevexSurveyQuery> }): Promise<string>;
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
   * The capabilities of the daemon.
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
   * Envelopes after a position, filtered by stream, type, actor, correlation and time (Unix milliseconds); `next` is where to go on, null at the head. With `before` they are those before that position, the newest first.
   *
   * `GET /v1/events`
   *
   * @returns A page.
   * @example
   * ```ts
   * const answer = await client.log.list();
   * ```
   */
  list(options?: CallOptions & { readonly query?: FieldsOf<LogListQuery> }): Promise<LogListAnswer>;
  /**
   * The same envelopes as SSE, `id:` = position: history, then live, without end; `stream` and `type` filter.
   *
   * `GET /v1/events/stream`
   *
   * @returns The stream.
   * @example
   * ```ts
   * for await (const event of client.log.events()) console.log(event);
   * ```
   */
  events(options?: StreamOptions & FieldsOf<LogEventsQuery>): EventStream<Envelope>;
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
   * Deletes every view and folds the log again; other routes answer 503 meanwhile.
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
  proof(options: CallOptions & { readonly query: FieldsOf<LogProofQuery> }): Promise<InclusionProof>;
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
  consistency(options: CallOptions & { readonly query: FieldsOf<LogConsistencyQuery> }): Promise<ConsistencyProof>;
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
  checkpoints(
    options?: CallOptions & { readonly query?: FieldsOf<LogCheckpointsQuery> },
  ): Promise<LogCheckpointsAnswer>;
  /**
   * The evidence bundle of an engagement, a run or a goal, of a stream, or of a range of positions.
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
  evidenceBundle(options?: CallOptions & { readonly query?: FieldsOf<LogEvidenceBundleQuery> }): Promise<Uint8Array>;
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
   * @throws DaybookError 409: The key was replaced meanwhile.
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
  timestamp(body?: FieldsOf<TlogTimestampBody>, options?: CallOptions): Promise<TlogTimestampAnswer>;
  /**
   * Cosigns a checkpoint of a trusted log that continues the one before it (c2sp.org/tlog-witness).
   *
   * `POST /v1/tlog/add-checkpoint`
   *
   * @returns The signature line of this witness.
   * @throws DaybookError 403: No trusted key of the log signed it, or a signature is wrong.
   * @throws DaybookError 404: The log is not trusted here.
   * @throws DaybookError 409: Another size was cosigned last: the body. Or the Idempotency-Key was used with another body.
   * @throws DaybookError 422: It does not continue the checkpoint that was cosigned before.
   * @throws DaybookError 503: The witness cannot cosign at the moment.
   * @example
   * ```ts
   * const answer = await client.tlog.addCheckpoint({ type: 'text/plain', bytes: new Blob(['daybook.local/0123456789abcdef\n42\n']) });
   * ```
   */
  addCheckpoint(body: { readonly type: 'text/plain'; readonly bytes: Bytes }, options?: CallOptions): Promise<string>;
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
   * @returns The present settings.
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
   * @returns The present settings.
   * @throws DaybookError 409: The limit of their number is reached.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.addWitness({ url: 'http://127.0.0.1:7878', vkey: 'example.org/log+1fd7b933+BAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH' });
   * ```
   */
  addWitness(body: FieldsOf<TlogAddWitnessBody>, options?: CallOptions): Promise<TlogAddWitnessAnswer>;
  /**
   * Removes a witness.
   *
   * `DELETE /v1/log/witnesses`
   *
   * @returns The present settings.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.removeWitness({ query: { vkey: 'vkey' } });
   * ```
   */
  removeWitness(
    options: CallOptions & { readonly query: FieldsOf<TlogRemoveWitnessQuery> },
  ): Promise<TlogRemoveWitnessAnswer>;
  /**
   * Trusts a log: its checkpoints are cosigned here.
   *
   * `POST /v1/log/trusted`
   *
   * @returns The present settings.
   * @throws DaybookError 409: The limit of their number is reached.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.trustLog({ vkey: 'example.org/log+338375d0+AQcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH' });
   * ```
   */
  trustLog(body: FieldsOf<TlogTrustLogBody>, options?: CallOptions): Promise<TlogTrustLogAnswer>;
  /**
   * Removes a trusted log. The record of what was cosigned for it stays.
   *
   * `DELETE /v1/log/trusted`
   *
   * @returns The present settings.
   * @throws DaybookError 503: The key of the log cannot be used; says why.
   * @example
   * ```ts
   * const answer = await client.tlog.distrustLog({ query: { vkey: 'vkey' } });
   * ```
   */
  distrustLog(
    options: CallOptions & { readonly query: FieldsOf<TlogDistrustLogQuery> },
  ): Promise<TlogDistrustLogAnswer>;
}

export interface StorageOperations {
  /**
   * Starts a backup, a verified backup, a compaction or a verification; one at a time.
   *
   * `POST /v1/storage/operations`
   *
   * @returns The operation, which runs now.
   * @throws DaybookError 400: The request does not fit this store.
   * @throws DaybookError 409: Another operation runs.
   * @example
   * ```ts
   * const answer = await client.storage.startOperation({ kind: 'backup', to: '/home/ada/backup' });
   * ```
   */
  startOperation(body: FieldsOf<StorageStartOperationBody>, options?: CallOptions): Promise<StorageOperation>;
  /**
   * An operation, after `wait` milliseconds or once it has ended.
   *
   * `GET /v1/storage/operations/{id}`
   *
   * @param id Id of the operation.
   * @returns Its progress, and its result once it has ended.
   * @throws DaybookError 404: Unknown operation; only the latest ones are kept.
   * @example
   * ```ts
   * const answer = await client.storage.getOperation('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  getOperation(
    id: string,
    options?: CallOptions & { readonly query?: FieldsOf<StorageGetOperationQuery> },
  ): Promise<StorageOperation>;
  /**
   * Cancels a running backup: it ends soon, and its files are removed. One that has ended stays as it is.
   *
   * `POST /v1/storage/operations/{id}/cancel`
   *
   * @param id Id of the operation.
   * @returns The operation, which may run on until its copy is complete.
   * @throws DaybookError 404: Unknown operation; only the latest ones are kept.
   * @throws DaybookError 409: A compaction or a verification runs, which cannot be cancelled.
   * @example
   * ```ts
   * const answer = await client.storage.cancelOperation('5f2c9a7e1d3b48c6a0e4f7b29d8c1a35');
   * ```
   */
  cancelOperation(id: string, options?: CallOptions): Promise<StorageOperation>;
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
   * Resizes the block cache of the lsm engine.
   *
   * `POST /v1/storage/cache`
   *
   * @returns The new size.
   * @throws DaybookError 400: The request does not fit this store.
   * @example
   * ```ts
   * const answer = await client.storage.resizeCache({ block_cache_mb: 64 });
   * ```
   */
  resizeCache(body: FieldsOf<StorageResizeCacheBody>, options?: CallOptions): Promise<StorageResizeCacheAnswer>;
  /**
   * How far the removal of erased payloads from the files of the store is, which is done in the background.
   *
   * `GET /v1/log/erasures`
   *
   * @returns As of now.
   * @example
   * ```ts
   * const answer = await client.storage.erasures();
   * ```
   */
  erasures(options?: CallOptions): Promise<Erasures>;
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
  history(options?: CallOptions & { readonly query?: FieldsOf<MetricsHistoryQuery> }): Promise<MetricsHistory>;
}

export interface WebOperations {
  /**
   * The console, in a browser.
   *
   * `GET /web`
   *
   * @returns The page.
   * @throws DaybookError 503: A checkout without the packages that build the page; says what to do.
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
  /** The fault in one sentence. */
  readonly error: string;
};
export type Health = {
  /** `ok`, or `degraded` while writes or views are refused. */
  readonly status: string;
  /**
   * Name of this program.
   * @constant
   */
  readonly service: 'daybook';
  /** Version of the daemon. */
  readonly version: string;
  /** The age of the bearer token. */
  readonly api_token: {
    /** Unix time in seconds. */
    readonly minted_at_unix: number;
    /** Seconds since the token was made. */
    readonly age_seconds: number;
    /** How to get another token. */
    readonly rotation_doc: string;
  };
  /** Always null: this daemon has no such cache. */
  readonly kv_cache_codec_probe: null;
  /** The code graph, which this daemon does not have. */
  readonly graph: {
    /**
     * State of the index.
     * @enum {string}
     */
    readonly status: 'indexing' | 'ready' | 'disabled';
  };
  /** The code index of the selected embedding model. */
  readonly embedding:
    | {
        /**
         * Whether there is an index of the selected model.
         * @enum {string}
         */
        readonly status: 'indexed' | 'not_indexed';
        /** The provider of the model, such as `anthropic` or `ollama`. */
        readonly provider: string;
        /** Name of the model at its provider. */
        readonly model: string;
        /** Numbers in a vector; null when it is not known yet. */
        readonly dimensions: number | null;
        /** Whether texts stay on this machine. */
        readonly local: boolean;
        /** The selection in words for a person. */
        readonly description: string;
        /** Pieces of text in the index; null without one. */
        readonly chunks: number | null;
        /** Files in the index; null without one. */
        readonly files: number | null;
        /** Models of which there is an index too. */
        readonly other_indexes: readonly string[];
      }
    | {
        /**
         * The settings name no model that can be asked.
         * @constant
         */
        readonly status: 'misconfigured';
        /** The fault in one sentence. */
        readonly error: string;
      };
  /** The skill forge, which this daemon does not have. */
  readonly skillforge: {
    /**
     * Whether it is at work.
     * @enum {string}
     */
    readonly status: 'disabled' | 'loading' | 'ready';
    /** Number of forged skills. */
    readonly skills: number;
    /** Number of stored reports. */
    readonly cached_reports: number;
    /** The tools that it found. */
    readonly toolchain: string;
  };
  /** By name, whether a capability can be used, and settings of it. */
  readonly features: {
    readonly [key: string]: {
      /** Whether it can be used on this machine. */
      readonly available: boolean;
    } & {
      readonly [key: string]: Json;
    };
  };
  /** Model providers that can be asked. */
  readonly providers: {
    /** The number of names. */
    readonly configured_count: number;
    /** Those with a key, or that need none. */
    readonly names: readonly string[];
  };
  /** The memory: memories, facts and drawers. */
  readonly memory: {
    /** Always true: the memory cannot be switched off. */
    readonly enabled: boolean;
    /** Folder of the memory's data. */
    readonly store_path: string;
    /** Memories in the memory, drawers not counted. */
    readonly total_memories: number;
    /** Drawers in the memory. */
    readonly drawer_count: number;
    /** Whether texts are stored as ciphertext. */
    readonly encryption_enabled: boolean;
    /**
     * `warming`: some entries cannot be found yet. `locked`: the key is missing.
     * @enum {string}
     */
    readonly status?: 'warming' | 'locked';
    /** Without the error: a provider may repeat a text in it. */
    readonly embedding?: {
      /** null when the settings name no provider that exists. */
      readonly provider: string | null;
      /** Name of the model at its provider; null when the settings name none. */
      readonly model: string | null;
      /** As measured from an answer of the model; null before the first one. */
      readonly dimension: number | null;
      /** Entries (memories and drawers) with a vector of this model. */
      readonly embedded: number;
      /** All entries. */
      readonly total: number;
      /**
       * `complete`: the model was asked for every entry. `embedding`: under way. `waiting`: the provider failed and is tried again. `loading`: vectors are read from disk. `locked`: texts cannot be read. `misconfigured`: the settings allow no request.
       * @enum {string}
       */
      readonly state: 'complete' | 'embedding' | 'waiting' | 'loading' | 'locked' | 'misconfigured';
      /** Entries that the provider refuses; they keep their built-in vector. Absent when there are none. */
      readonly skipped?: number;
    };
  };
  /** The signed state of the log. */
  readonly checkpoints: {
    /** Events that the newest checkpoint covers; null before the first one. */
    readonly size: number | null;
    /** Unix time in milliseconds. */
    readonly at: number | null;
    /** Signatures of witnesses under the newest checkpoint. */
    readonly witnesses: {
      /** Witnesses that have to sign a checkpoint. */
      readonly needed: number;
      /** Witnesses that signed the newest checkpoint. */
      readonly cosigned: number;
      /** Fewer witnesses than needed signed. */
      readonly missing: boolean;
    };
    /** Why the log is not signed or not cosigned as it should be; null when it is. */
    readonly warning: string | null;
  };
  /** The event log and its store. */
  readonly log: {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    /** Storage engine: `cow`, `lsm`, `embedded_kv`, `memory` or `postgres`. */
    readonly backend: string;
    /** Why writes are refused; null while they are accepted. */
    readonly failure: string | null;
  };
  /** The read models. */
  readonly views: {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    /** Why reads are refused; null while they are answered. */
    readonly unavailable: string | null;
  };
  /** Seconds since the start of the daemon. */
  readonly uptime_seconds: number;
};
/** Any JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | {
      readonly [key: string]: Json;
    };
export type ChatRequest = {
  /** The conversation so far, oldest first. */
  readonly messages: readonly {
    /** `system`, `assistant`, or anything else for the user. */
    readonly role: string;
    /** Text of the message. */
    readonly content: string;
  }[];
  /** Absent: the selected one. */
  readonly provider?: string | null;
  /** Absent: that of the provider. */
  readonly model?: string | null;
};
/**
 * @example {
 *       "task": "Make the parser accept empty lines.",
 *       "approval": "auto-edit",
 *       "workspace_root": "/home/ada/notes"
 *     }
 */
export type AgentRequest = {
  /** The task of the agent. */
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
  /** `chat` has no tools, `sandbox` is as `agent` in this build; anything else is `agent`. */
  readonly mode?: string | null;
  /** Folder in which the agent works. */
  readonly workspace_root?: string | null;
  /** Another name of `workspace_root`. */
  readonly project_path?: string | null;
  /** Another name of `workspace_root`. */
  readonly cwd?: string | null;
  /** Effort: minimal, low, medium, high or extra-high; anything else is none. */
  readonly reasoning?: string | null;
  /** Continues this run, with its conversation and its folder. */
  readonly resume_session_id?: string | null;
  /** The id of the new run, for a caller that must know it beforehand; one that exists is 409. */
  readonly session_id?: string | null;
  /** Accepted for older clients, and without effect. */
  readonly context_request?: {
    /** What the run is for. Without effect. */
    readonly kind?: ('Chat' | 'CodingAgent' | 'ResearchAgent' | 'BackgroundJob') | null;
    /** Without effect. */
    readonly openmemory_enabled?: boolean | null;
    /** Without effect. */
    readonly openmemory_auto_inject?: boolean | null;
  } | null;
};
/**
 * @example {
 *       "type": "chunk",
 *       "content": "The parser"
 *     }
 */
export type AgentEvent = {
  /**
   * What the rest is about; `complete`, `partial` and `error` end the stream.
   * @enum {string}
   */
  readonly type: 'user' | 'chunk' | 'step' | 'system' | 'retry' | 'complete' | 'partial' | 'error';
  /** Text: of the model, of the user or about the run. */
  readonly content?: string;
  /** Number of the tool call, from 1. */
  readonly step_num?: number;
  /** Name of the tool. */
  readonly tool_name?: string;
  /** Whether the tool call succeeded. */
  readonly success?: boolean;
  /** Steps of the plan that were carried out. */
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
  /** Id of the approval. */
  readonly id: string;
  /** The run. */
  readonly session_id: string;
  /** Name of the tool. */
  readonly tool_name: string;
  /** Arguments of the tool call. */
  readonly input: Json;
  /** Unix time in milliseconds. */
  readonly requested_at: number;
  /** Unix time in milliseconds. */
  readonly expires_at: number;
  /**
   * `cancelled`: its run ended or went on, and the log has no answer.
   * @enum {string}
   */
  readonly status: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';
  /** What was answered; null without an answer. */
  readonly decision: ('allow_once' | 'allow_run' | 'deny') | null;
  /** Why, in the words of who answered; null without them. */
  readonly reason: string | null;
  /** Unix time in milliseconds. */
  readonly decided_at: number | null;
};
export type JobRecord = {
  /** The run. */
  readonly session_id: string;
  /** The task of the agent. */
  readonly task: string;
  /**
   * `partial`: it ended with planned steps left.
   * @enum {string}
   */
  readonly status: 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  /** Who answers. */
  readonly provider: string;
  /** When its newest request began; while that waits, when it was made. */
  readonly started_at: number;
  /** When its newest request ended; null before that. */
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
  /** When its first request began: before `started_at` if it was resumed. */
  readonly first_started_at: number;
  /** Milliseconds that its ended requests took, without the time between them. */
  readonly took_ms: number;
  /** Why it was cancelled; null when it was not. */
  readonly cancellation_reason: string | null;
  /** Tool calls that have ended. */
  readonly steps_completed: number;
  /** Tool calls that were not run: not allowed, or of no tool that the run has. */
  readonly calls_rejected: number;
  /** Tokens of the model calls so far. */
  readonly tokens_used: number;
  /** Files that the run changed, except those of a command that a kill of the daemon cut off. */
  readonly files_modified: readonly string[];
  /** The run that this one continues; null for a run of its own. */
  readonly parent_session_id: string | null;
  /** The daemon that executes it at this moment, or executed it last; where several daemons are set. */
  readonly node?: {
    /** Id of the daemon. */
    readonly id: string;
    /** Its name for people. */
    readonly name: string;
  } | null;
  /** Why no daemon executes it; where several daemons, or some folders, are set. */
  readonly waiting?: string | null;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type AsOf = {
  /** `at` of the request. */
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
  /** Whether the rules of today ask for the same effects in the same order. */
  readonly identical: boolean;
  /** Events of the run that were folded. */
  readonly events: number;
  /** Effects that were compared. */
  readonly effects: number;
  /** The first difference; null without one. */
  readonly divergence: {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    /** Number of the event in the stream of the run, from 1. */
    readonly version: number;
    /** What differs in it. */
    readonly field: string;
    /** The recorded value. */
    readonly recorded: Json;
    /** The value that the present rules compute. */
    readonly replayed: Json;
  } | null;
};
export type Session = {
  /** Id of the run. */
  readonly id: string;
  /** The task of the agent. */
  readonly task: string;
  /** The provider of the model, such as `anthropic` or `ollama`. */
  readonly provider: string;
  /** Name of the model at its provider. */
  readonly model: string;
  /** Unix time in milliseconds. */
  readonly started_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  /**
   * `partial`: it ended with planned steps left.
   * @enum {string}
   */
  readonly status: 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  /** Its result, or why it failed; null before its end. */
  readonly summary: string | null;
  /** Tool calls so far. */
  readonly step_count: number;
  /** The run that this one continues; null for a run of its own. */
  readonly parent_session_id: string | null;
  /** The number of runs that it descends from. */
  readonly depth: number;
  /** Folder of the project. */
  readonly project_path: string | null;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type ApprovalPolicy = {
  /** The policy that was set; null while the configured one applies. */
  readonly policy: ('suggest' | 'auto-edit' | 'full-auto' | 'read-only' | 'chat-only') | null;
  /**
   * `approval` in config.json, or DAYBOOK_APPROVAL.
   * @enum {string}
   */
  readonly configured: 'suggest' | 'auto-edit' | 'full-auto' | 'read-only' | 'chat-only';
  /**
   * The policy of a run whose request names none.
   * @enum {string}
   */
  readonly effective: 'suggest' | 'auto-edit' | 'full-auto' | 'read-only' | 'chat-only';
};
export type AcpTask = {
  /** Id of the task: `acp-` and the id of its run. */
  readonly id: string;
  /**
   * How far it is; `pending` while its run waits to begin.
   * @enum {string}
   */
  readonly status: 'pending' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';
  /** What it did or why it failed; before its end, what it waits for. */
  readonly summary: string;
  /** Files that the run changed, except those of a command that a kill of the daemon cut off. */
  readonly files_modified: readonly string[];
  /** Tool calls that have ended. */
  readonly steps_completed: number;
};
export type Delivery = {
  /** Id of the delivery in this daemon. */
  readonly id: string;
  /** As the sender named it; null when it named none. */
  readonly delivery_id: string | null;
  /**
   * A forge's event, or a call that starts a skill.
   * @enum {string}
   */
  readonly kind: 'forge' | 'skill';
  /** Name of the forge's event; null for a skill. */
  readonly event: string | null;
  /**
   * What came of it; `pending` while a review is made.
   * @enum {string}
   */
  readonly status: 'ignored' | 'pending' | 'reviewed' | 'failed' | 'triggered';
  /** The pull request; of an ignored delivery the action alone. */
  readonly request:
    | (
        | ForgeRequest
        | {
            /** What happened to the pull request, as the forge names it. */
            readonly action: string;
          }
      )
    | null;
  /** Findings of the review; null without one, and when it is erased. */
  readonly findings: number | null;
  /** The review in a sentence or two; null without one. */
  readonly summary: string | null;
  /** Why the review failed; null when it did not. */
  readonly error: string | null;
  /** Name of the started skill; null for a forge's event. */
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
  /** What happened to the pull request, as the forge names it. */
  readonly action: string;
  /** Repository as owner/name. */
  readonly repository: string;
  /** Number of the pull request. */
  readonly number: number;
  /** One line that names it. */
  readonly title: string;
  /** The newest commit of the pull request. */
  readonly head: {
    /** Hash of the commit. */
    readonly sha: string;
    /** Branch that it is on. */
    readonly ref: string;
  };
  /** The commit that it is to be merged into. */
  readonly base: {
    /** Hash of the commit. */
    readonly sha: string;
    /** Branch that it is on. */
    readonly ref: string;
  };
  /** Where the forge offers the diff. */
  readonly diff_url: string;
  /** Where the repository can be cloned from; null when the forge named none. */
  readonly clone_url: string | null;
};
export type Finding = {
  /** Path in the repository; null when it is about no file. */
  readonly file: string | null;
  /** Line in the file, from 1; null when it is about none. */
  readonly line: number | null;
  /** As the model named it; null when it named none. */
  readonly severity: string | null;
  /** One line that names it. */
  readonly title: string;
  /** What is wrong, and why. */
  readonly detail: string;
};
export type Task = {
  /** Id of the task. */
  readonly id: string;
  /** One line that names it. */
  readonly title: string;
  /**
   * How far it is.
   * @enum {string}
   */
  readonly status: 'draft' | 'queued' | 'running' | 'reviewing' | 'partial' | 'completed' | 'failed';
  /** The one named at creation, else the one selected then. */
  readonly provider: string;
  /** The one named at creation; empty for that of the provider. */
  readonly model: string;
  /** Always empty: tasks make no branch. */
  readonly branch: string;
  /** Always empty: tasks make no worktree. */
  readonly worktree_path: string;
  /** The run. */
  readonly session_id: string;
  /** Folder of the project. */
  readonly project_path: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Unix time in seconds. */
  readonly updated_at: number;
};
export type HarnessProfile = {
  /** The provider of the model, such as `anthropic` or `ollama`. */
  readonly provider: string;
  /** Name of the model at its provider; `*` stands for all. */
  readonly model: string;
  /** The settings in force. */
  readonly effective: HarnessSettings;
  /** The settings without overrides. */
  readonly builtin: HarnessSettings;
  /** Your override for all models of the provider; absent without one. */
  readonly provider_override?: HarnessPatch;
  /** Your override for this model; absent without one. */
  readonly model_override?: HarnessPatch;
  /** Settings that reach requests to this provider; others are stored and change nothing. */
  readonly honored_fields: readonly string[];
};
export type HarnessSettings = {
  /**
   * Tools of the provider, or calls written as text.
   * @enum {string}
   */
  readonly tool_transport: 'native' | 'prose';
  /**
   * How much the system prompt says.
   * @enum {string}
   */
  readonly prompt_dialect: 'full' | 'compact';
  /** Marks the prompt for the cache of the provider. */
  readonly prompt_cache: boolean;
  /** Most tokens of an answer. */
  readonly max_output_tokens?: number;
  /** How freely the model chooses words: 0 hardly, 2 very. */
  readonly temperature?: number;
  /** Lets the model ask for several tools at once. */
  readonly parallel_tool_calls?: boolean;
  /** Tokens for reasoning, by its effort. */
  readonly thinking_budgets?: {
    /** For low effort. */
    readonly low?: number;
    /** For medium effort. */
    readonly medium?: number;
    /** For high effort. */
    readonly high?: number;
    /** For extra high effort. */
    readonly xhigh?: number;
  };
  /** Tokens of the context window where the provider does not say. */
  readonly context_window_fallback?: number;
  /** Stands at the end of the system prompt. */
  readonly system_prompt_suffix?: string;
};
/**
 * @example {
 *       "temperature": 0,
 *       "max_output_tokens": 4096
 *     }
 */
export type HarnessPatch = {
  /**
   * Tools of the provider, or calls written as text.
   * @enum {string}
   */
  readonly tool_transport?: 'native' | 'prose';
  /**
   * How much the system prompt says.
   * @enum {string}
   */
  readonly prompt_dialect?: 'full' | 'compact';
  /** Marks the prompt for the cache of the provider. */
  readonly prompt_cache?: boolean;
  /** Most tokens of an answer. */
  readonly max_output_tokens?: number;
  /** How freely the model chooses words: 0 hardly, 2 very. */
  readonly temperature?: number;
  /** Lets the model ask for several tools at once. */
  readonly parallel_tool_calls?: boolean;
  /** Tokens for reasoning, by its effort. */
  readonly thinking_budgets?: {
    /** For low effort. */
    readonly low?: number;
    /** For medium effort. */
    readonly medium?: number;
    /** For high effort. */
    readonly high?: number;
    /** For extra high effort. */
    readonly xhigh?: number;
  };
  /** Tokens of the context window where the provider does not say. */
  readonly context_window_fallback?: number;
  /** Stands at the end of the system prompt. */
  readonly system_prompt_suffix?: string;
};
export type FoundMemory = {
  /** Id of the memory. */
  readonly id: string;
  /** The text. */
  readonly content: string;
  /**
   * Kind of memory: episodic, semantic, procedural, emotional or reflective.
   * @enum {string}
   */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Importance, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Whether it neither fades nor is purged. */
  readonly pinned: boolean;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** The higher, the better it fits. */
  readonly score: number;
  /** Similarity of the two texts, 0 to 1. */
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
  /** Id of the drawer. */
  readonly id: string;
  /** The text, word for word. */
  readonly content: string;
  /** The part of the memory that belongs to one project. */
  readonly wing: string;
  /** Part of the wing: a topic. */
  readonly room: string;
  /** Where the text comes from; may be empty. */
  readonly source: string;
  /** FNV-1a hash (64 bits) of the content, hexadecimal. */
  readonly content_hash: string;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** The text it is a piece of. */
  readonly text_id: string;
  /** Its number in the text, from 0. */
  readonly index: number;
  /** Its first character in the text, from 0. */
  readonly start: number;
  /** The drawer (or the recalled entry) whose words it repeats. Such a piece is no drawer and in no count. */
  readonly duplicate_of: string | null;
  /** Similarity of the two texts, 0 to 1. */
  readonly similarity: number;
};
export type VectorsUsed = {
  /** Whose vectors are configured; null when the settings name none that exists. */
  readonly provider: string | null;
  /** The configured model; null when the settings name none. */
  readonly model: string | null;
  /** Whether the model's vectors had a part in the answer; if not, the built-in ones had. */
  readonly used: boolean;
  /** Why the model's vectors had no part; absent when they had. */
  readonly fallback_reason?: string;
};
export type Memory = {
  /** Id of the memory. */
  readonly id: string;
  /** The text. */
  readonly content: string;
  /**
   * Kind of memory: episodic, semantic, procedural, emotional or reflective.
   * @enum {string}
   */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Importance, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Whether it neither fades nor is purged. */
  readonly pinned: boolean;
  /** Unix time in seconds. */
  readonly created_at: number;
};
export type VectorStatus = {
  /** null when the settings name no provider that exists. */
  readonly provider: string | null;
  /** Name of the model at its provider; null when the settings name none. */
  readonly model: string | null;
  /** As measured from an answer of the model; null before the first one. */
  readonly dimension: number | null;
  /** Entries (memories and drawers) with a vector of this model. */
  readonly embedded: number;
  /** All entries. */
  readonly total: number;
  /**
   * `complete`: the model was asked for every entry. `embedding`: under way. `waiting`: the provider failed and is tried again. `loading`: vectors are read from disk. `locked`: texts cannot be read. `misconfigured`: the settings allow no request.
   * @enum {string}
   */
  readonly state: 'complete' | 'embedding' | 'waiting' | 'loading' | 'locked' | 'misconfigured';
  /** Entries that the provider refuses; they keep their built-in vector. Absent when there are none. */
  readonly skipped?: number;
  /** The last failure of the provider or of the disk. */
  readonly error?: string;
};
export type ExportedMemory = {
  /** Id of the memory. */
  readonly id: string;
  /** The text. */
  readonly content: string;
  /** Importance, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Whether it neither fades nor is purged. */
  readonly pinned: boolean;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Rate per day at which the salience decays. */
  readonly decay_lambda: number;
  /** Other sectors that it shows signs of, with their shares. */
  readonly secondary_sectors: readonly (readonly (
    | ('episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective')
    | number
  )[])[];
  /** Unix time in seconds. */
  readonly updated_at: number;
  /** Unix time in seconds. */
  readonly last_seen_at: number;
  /** Version of the record, from 1. */
  readonly version: number;
  /** The owner. */
  readonly user_id: string;
  /** The project that it belongs to. */
  readonly project_id: string | null;
  /** The run. */
  readonly session_id: string | null;
  /**
   * Kind of memory.
   * @enum {string}
   */
  readonly primary_sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Names and texts of the caller. */
  readonly meta: {
    readonly [key: string]: string;
  };
};
export type Fact = {
  /** Id of the fact. */
  readonly id: string;
  /** What the fact is about. */
  readonly subject: string;
  /** The relation of the subject and the object. */
  readonly predicate: string;
  /** The value that the fact gives. */
  readonly object: string;
  /** Unix time in seconds from which the fact holds. */
  readonly valid_from: number;
  /** Unix time in seconds until which the fact holds; null while it holds. */
  readonly valid_to: number | null;
  /** Confidence, 0 to 1. */
  readonly confidence: number;
  /** Unix seconds at which the fact was recorded. */
  readonly recorded_at: number;
};
export type Drawer = {
  /** Id of the drawer. */
  readonly id: string;
  /** The text, word for word. */
  readonly content: string;
  /** The part of the memory that belongs to one project. */
  readonly wing: string;
  /** Part of the wing: a topic. */
  readonly room: string;
  /** Where the text comes from; may be empty. */
  readonly source: string;
  /** FNV-1a hash (64 bits) of the content, hexadecimal. */
  readonly content_hash: string;
  /** Unix time in seconds. */
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
  /** Id of the memory. */
  readonly id: string;
  /** The text. */
  readonly content: string;
  /**
   * Kind of memory: episodic, semantic, procedural, emotional or reflective.
   * @enum {string}
   */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Importance, 0 to 1; it decays with time. */
  readonly salience: number;
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Whether it neither fades nor is purged. */
  readonly pinned: boolean;
  /** Unix time in seconds. */
  readonly created_at: number;
  /** Rate per day at which the salience decays. */
  readonly decay_lambda: number;
  /** Other sectors that it shows signs of, with their shares. */
  readonly secondary_sectors: readonly (readonly (
    | ('episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective')
    | number
  )[])[];
  /** Unix time in seconds. */
  readonly updated_at: number;
  /** Unix time in seconds. */
  readonly last_seen_at: number;
  /** Version of the record, from 1. */
  readonly version: number;
  /** The owner. */
  readonly user_id: string;
  /** The project that it belongs to. */
  readonly project_id: string | null;
  /** The run. */
  readonly session_id: string | null;
  /** Salience as it has decayed until now, 0 to 1. */
  readonly effective_salience: number;
  /** Salience when it was stored, 0 to 1. */
  readonly stored_salience: number;
  /** Names and texts of the caller. */
  readonly metadata: {
    readonly [key: string]: string;
  };
  /** Whether the text is stored as ciphertext. */
  readonly encrypted: boolean;
  /** Unix time in seconds of the last one; null before the first one. */
  readonly recalled_at: number | null;
  /** How often a question found it, or a context block showed it; each at most once a day. */
  readonly recalls: number;
  /** Links to other entries. */
  readonly waypoint_count: number;
  /** Those links, some of them. */
  readonly waypoints: readonly {
    /** The memory that the link begins at. */
    readonly src_id: string;
    /** The memory that the link leads to. */
    readonly dst_id: string;
    /** Whether the link is automatic or a tunnel. */
    readonly kind: string;
    /** Strength of the link. */
    readonly weight: number;
    /** Unix time in seconds. */
    readonly created_at: number;
    /** Unix time in seconds. */
    readonly updated_at: number;
    /** The two memories are of different sectors. */
    readonly cross_sector: boolean;
    /** The two memories are of different projects. */
    readonly cross_project: boolean;
  }[];
  /** Events of the memory, oldest first. */
  readonly events: readonly {
    /** Position in the log; the first event has 1. */
    readonly position: number;
    /** Number in the stream of the memory, from 1. */
    readonly version: number;
    /** Id of the event. */
    readonly id: string;
    /** Type of the event. */
    readonly type: string;
    /** Unix time in milliseconds. */
    readonly at: number;
    /** Who caused the event: `owner`, `system`, `agent:<run>` and so on. */
    readonly actor: string;
    /** RFC 9162 leaf hash of the event, hexadecimal. */
    readonly leaf_hash: string;
    /** The payload of the event, whose schema follows from its type; null once it is erased. */
    readonly data: Json;
    /**
     * Present when the data of the event were erased for good.
     * @constant
     */
    readonly erased?: true;
  }[];
};
export type Goal = {
  /** Id of the goal. */
  readonly id: string;
  /** Folder that it belongs to; null: the global slot. */
  readonly workspace: string | null;
  /** One line that names it. */
  readonly title: string;
  /** What should be true in the end; may be empty. */
  readonly statement: string;
  /**
   * `active`, set aside, reached or given up.
   * @enum {string}
   */
  readonly status: 'active' | 'paused' | 'done' | 'abandoned';
  /** The criteria by which the goal is reached. */
  readonly success_criteria: readonly string[];
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** RFC 3339 time. */
  readonly created_at: string;
  /** RFC 3339 time. */
  readonly updated_at: string;
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id: string | null;
  /** The newest plan; null before the first one and after the goal changed. */
  readonly current_plan: GoalPlan | null;
  /** Version of this shape. */
  readonly schema_version: number;
};
export type GoalPlan = {
  /** The goal as the model understood it. */
  readonly goal: string;
  /** Steps in order. */
  readonly steps: readonly {
    /** From 1. */
    readonly id: number;
    /** What is to be done. */
    readonly description: string;
    /** The tool that the step needs; may be empty. */
    readonly tool: string;
    /** File or folder that it probably touches; null when unknown. */
    readonly estimated_path: string | null;
    /**
     * How far the step is.
     * @enum {string}
     */
    readonly status: 'pending' | 'in_progress' | 'done' | 'failed' | 'skipped';
  }[];
  /** Files that the plan probably touches. */
  readonly estimated_files: readonly string[];
  /** What may go wrong. */
  readonly risks: readonly string[];
};
export type GoalLink = {
  /** Id of the link. */
  readonly id: string;
  /** The goal. */
  readonly goal_id: string;
  /**
   * What `target_id` names; `session` and `job` are runs.
   * @enum {string}
   */
  readonly kind: 'session' | 'job' | 'recap' | 'note';
  /** Id or text of the linked thing. */
  readonly target_id: string;
  /** RFC 3339 time. */
  readonly linked_at: string;
  /** Free text; null without one. */
  readonly note: string | null;
};
export type GoalNode = {
  /** The goal of the node. */
  readonly goal: Goal;
  /** Nodes of its children, the newest change first. */
  readonly children: readonly GoalNode[];
  /**
   * Present when its children are not shown, as the tree ends here.
   * @constant
   */
  readonly truncated?: true;
  /** How many children are not shown. */
  readonly direct_child_count?: number;
  /**
   * Present when the goal stands above itself.
   * @constant
   */
  readonly cycle?: true;
};
export type Engagement = {
  /** Id of the engagement. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** Whom it is for; may be empty. */
  readonly client: string;
  /** What it is about; may be empty. */
  readonly summary: string;
  /** Folder of its files; null without one. */
  readonly workspace_path: string | null;
  /**
   * `draft` until work begins, `closed` after it.
   * @enum {string}
   */
  readonly status: 'draft' | 'active' | 'paused' | 'closed';
  /**
   * The phase that the engagement is in.
   * @enum {string}
   */
  readonly current_phase: 'discover' | 'prove' | 'build' | 'operate';
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
  readonly updated_at: number;
};
export type Blocker = {
  /**
   * What is missing.
   * @enum {string}
   */
  readonly kind:
    | 'deliverable_without_evidence'
    | 'deliverable_outstanding'
    | 'gate_not_measured'
    | 'gate_pending'
    | 'gate_failed';
  /** A deliverable's key or a gate's id. */
  readonly subject: string;
  /** One sentence that says what is missing. */
  readonly detail: string;
};
export type Deliverable = {
  /** Id of the deliverable. */
  readonly id: string;
  /** The engagement. */
  readonly engagement_id: string;
  /**
   * One of the four phases of an engagement.
   * @enum {string}
   */
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  /** Names it within the engagement. */
  readonly key: string;
  /** One line that names it. */
  readonly title: string;
  /** What it consists of; may be empty. */
  readonly description: string;
  /**
   * How far it is. `waived`: not needed, out of scope.
   * @enum {string}
   */
  readonly status: 'not_started' | 'in_progress' | 'ready' | 'accepted' | 'waived';
  /** Who makes it; null when nobody is named. */
  readonly owner: string | null;
  /** The tool that produces it. */
  readonly tool_hint: string | null;
  /** Free text; may be empty. */
  readonly notes: string;
  /** Pieces of evidence that are attached. */
  readonly evidence_count: number;
  /** Unix time in milliseconds. */
  readonly created_at: number;
  /** Unix time in milliseconds. */
  readonly updated_at: number;
};
export type Gate = {
  /** Id of the gate. */
  readonly id: string;
  /** The engagement. */
  readonly engagement_id: string;
  /**
   * One of the four phases of an engagement.
   * @enum {string}
   */
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  /** One line that names it. */
  readonly title: string;
  /** The condition under which the gate passes. */
  readonly criterion: string;
  /** The procedure that measures whether the criterion holds. */
  readonly measurement: string;
  /** The measured result. */
  readonly observed: string | null;
  /**
   * Whether the gate passes.
   * @enum {string}
   */
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  /** Why the verdict is this one. */
  readonly rationale: string;
  /** The person who judged. */
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
  /**
   * Whether the gate passes.
   * @enum {string}
   */
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  /** The measured result. */
  readonly observed: string | null;
  /** Why the verdict is this one. */
  readonly rationale: string;
  /** The person who judged. */
  readonly decided_by: string | null;
  /** The sender of the command, who need not be the author of the verdict. */
  readonly recorded_by: string;
  /** Unix time in milliseconds. */
  readonly at: number;
};
export type IndexHeader = {
  /** Version of the format of the index file. */
  readonly format_version: number;
  /** The model of its vectors. */
  readonly model: EmbeddingChoice;
  /** Numbers in a vector; null for an index without vectors. */
  readonly dimension: number | null;
  /** Pieces of text. */
  readonly chunk_count: number;
  /** Files. */
  readonly file_count: number;
  /** Unix time in seconds. */
  readonly built_at: number | null;
};
export type EmbeddingChoice = {
  /** The provider of the model, such as `anthropic` or `ollama`. */
  readonly provider: string;
  /** Name of the model at its provider. */
  readonly model: string;
  /** Numbers that a vector is reduced to; absent: all. */
  readonly dimensions?: number;
};
export type SearchHit = {
  /** File, relative to the workspace. */
  readonly path: string;
  /** First line of the piece, from 1. */
  readonly start_line: number;
  /** Last line of the piece, from 1. */
  readonly end_line: number;
  /** Programming language of the file; null when it is not known. */
  readonly language: string | null;
  /** Function, class or heading that the piece belongs to; null without one. */
  readonly symbol: string | null;
  /** The piece. */
  readonly text: string;
  /** The higher, the better it fits. */
  readonly score: number;
  /** Part of the score that comes of vectors. */
  readonly vector_score: number;
  /** Part of the score that comes of words. */
  readonly lexical_score: number;
};
export type BuildMessage =
  | {
      /**
       * No build is under way.
       * @constant
       */
      readonly type: 'idle';
    }
  | {
      /**
       * A build is under way.
       * @constant
       */
      readonly type: 'building';
      /**
       * What is done at this moment.
       * @enum {string}
       */
      readonly phase?: 'scanning' | 'embedding' | 'writing';
      /** Files that are read. */
      readonly files_done?: number;
      /** Files to read. */
      readonly files_total?: number;
      /** Pieces of text that have their vector. */
      readonly chunks_done?: number;
      /** Of those, pieces that the model was asked for. */
      readonly chunks_embedded?: number;
    }
  | {
      /**
       * The build has ended.
       * @constant
       */
      readonly type: 'built';
      /** Pieces of text in the index. */
      readonly chunks: number;
      /** Files in the index. */
      readonly files: number;
      /** Sentences for a person about what limits the index. */
      readonly notes: readonly string[];
    }
  | {
      /**
       * The build has failed.
       * @constant
       */
      readonly type: 'failed';
      /** Why, in one sentence. */
      readonly message: string;
    };
export type EmbeddingModel = {
  /**
   * The provider of the model, such as `anthropic` or `ollama`.
   * @enum {string}
   */
  readonly provider: 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini' | 'local';
  /** Name of the model at its provider. */
  readonly id: string;
  /** Name for people. */
  readonly display_name: string;
  /** Numbers in a vector; null when it is not known beforehand. */
  readonly dimension: number | null;
  /** Numbers that a vector can be reduced to; empty: none. */
  readonly supported_dimensions: readonly number[];
  /** Most tokens of a text; null when the provider does not say. */
  readonly max_input_tokens: number | null;
  /** Stands before a text that is searched in; may be empty. */
  readonly document_prefix: string;
  /** Stands before a question; may be empty. */
  readonly query_prefix: string;
  /** Whether it is made for program text. */
  readonly recommended_for_code: boolean;
  /** A sentence for a person. */
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
  /**
   * `model`: a model words the facts. `computed`: sentences are made without one.
   * @enum {string}
   */
  readonly writer: 'model' | 'computed';
  /** Both or neither; null is the daemon's own model. */
  readonly provider: string | null;
  /** Model of `provider`; null exactly when that is. */
  readonly model: string | null;
  /** Language code of the text, such as `en`. */
  readonly language: string;
  /**
   * How much of the facts the text has.
   * @enum {string}
   */
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
  /** Id of the briefing. */
  readonly id: string;
  /**
   * Whether it is being made, and how that ended.
   * @enum {string}
   */
  readonly status: 'running' | 'written' | 'failed';
  /**
   * Asked for by somebody, or made at its time.
   * @enum {string}
   */
  readonly trigger: 'asked' | 'scheduled';
  /** The scheduled time in Unix milliseconds; null without one. */
  readonly scheduled_for: number | null;
  /** Unix time in milliseconds. */
  readonly requested_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  /** Position of the first covered event; null before the facts are gathered. */
  readonly from_position: number | null;
  /** Position of the last covered event; null before the facts are gathered. */
  readonly to_position: number | null;
  /** The most important in one sentence. */
  readonly headline: string | null;
  /** The text, in Markdown; null before it is written. */
  readonly markdown: string | null;
  /** Who worded it; null before it is written, and when it is erased. */
  readonly writer: {
    /**
     * Who worded the text: a model, or Daybook itself.
     * @enum {string}
     */
    readonly kind: 'model' | 'computed';
    /** Provider of that model; null for `computed`. */
    readonly provider: string | null;
    /** That model; null for `computed`. */
    readonly model: string | null;
  } | null;
  /** Sentences of the model that the facts do not support; they are not in `markdown`. */
  readonly dropped: readonly string[];
  /** Notes for the reader about the making of the briefing. */
  readonly notes: readonly string[];
  /** Why it failed; null when it did not. */
  readonly error: string | null;
};
export type Briefing = {
  /** Id of the briefing. */
  readonly id: string;
  /**
   * Whether it is being made, and how that ended.
   * @enum {string}
   */
  readonly status: 'running' | 'written' | 'failed';
  /**
   * Asked for by somebody, or made at its time.
   * @enum {string}
   */
  readonly trigger: 'asked' | 'scheduled';
  /** The scheduled time in Unix milliseconds; null without one. */
  readonly scheduled_for: number | null;
  /** Unix time in milliseconds. */
  readonly requested_at: number;
  /** Unix time in milliseconds. */
  readonly finished_at: number | null;
  /** Position of the first covered event; null before the facts are gathered. */
  readonly from_position: number | null;
  /** Position of the last covered event; null before the facts are gathered. */
  readonly to_position: number | null;
  /** The most important in one sentence. */
  readonly headline: string | null;
  /** The text, in Markdown; null before it is written. */
  readonly markdown: string | null;
  /** Who worded it; null before it is written, and when it is erased. */
  readonly writer: {
    /**
     * Who worded the text: a model, or Daybook itself.
     * @enum {string}
     */
    readonly kind: 'model' | 'computed';
    /** Provider of that model; null for `computed`. */
    readonly provider: string | null;
    /** That model; null for `computed`. */
    readonly model: string | null;
  } | null;
  /** Sentences of the model that the facts do not support; they are not in `markdown`. */
  readonly dropped: readonly string[];
  /** Notes for the reader about the making of the briefing. */
  readonly notes: readonly string[];
  /** Why it failed; null when it did not. */
  readonly error: string | null;
  /** What is done at this moment; null once it has ended. */
  readonly stage: ('waiting' | 'gathering' | 'writing') | null;
  /** The settings in force at the request. */
  readonly settings: BriefingSettings;
  /** The text as the facts alone make it; null before they are gathered. */
  readonly computed_markdown: string | null;
  /** What the text rests on; null before it is gathered. */
  readonly facts: BriefingFacts | null;
};
export type BriefingFacts = {
  /** The part of the log that is covered. */
  readonly period: {
    /** The first and the last covered event; `from_position` is one more than the last position when no event is covered. */
    readonly from_position: number;
    /** Position of the last covered event; 0 before the first event of the log. */
    readonly to_position: number;
    /** RFC 9162 tree hash of the log up to `to_position`. */
    readonly tree_hash: string;
    /** Unix milliseconds. */
    readonly from: number;
    /** End of the period, Unix milliseconds. */
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
  /** Minutes from the scheduled time to the making, 0 or more. */
  readonly late_minutes: number;
  /** Folder in which agents work. */
  readonly workspace: string | null;
  /** What a person should act on, most urgent first. */
  readonly attention: {
    /** The newest ones. */
    readonly items: readonly {
      /**
       * What it is about.
       * @enum {string}
       */
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
      /** One sentence for a person. */
      readonly text: string;
      /** Position in the log; the first event has 1. */
      readonly position: number | null;
    }[];
    /** The number of further ones, which are not listed. */
    readonly more: number;
  };
  /** Ended runs, and counts. Absent when the section is switched off. */
  readonly runs?: {
    /** The newest ones. */
    readonly items: readonly {
      /** The run. */
      readonly session_id: string;
      /**
       * How the run ended.
       * @enum {string}
       */
      readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
      /** The task of the agent. */
      readonly task: string;
      /** The run's summary, or the reason for its failure. */
      readonly summary: string;
      /** Folder in which agents work. */
      readonly workspace: string;
      /** Tool calls of the run. */
      readonly steps: number;
      /** Tool calls that were not run: not allowed, or of no tool that it has. */
      readonly calls_rejected?: number;
      /** Files that it changed. */
      readonly files_modified: number;
      /** Planned steps that are not done. */
      readonly remaining: number;
      /** Unix time in milliseconds. */
      readonly ended_at: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** The number of further ones, which are not listed. */
    readonly more: number;
    /** Runs requested or resumed in the period. */
    readonly requested: number;
    /** Runs that ended so in the period. */
    readonly complete: number;
    /** Runs that ended so in the period, with planned steps left. */
    readonly partial: number;
    /** Runs that ended so in the period. */
    readonly failed: number;
    /** Runs that ended so in the period. */
    readonly cancelled: number;
    /** Runs at work when the briefing is made. */
    readonly running: number;
    /** Runs that wait when the briefing is made. */
    readonly queued: number;
  };
  /** Approvals that wait, and counts. Absent when the section is switched off. */
  readonly approvals?: {
    /** The newest ones. */
    readonly items: readonly {
      /** Id of the approval. */
      readonly id: string;
      /** The run. */
      readonly session_id: string;
      /** Name of the tool. */
      readonly tool_name: string;
      /** The task of the agent. */
      readonly task: string;
      /** Unix time in milliseconds. */
      readonly requested_at: number;
      /** Unix time in milliseconds. */
      readonly expires_at: number;
      /** Null when it was requested before the period. */
      readonly position: number | null;
    }[];
    /** The number of further ones, which are not listed. */
    readonly more: number;
    /** Approvals requested in the period. */
    readonly asked: number;
    /** Of those answered in the period. */
    readonly allowed: number;
    /** Of those answered in the period. */
    readonly denied: number;
    /** Without an answer in time, in the period. */
    readonly expired: number;
  };
  /** Goals that changed. Absent when the section is switched off. */
  readonly goals?: {
    /** The newest ones. */
    readonly items: readonly {
      /** Id of the goal. */
      readonly id: string;
      /** Null for one that is deleted. */
      readonly title: string | null;
      /** Status when the briefing is made; `deleted` for one that is gone. */
      readonly status: string;
      /** What happened to it in the period. */
      readonly changes: readonly ('created' | 'revised' | 'planned' | 'linked' | 'deleted')[];
      /** Links added in the period. */
      readonly links: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** The number of further ones, which are not listed. */
    readonly more: number;
    /** Goals that are active when the briefing is made. */
    readonly active: number;
  };
  /** Engagements that changed. Absent when the section is switched off. */
  readonly engagements?: {
    /** The newest ones. */
    readonly items: readonly {
      /** Id of the engagement. */
      readonly id: string;
      /** Null for one that is removed. */
      readonly name: string | null;
      /** Whom it is for; may be empty. */
      readonly client: string;
      /** Status when the briefing is made; `removed` for one that is gone. */
      readonly status: string;
      /** Current phase; null for one that is removed. */
      readonly phase: ('discover' | 'prove' | 'build' | 'operate') | null;
      /** The newest changes of its phase in the period, oldest first. */
      readonly moves: readonly {
        /**
         * `advanced`: past its gates. `forced`: in spite of open blockers. `set`: by hand.
         * @enum {string}
         */
        readonly kind: 'advanced' | 'forced' | 'set';
        /**
         * The phase that was left.
         * @enum {string}
         */
        readonly from: 'discover' | 'prove' | 'build' | 'operate';
        /**
         * The phase that was entered.
         * @enum {string}
         */
        readonly to: 'discover' | 'prove' | 'build' | 'operate';
      }[];
      /** Gates judged in the period, with their newest verdict. */
      readonly gates: readonly {
        /** One line that names it. */
        readonly title: string;
        /**
         * Whether the gate passes.
         * @enum {string}
         */
        readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
      }[];
      /** Pieces of evidence attached in the period. */
      readonly evidence_added: number;
      /** Pieces of evidence removed in the period. */
      readonly evidence_removed: number;
      /** Deliverables whose status changed in the period. */
      readonly deliverables_changed: number;
      /** Of the current phase. */
      readonly deliverables_accepted: number;
      /** Deliverables of the current phase that are not waived. */
      readonly deliverables_total: number;
      /** Open blockers of the current phase. */
      readonly blockers: number;
      /** Gates of the current phase that failed. */
      readonly gates_failed: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** The number of further ones, which are not listed. */
    readonly more: number;
    /** Engagements that are active when the briefing is made. */
    readonly active: number;
  };
  /** Counts of the memory. Absent when the section is switched off. */
  readonly memory?: {
    /** Memories added or imported in the period. */
    readonly added: number;
    /** Memories made by merging weak ones. */
    readonly merged: number;
    /** Reflections formed. */
    readonly reflections: number;
    /** Memories let go of, because their salience fell below the limit. */
    readonly faded: number;
    /** Memories deleted by somebody. */
    readonly deleted: number;
    /** Drawers stored. */
    readonly drawers: number;
    /** Facts recorded. */
    readonly facts_added: number;
    /** Facts that ended because another one began. */
    readonly facts_closed: number;
    /** The facts that ended. */
    readonly closed: {
      /** The newest ones. */
      readonly items: readonly {
        /** Id of the fact. */
        readonly id: string;
        /** Position in the log; the first event has 1. */
        readonly position: number;
      }[];
      /** The number of further ones, which are not listed. */
      readonly more: number;
    };
    /** Memories in the memory, drawers not counted. */
    readonly total_memories: number;
    /** Facts when the briefing is made. */
    readonly total_facts: number;
  };
  /** Ended reviews of pull requests. Absent when the section is switched off. */
  readonly reviews?: {
    /** The newest ones. */
    readonly items: readonly {
      /** Id of the delivery. */
      readonly id: string;
      /** Repository as owner/name. */
      readonly repository: string;
      /** Number of the pull request. */
      readonly number: number;
      /** One line that names it. */
      readonly title: string;
      /**
       * How the review ended.
       * @enum {string}
       */
      readonly status: 'reviewed' | 'failed';
      /** Findings of this review. */
      readonly findings: number;
      /** Position in the log; the first event has 1. */
      readonly position: number;
    }[];
    /** The number of further ones, which are not listed. */
    readonly more: number;
    /** Reviews completed in the period. */
    readonly reviewed: number;
    /** Reviews that failed in the period. */
    readonly failed: number;
    /** Findings of all of them. */
    readonly findings: number;
  };
  /** Commits of each repository. Absent when the section is switched off. */
  readonly repositories?: readonly {
    /** Folder of the repository. */
    readonly path: string;
    /** Commits of the period, merges among them. */
    readonly commits: number;
    /** Merge commits of the period. */
    readonly merges: number;
    /** Authors of those commits. */
    readonly authors: number;
    /** Commits that took back something. */
    readonly remediations: number;
    /** Git tags of the period. */
    readonly tags: readonly string[];
    /** Hash of the commit of HEAD; null without one. */
    readonly head: string | null;
    /** Why it could not be read. */
    readonly error: string | null;
  }[];
  /** The code index. Absent when the section is switched off. */
  readonly index?: {
    /** Provider of the index's vectors; null without an index. */
    readonly provider: string | null;
    /** Model of the index's vectors; null without an index. */
    readonly model: string | null;
    /** Pieces of text in the index; null without one. */
    readonly chunks: number | null;
    /** Files in the index; null without one. */
    readonly files: number | null;
    /** Unix time in milliseconds. */
    readonly built_at: number | null;
    /** Builds that succeeded in the period. */
    readonly builds: number;
    /** Builds that failed in the period. */
    readonly builds_failed: number;
    /** Why the last build of the period failed; null when it did not. */
    readonly failure: string | null;
    /** Why the index cannot be used; null when it can. */
    readonly error: string | null;
  };
  /** The store under the log. Absent when the section is switched off. */
  readonly storage?: {
    /** Storage engine: `cow`, `lsm`, `embedded_kv`, `memory` or `postgres`. */
    readonly backend: string;
    /** Events in the log. */
    readonly events: number;
    /** Size in bytes. */
    readonly disk_bytes: number;
    /** Why writes are refused; null while they are accepted. */
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
    /** Why the last backup failed; null when it did not. */
    readonly backup_failure: string | null;
    /** Unix time in milliseconds. */
    readonly observed_at: number;
  };
};
export type VoiceStatus = {
  /** Whether a provider with a transcription service has its key (OpenAI, else Groq). */
  readonly cloud_stt_configured: boolean;
  /** Always false: this build asks no service to speak. */
  readonly cloud_tts_configured: boolean;
  /** Name of the Whisper model for this machine, such as `base`: the setting `voice_local_model`. */
  readonly local_model: string;
  /** Size of the file of the model in MiB: as published for known models, else of the file that is there, 0 without one. */
  readonly local_model_size_mb: number;
  /** Whether a file of the model is there, for an installed recogniser if one is. */
  readonly local_model_downloaded: boolean;
  /** Whether `whisper-cli` or `whisper-cpp` (whisper.cpp) is on the PATH. */
  readonly asr_cpp_installed: boolean;
  /** Whether `python3` is on the PATH and has the package `whisper`. */
  readonly asr_python_installed: boolean;
  /** Whether the program `sox` is on the PATH. */
  readonly sox_installed: boolean;
  /** Whether the program `ffmpeg` is on the PATH. */
  readonly ffmpeg_installed: boolean;
  /** Whether speech can be written down: by a service, or here with a recogniser and its model. */
  readonly can_transcribe: boolean;
  /** Uses an engine of this machine if there is one. */
  readonly prefer_local: boolean;
  /** Language code in force, or `auto`. */
  readonly language: string;
  /** Size in bytes. */
  readonly upload_limit_bytes: number;
};
export type VoiceSettings = {
  /** The engine: `system` or `neural`. */
  readonly engine: string;
  /** Id of the voice; empty: the engine chooses. */
  readonly voice: string;
  /** Language code, or `auto`. */
  readonly language: string;
  /** Provider of the model that answers spoken turns; null: the selected one. */
  readonly provider: string | null;
  /** The model that answers spoken turns; null: the selected one. */
  readonly model: string | null;
  /** Every engine. */
  readonly engines: readonly {
    /** Name for `engine`. */
    readonly id: string;
    /** Name for people. */
    readonly label: string;
    /** Whether it can run here. */
    readonly available: boolean;
    /** A description, or why it cannot run and how to install it. */
    readonly detail: string;
  }[];
  /** Voices of the engine. */
  readonly voices: readonly {
    /** Name for `voice`. */
    readonly id: string;
    /** Name for people. */
    readonly name: string;
    /** Its language, such as `en-US`. */
    readonly lang: string;
    /** Quality of the voice: default, enhanced, premium or neural. */
    readonly quality: string;
  }[];
  /** Languages of these voices. */
  readonly languages: readonly string[];
  /** Models that can answer spoken turns. */
  readonly models: readonly Model[];
};
export type Model = {
  /** `provider/name`. */
  readonly id: string;
  /** The value to send as `model`; absent only on the active row. */
  readonly name?: string;
  /** The provider of the model, such as `anthropic` or `ollama`. */
  readonly provider: string;
  /**
   * Present on the selected model.
   * @constant
   */
  readonly active?: true;
  /** Size in bytes. */
  readonly size_bytes?: number;
};
export type CatalogConnector = {
  /** Id in the catalogue. */
  readonly id: string;
  /** One line that names it. */
  readonly title: string;
  /** What it offers. */
  readonly description: string;
  /** What it belongs to. */
  readonly category: string;
  /** The program. */
  readonly command: string;
  /** Arguments of the command. */
  readonly args: readonly string[];
  /**
   * What starts it: the daemon, `npx` of Node or `uvx` of Python.
   * @enum {string}
   */
  readonly runtime: 'builtin' | 'npx' | 'uvx';
  /** Secrets that it needs. */
  readonly credentials: readonly {
    /** Name of the environment variable. */
    readonly env: string;
    /** Name for people. */
    readonly label: string;
    /** Where to get it. */
    readonly help: string;
  }[];
  /** Its documentation. */
  readonly docs_url: string;
  /** The program that must be there. */
  readonly runtime_program: string;
  /** Whether it is there. */
  readonly runtime_available: boolean;
};
export type Measure = {
  /** The number, in `unit`. */
  readonly value: number;
  /** What is counted, such as `deployments/week` or `hours`. */
  readonly unit: string;
  /**
   * Where the number stands among teams, by `band_source`.
   * @enum {string}
   */
  readonly band: 'elite' | 'high' | 'medium' | 'low';
  /** The number of values that it is computed from. */
  readonly sample_size: number;
  /** The proxy that is measured in place of the key itself. */
  readonly proxy: string;
  /** Of the values behind it. */
  readonly percentiles?: readonly {
    /** Which one, such as `p50`. */
    readonly label: string;
    /** In the unit of the measure. */
    readonly value: number;
  }[];
};
export type Dora = {
  /** Top folder of the measured repository. */
  readonly repo: string;
  /** Days before the report that are looked at. */
  readonly window_days: number;
  /** Unix seconds at which the window begins. */
  readonly since: number;
  /** Unix time in seconds. */
  readonly generated_at: number;
  /**
   * What counts as a release.
   * @enum {string}
   */
  readonly release_marker: 'version-tags' | 'release-branch-merges';
  /** The same in words. */
  readonly release_marker_description: string;
  /** Where the bands come from. */
  readonly band_source: string;
  /** Releases a week; absent when it cannot be measured. */
  readonly deployment_frequency?: Measure;
  /** From a commit to the release that brought it; absent when it cannot be measured. */
  readonly lead_time_for_changes?: Measure;
  /** Releases that were followed by a remediation; absent when it cannot be measured. */
  readonly change_failure_rate?: Measure;
  /** From such a release to the remediation; absent when it cannot be measured. */
  readonly time_to_restore?: Measure;
  /** What cannot be measured here, and why. */
  readonly unmeasured: readonly {
    /** Name of what is not measured. */
    readonly metric: string;
    /** Why it cannot be measured here. */
    readonly reason: string;
    /** What to do so that it can be. */
    readonly to_measure_this: string;
  }[];
  /** The newest releases of the window, oldest first; at most 10 000. */
  readonly deployments: readonly {
    /** Name of the release. */
    readonly name: string;
    /** Hash of the commit that was released. */
    readonly commit: string;
    /** Unix time in seconds. */
    readonly at: number;
    /** Whether a revert, hotfix or rollback came before the next release. */
    readonly followed_by_remediation: boolean;
  }[];
  /** Commits of the window. */
  readonly commits_in_window: number;
  /** Authors of those commits. */
  readonly authors_in_window: number;
  /** Sentences about what limits the numbers. */
  readonly notes: readonly string[];
};
export type Practices = {
  /** Folder that was looked at. */
  readonly workspace: string;
  /** Unix time in seconds. */
  readonly generated_at: number;
  /** Every practice with its level. */
  readonly practices: readonly {
    /** Names the practice. */
    readonly key: string;
    /** One line that names it. */
    readonly title: string;
    /** The group of practices that it belongs to. */
    readonly pillar: string;
    /** What shows the practice, and whether it is there. */
    readonly signals: readonly {
      /** What is looked for. */
      readonly name: string;
      /** Whether it is there. */
      readonly found: boolean;
      /** The first of its paths that exists; absent without one. */
      readonly path?: string;
    }[];
    /** Signals that are there. */
    readonly found: number;
    /** Signals that are looked for. */
    readonly expected: number;
    /** `found`, at most 3. */
    readonly level: number;
    /**
     * The level in a word.
     * @enum {string}
     */
    readonly level_name: 'absent' | 'initial' | 'managed' | 'defined';
    /** What would raise the level. */
    readonly next_step: string;
    /** What the files cannot show about it; absent without such a thing. */
    readonly detection_caveat?: string;
  }[];
  /** Mean of the levels, 0 to 3. */
  readonly mean_level: number;
  /** The highest level that files can show: 3. */
  readonly max_detectable_level: number;
  /** What the levels say, and what they do not. */
  readonly scope_note: string;
};
export type Onboarding = {
  /** Top folder of the measured repository. */
  readonly repo: string;
  /** Days before the report that are looked at. */
  readonly window_days: number;
  /** Unix time in seconds. */
  readonly generated_at: number;
  /** What prepares a repository for newcomers, and whether it is there. */
  readonly readiness: readonly {
    /** What is looked for. */
    readonly name: string;
    /** Whether it is there. */
    readonly found: boolean;
    /** The first of its paths that exists; absent without one. */
    readonly path?: string;
  }[];
  /** How much of it is there. */
  readonly readiness_found: number;
  /** How much is looked for. */
  readonly readiness_expected: number;
  /** Authors whose first commit is in the window, the newest first; at most 10 000. */
  readonly new_contributors: readonly {
    /** Name as the commits spell it. */
    readonly author: string;
    /** Unix time in seconds. */
    readonly first_commit_at: number;
    /** Hours from the first commit to the second; absent without a second. */
    readonly hours_to_second_commit?: number;
    /** Commits of the window. */
    readonly commits_in_window: number;
  }[];
  /** What cannot be measured here, and why. */
  readonly not_measured: readonly {
    /** Name of what is not measured. */
    readonly metric: string;
    /** Why it cannot be measured here. */
    readonly reason: string;
    /** What to do so that it can be. */
    readonly to_measure_this: string;
  }[];
  /** Sentences about what limits the numbers. */
  readonly notes: readonly string[];
};
export type Scorecard = {
  /** The four delivery keys. */
  readonly dora: Dora;
  /** Which practices the files of the repository show. */
  readonly practices: Practices;
  /** Share of the four keys that was measured, 0 to 1. */
  readonly dora_coverage: number;
  /**
   * Mean of the bands of the measured keys: A from 3.5 points of 4; absent without a key.
   * @enum {string}
   */
  readonly delivery_grade?: 'A' | 'B' | 'C' | 'D';
  /** The most important in one sentence. */
  readonly headline: string;
};
export type Space = {
  /** Top folder of the measured repository. */
  readonly repo: string;
  /** Days before the report that are looked at. */
  readonly window_days: number;
  /** Unix time in seconds. */
  readonly generated_at: number;
  /** The five dimensions. */
  readonly dimensions: readonly {
    /**
     * One of the five SPACE dimensions.
     * @enum {string}
     */
    readonly dimension: 'satisfaction' | 'performance' | 'activity' | 'collaboration' | 'efficiency';
    /** The same as `dimension`. */
    readonly key: string;
    /** One line that names it. */
    readonly title: string;
    /** What the history gives for it; may be empty. */
    readonly measures: readonly {
      /** What is measured. */
      readonly name: string;
      /** The number, in `unit`. */
      readonly value: number;
      /** What is counted. */
      readonly unit: string;
      /** Where the number comes from. */
      readonly source: string;
      /** The number of values that it is computed from. */
      readonly sample_size: number;
      /** What the number does not say; absent without such a thing. */
      readonly caveat?: string;
    }[];
    /** What the history does not give, and which system does. */
    readonly unmeasured: readonly {
      /** Name of what is not measured. */
      readonly metric: string;
      /** Why it cannot be measured here. */
      readonly reason: string;
      /** What to do so that it can be. */
      readonly to_measure_this: string;
    }[];
  }[];
  /** Dimensions with a measure, 0 to 5. */
  readonly dimensions_measured: number;
  /** Whether an outcome is among the measures, beside amounts of work. */
  readonly outcome_signal: boolean;
  /** What the measures say, and what they do not. */
  readonly scope_note: string;
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
  /** The payload of the event, whose schema follows from its type; null once it is erased. */
  readonly data: Json;
  /** RFC 9162 leaf hash of the event, hexadecimal. */
  readonly leaf_hash: string;
  /**
   * Present when the data of the event were erased for good.
   * @constant
   */
  readonly erased?: true;
};
export type InclusionProof = {
  /** Position in the log; the first event has 1. */
  readonly position: number;
  /** Events of the tree that the proof is for. */
  readonly size: number;
  /** RFC 9162 leaf hash of the event, hexadecimal. */
  readonly leaf_hash: string;
  /** Hashes from the leaf to the root, hexadecimal. */
  readonly path: readonly string[];
  /** RFC 9162 tree hash of the log, hexadecimal. */
  readonly tree_hash: string;
};
export type ConsistencyProof = {
  /** Events of the older tree. */
  readonly from: number;
  /** Events of the newer tree. */
  readonly to: number;
  /** Hashes of the proof, hexadecimal. */
  readonly path: readonly string[];
  /** Hexadecimal. */
  readonly from_hash: string;
  /** Hexadecimal. */
  readonly to_hash: string;
};
export type StorageOperation = {
  /** Id of the operation. */
  readonly id: string;
  /**
   * What was asked for.
   * @enum {string}
   */
  readonly kind: 'backup' | 'verified_backup' | 'compact' | 'verify';
  /**
   * Whether it is at work, and how it ended.
   * @enum {string}
   */
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** How much of `total` is done. */
  readonly done: number;
  /** All there is to do, in the unit of `done`; 0 while it is not known. */
  readonly total: number;
  /** Why it failed or that it was cancelled; null otherwise. */
  readonly error: {
    /** `STORAGE_…`; null for other errors. */
    readonly code: string | null;
    /** What went wrong, in one sentence. */
    readonly message: string;
  } | null;
  /** By kind: backup, verified_backup, compact, verify; null before the end. */
  readonly result:
    | (
        | {
            /** Folder of the copy. */
            readonly to: string;
            /** Files in it. */
            readonly files: number;
            /** Size in bytes. */
            readonly bytes: number;
          }
        | {
            /** Folder of the backup. */
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
            /** Size in bytes before the compaction. */
            readonly disk_bytes_before: number;
            /** Size in bytes. */
            readonly disk_bytes: number;
          }
        | {
            /** No error was found. */
            readonly ok: boolean;
            /** Position of the last event that was read. */
            readonly head: number;
            /** RFC 9162 tree hash of the log, hexadecimal. */
            readonly tree_hash: string;
            /** What is damaged; empty when nothing is. */
            readonly errors: readonly {
              /** File of the store. */
              readonly file: string;
              /** Byte in the file; null when it is about the whole file. */
              readonly offset: number | null;
              /** What is wrong there. */
              readonly what: string;
            }[];
          }
      )
    | null;
};
export type StorageStats = {
  /** Storage engine: `cow`, `lsm`, `embedded_kv`, `memory` or `postgres`. */
  readonly backend: string;
  /** Events in the log. */
  readonly events: number;
  /** RFC 9162 tree hash of the log, hexadecimal. */
  readonly tree_hash: string;
  /** Keys in the store; null where counting them needs a full scan. */
  readonly keys: number | null;
  /** Size in bytes. */
  readonly disk_bytes: number;
  /** Size in bytes. */
  readonly live_bytes: number | null;
  /** Size in bytes. */
  readonly wal_bytes: number;
  /** Size in bytes. */
  readonly cache_bytes: number;
  /** Reads answered by the cache. */
  readonly cache_hits: number;
  /** Reads that went to the disk. */
  readonly cache_misses: number;
  /** Snapshots that are held open. */
  readonly snapshots: number;
  /** Size in bytes. */
  readonly pending_compaction_bytes: number;
  /** Levels of the lsm engine, the newest first; empty for others. */
  readonly levels: readonly {
    /** Tables of the level. */
    readonly tables: number;
    /** Size in bytes. */
    readonly bytes: number;
  }[];
  /** Why writes are refused; null while they are accepted. */
  readonly failure: string | null;
  /** When the newest backup was verified, in Unix milliseconds; absent where this process makes none. */
  readonly last_backup_at?: number | null;
  /** Why the latest attempt to make a backup failed; null after a successful one. */
  readonly backup_failure?: string | null;
};
export type Erasures = {
  /**
   * done: the bytes of every erased payload have left the store.
   * @enum {string}
   */
  readonly state: 'done' | 'waiting' | 'running';
  /** Position of the newest event that records an erasure, 0 when there is none. */
  readonly recorded: number;
  /** Erasures that are recorded up to this position have left the disk. */
  readonly done_through: number;
  /** When that was last finished, in Unix milliseconds. */
  readonly done_at: number | null;
  /** Why the latest attempt failed; it is made again. */
  readonly failure: string | null;
  /** Kept backups from before the newest erasure, which may hold what it erased. */
  readonly older_backups: number;
};
export type Node = {
  /** Id of the daemon's process. */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** Version of the daemon. */
  readonly version: string;
  /** Unix milliseconds of its start. */
  readonly since: number;
  /** Unix milliseconds of its last sign of life. */
  readonly last_seen: number;
  /** Whether it still is at work. */
  readonly alive: boolean;
  /** Folders whose runs it takes; empty: all. */
  readonly workspaces: readonly string[];
  /** Ids of the runs that it executes. */
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
  readonly series: {
    readonly [key: string]: readonly (number | null)[];
  };
  /** The kept backups; null when none are kept. */
  readonly backups: {
    /** Backups that are kept. */
    readonly kept: number;
    /** Backups that failed since the start of the daemon. */
    readonly failures: number;
    /** Why the last one failed; null when it did not. */
    readonly failure: string | null;
    /** The newest one; null before it. */
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
  /** Text of the answer. */
  readonly content: string;
};
/** A piece of the answer. */
export type ChatStreamEvent = string;
export type RunsStartAnswer = {
  /** The run. */
  readonly session_id: string;
};
export type RunsStreamQuery = {
  /** Only what follows this position or id. */
  readonly after?: number;
  /** Another name of `after`. */
  readonly since_seq?: number;
};
export type RunsListQuery = {
  /** At most so many. */
  readonly limit?: number;
  /** A session id: the page begins after it. A run that starts meanwhile moves to the front. With the same `at` all pages are of one moment. */
  readonly after?: string;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
  /** Only runs with this status; several with commas between them. */
  readonly status?: string;
  /** Only runs of this provider. */
  readonly provider?: string;
  /** Each of its words is in the task or the summary, or (from four letters on) the id begins with it; eight count. */
  readonly q?: string;
  /** Started from this time on, and before that one. Unix milliseconds. */
  readonly from?: number;
  /** Started before this time. Unix milliseconds. */
  readonly to?: number;
  /** Linked to this goal. */
  readonly goal?: string;
};
export type RunsListAnswer = readonly JobRecord[];
export type RunsGetQuery = {
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
/**
 * @example {
 *       "step": 3,
 *       "task": "Try it without the cache."
 *     }
 */
export type RunsForkBody = {
  /** Tool calls of the parent that the new run starts after; absent: all of them. */
  readonly step?: number;
  /** The task of the agent. */
  readonly task?: string;
  /** The approval policy: which tools run without asking. */
  readonly approval?: string | null;
  /** Ask a person about gated tools instead of rejecting them. */
  readonly interactive?: boolean | null;
};
export type RunsForkAnswer = RunsStartAnswer;
export type RunsExportPdfQuery = RunsGetQuery;
export type RunsEvidenceBundleQuery = {
  /**
   * 1: the attached files too.
   * @default 0
   * @enum {string}
   */
  readonly with_files?: '0' | '1' | 'true' | 'false';
};
export type ApprovalsListQuery = {
  /**
   * Only those with this status.
   * @enum {string}
   */
  readonly status?: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';
  /** The run. */
  readonly session_id?: string;
  /**
   * At most so many.
   * @default 200
   */
  readonly limit?: number;
};
export type ApprovalsListAnswer = {
  /** Those that wait first, the oldest of them first. */
  readonly approvals: readonly Approval[];
};
export type ApprovalsAnswerBody = {
  /**
   * `allow_run`: this tool for the rest of the run.
   * @enum {string}
   */
  readonly decision: 'allow_once' | 'allow_run' | 'deny';
  /** Recorded with the answer; after `deny` the model reads it. */
  readonly reason?: string | null;
};
/**
 * @example {
 *       "policy": "auto-edit"
 *     }
 */
export type ApprovalsSetPolicyBody = {
  /** Null takes back what was set. */
  readonly policy: ('suggest' | 'auto-edit' | 'full-auto' | 'read-only' | 'chat-only') | null;
};
export type SessionsListQuery = {
  /** At most so many. */
  readonly limit?: number;
  /** A session id: the page begins after it. A run that starts meanwhile moves to the front. With the same `at` all pages are of one moment. */
  readonly after?: string;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
export type SessionsListAnswer = readonly Session[];
export type SessionsViewQuery = RunsGetQuery;
export type SessionsShareQuery = RunsGetQuery;
export type AcpCreateTaskBody = {
  /** The task of the agent. */
  readonly task: string;
  /** Where it runs. */
  readonly context?: {
    /** Folder in which the agent works. */
    readonly workspace_root?: string | null;
  } | null;
};
export type AcpCapabilitiesAnswer = {
  /** Version of the protocol. */
  readonly protocol_version: string;
  /** Name of this program. */
  readonly agent_name: string;
  /** Version of the daemon. */
  readonly agent_version: string;
  /** Names of the tools that a task can use. */
  readonly supported_tools: readonly string[];
  /** Providers that are configured. */
  readonly supported_models: readonly string[];
  /** The capabilities of the agent, by name. */
  readonly features: readonly string[];
};
export type WebhooksReceiveForgeBody =
  | {
      /** The pull request to review. */
      readonly pull_request: {
        /** Number of the pull request. */
        readonly number: number;
        /** One line that names it. */
        readonly title: string;
        /** The newest commit of the pull request. */
        readonly head: {
          /** Hash of the commit. */
          readonly sha: string;
          /** Branch that the commit is on. */
          readonly ref: string;
        };
        /** The commit that it is to be merged into. */
        readonly base: {
          /** Hash of the commit. */
          readonly sha: string;
          /** Branch that the commit is on. */
          readonly ref: string;
        };
        /** Where the forge offers the diff. */
        readonly diff_url: string;
      };
      /** The repository of the pull request. */
      readonly repository: {
        /** Owner and name, with a slash between them. */
        readonly full_name: string;
        /** Where it can be cloned from; absent: the diff is loaded from `diff_url` alone. */
        readonly clone_url?: string | null;
      };
      /** The change of the pull request, as the forge names it. */
      readonly action: string;
    }
  | {
      readonly [key: string]: unknown;
    };
export type WebhooksReceiveForgeAnswer =
  | {
      /**
       * The pull request was reviewed.
       * @constant
       */
      readonly status: 'reviewed';
      /** Findings of the review. */
      readonly findings: number;
      /** The review in a sentence or two. */
      readonly summary: string;
    }
  | {
      /**
       * The event is of a kind that is not handled.
       * @constant
       */
      readonly status: 'ignored';
    };
export type WebhooksTriggerSkillAnswer = {
  /** Whether a run was started. */
  readonly triggered: boolean;
  /** Name of the skill. */
  readonly skill: string;
  /** Bytes of the received body. */
  readonly body_length: number;
};
export type WebhooksListDeliveriesQuery = {
  /**
   * At most so many.
   * @default 50
   */
  readonly limit?: number;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
export type WebhooksListDeliveriesAnswer = {
  /** Deliveries, the newest first. */
  readonly deliveries: readonly Delivery[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type WebhooksGetDeliveryQuery = RunsGetQuery;
export type WebhooksGetDeliveryAnswer = {
  /** Id of the delivery in this daemon. */
  readonly id: string;
  /** As the sender named it; null when it named none. */
  readonly delivery_id: string | null;
  /**
   * A forge's event, or a call that starts a skill.
   * @enum {string}
   */
  readonly kind: 'forge' | 'skill';
  /** Name of the forge's event; null for a skill. */
  readonly event: string | null;
  /**
   * What came of it; `pending` while a review is made.
   * @enum {string}
   */
  readonly status: 'ignored' | 'pending' | 'reviewed' | 'failed' | 'triggered';
  /** The pull request; of an ignored delivery the action alone. */
  readonly request:
    | (
        | ForgeRequest
        | {
            /** What happened to the pull request, as the forge names it. */
            readonly action: string;
          }
      )
    | null;
  /** Findings of the review; null without one, and when it is erased. */
  readonly findings: number | null;
  /** The review in a sentence or two; null without one. */
  readonly summary: string | null;
  /** Why the review failed; null when it did not. */
  readonly error: string | null;
  /** Name of the started skill; null for a forge's event. */
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
  /** The review; null without one, and when it is erased. */
  readonly review: {
    /** What the model found, in the order of its answers. */
    readonly findings: readonly Finding[];
    /** What of the diff was reviewed. */
    readonly coverage: {
      /** Files of the diff. */
      readonly files_total: number;
      /** Files that the model was shown. */
      readonly files_reviewed: number;
      /** Requests to the model. */
      readonly llm_calls: number;
      /** Requests to the model that failed for good. */
      readonly llm_calls_failed: number;
      /** Files of which the model saw a part. */
      readonly files_truncated: readonly string[];
      /** Files that are not reviewed because the diff is too long. */
      readonly files_skipped: readonly string[];
      /** Files whose request to the model failed. */
      readonly files_provider_failed: readonly string[];
      /** The diff exceeds the limit; files after the cut are in no list. */
      readonly diff_cut: boolean;
    };
    /**
     * Where the diff came from: the forge, or git.
     * @enum {string}
     */
    readonly source: 'diff_url' | 'git';
    /** Size in bytes. */
    readonly diff_bytes: number;
    /** Hexadecimal. */
    readonly diff_sha256: string;
    /** The provider of the model, such as `anthropic` or `ollama`. */
    readonly provider: string;
    /** Name of the model at its provider. */
    readonly model: string;
  } | null;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type TasksCreateBody = {
  /** One line that names it. */
  readonly title: string;
  /** Absent: the selected one. */
  readonly provider?: string | null;
  /** Absent: that of the provider. */
  readonly model?: string | null;
  /** Folder of the project. */
  readonly project_path?: string | null;
  /** Accepted and without effect. */
  readonly create_worktree?: boolean | null;
};
export type TasksListQuery = {
  /** `archived` and `trashed` find nothing; anything else finds all. */
  readonly state?: string;
};
export type TasksListAnswer = readonly Task[];
export type TasksUpdateBody = {
  /** One line that names it. */
  readonly title?: string;
  /** One of the statuses of a task; any other word means `draft`. */
  readonly status?: string;
  /** The run. */
  readonly session_id?: string;
};
export type TasksHistoryAnswer = {
  /** Id of the task. */
  readonly id: string;
  /** One line that names it. */
  readonly title: string;
  /**
   * How far it is.
   * @enum {string}
   */
  readonly status: 'draft' | 'queued' | 'running' | 'reviewing' | 'partial' | 'completed' | 'failed';
  /** The run. */
  readonly session_id: string;
  /** The conversation, user turns included. */
  readonly events: readonly AgentEvent[];
};
export type HarnessGetProfileQuery = {
  /** The provider of the model, such as `anthropic` or `ollama`. */
  readonly provider: string;
  /** Name of the model at its provider. */
  readonly model?: string;
};
export type HarnessSetProfileQuery = HarnessGetProfileQuery;
export type HarnessResetProfileQuery = HarnessGetProfileQuery;
export type HarnessListProfilesAnswer = {
  /** By `provider/model` (`provider/*` for all models), what you set. */
  readonly overrides: {
    readonly [key: string]: HarnessPatch;
  };
  /** A row for each known provider and each overridden pair. */
  readonly profiles: readonly {
    /** The provider of the model, such as `anthropic` or `ollama`. */
    readonly provider: string;
    /** Name of the model at its provider; `*` stands for all. */
    readonly model: string;
    /** The settings in force. */
    readonly effective: HarnessSettings;
    /** The settings without overrides. */
    readonly builtin: HarnessSettings;
  }[];
};
export type MemoryEncryptionAnswer = {
  /** Whether texts are stored as ciphertext. */
  readonly enabled: boolean;
  /** The key is missing: texts cannot be read. */
  readonly locked: boolean;
  /** Some texts cannot be found by their words yet. */
  readonly warming: boolean;
  /** Where the key is; null without encryption. */
  readonly key_source: ('keyring' | 'passphrase') | null;
};
/**
 * @example {
 *       "key_source": "keyring"
 *     }
 */
export type MemoryEncryptBody = {
  /** The key is derived from it; it is not stored. */
  readonly passphrase?: string | null;
  /** The new source of the key. Absent, a key stays where it is, and a first key follows from the passphrase. */
  readonly key_source?: ('keyring' | 'passphrase') | null;
};
export type MemoryEncryptAnswer = MemoryEncryptionAnswer;
/**
 * @example {
 *       "content": "Ada lives in Paris.",
 *       "tags": [
 *         "people"
 *       ]
 *     }
 */
export type MemoryAddBody = {
  /** The text to keep. */
  readonly content: string;
  /** Words to find it by. */
  readonly tags?: readonly string[] | null;
  /** Names and texts of the caller. */
  readonly metadata?: {
    readonly [key: string]: string;
  } | null;
  /** The project that it belongs to. */
  readonly project_id?: string | null;
  /** The run. */
  readonly session_id?: string | null;
};
export type MemoryAddAnswer = {
  /** Id of the memory; of a recognised text, of the entry that it repeats. */
  readonly id: string;
  /**
   * Kind of memory: episodic, semantic, procedural, emotional or reflective.
   * @enum {string}
   */
  readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** Weight of the signals of its sector. */
  readonly weight: number;
  /** Unix time in seconds. */
  readonly created_at: number;
  /**
   * Present when the text repeats a shown entry and is not stored.
   * @enum {string}
   */
  readonly recognised?: 'exact' | 'near';
};
export type MemoryPinBody = {
  /** Id of the memory. */
  readonly id: string;
};
export type MemoryPinAnswer = {
  /** Whether it was done. */
  readonly ok: boolean;
  /** Why not; absent when it was done. */
  readonly error?: string;
};
export type MemoryUnpinBody = MemoryPinBody;
export type MemoryUnpinAnswer = MemoryPinAnswer;
export type MemoryDeleteBody = MemoryPinBody;
export type MemoryDeleteAnswer = MemoryPinAnswer;
export type MemoryQueryBody = {
  /** The question. */
  readonly query: string;
  /** At most so many. */
  readonly limit?: number | null;
  /** An unknown name is ignored. */
  readonly sector?: string | null;
  /** Number of verbatim drawers that are returned in addition to the memories. */
  readonly drawers?: number | null;
};
export type MemoryQueryAnswer = {
  /** Memories, the best first. */
  readonly results: readonly FoundMemory[];
  /** Memories in the list. */
  readonly count: number;
  /** Present when drawers are requested. */
  readonly drawers?: readonly FoundDrawer[];
  /**
   * The index is incomplete: some memories may not be found by their words yet.
   * @constant
   */
  readonly warming?: true;
  /** Present when an embedding provider is configured. */
  readonly vectors?: VectorsUsed;
};
export type MemoryListQuery = {
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector?: string;
  /**
   * At most so many.
   * @default 100
   */
  readonly limit?: number;
  /**
   * Leaves out so many of the first.
   * @default 0
   */
  readonly offset?: number;
};
export type MemoryListAnswer = {
  /** Memories, the newest first. */
  readonly memories: readonly Memory[];
  /** All memories. */
  readonly total: number;
};
export type MemoryStatsAnswer = {
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Links between entries. */
  readonly total_waypoints: number;
  /** Facts in the memory. */
  readonly total_facts: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** Whether texts are stored as ciphertext. */
  readonly encryption: boolean;
  /** Figures of each sector. */
  readonly sectors: readonly {
    /**
     * Kind of memory: episodic, semantic, procedural, emotional or reflective.
     * @enum {string}
     */
    readonly sector: 'episodic' | 'semantic' | 'procedural' | 'emotional' | 'reflective';
    /** Its memories. */
    readonly count: number;
    /** Mean salience, 0 to 1. */
    readonly avg_salience: number;
    /** Of those, pinned ones. */
    readonly pinned_count: number;
    /** Mean age in days. */
    readonly avg_age_days: number;
  }[];
  /** Numbers in a vector. */
  readonly embedding_dim: number;
  /** Size of vectors with four bytes a number, divided by their real size; 0 without entries. */
  readonly embedding_compression_ratio: number;
  /** The method of the built-in vectors. */
  readonly embedding_backend: string;
  /** Vectors of the configured embedding model. */
  readonly embedding: VectorStatus;
};
export type MemoryExportAllAnswer = readonly ExportedMemory[];
/**
 * @example {
 *       "subject": "Ada",
 *       "predicate": "lives in",
 *       "object": "Paris",
 *       "confidence": 0.9
 *     }
 */
export type MemoryAddFactBody = {
  /** What the fact is about. */
  readonly subject: string;
  /** The relation of the subject and the object. */
  readonly predicate: string;
  /** The value that the fact gives. */
  readonly object: string;
  /** Unix time in seconds from which the fact holds. */
  readonly valid_from?: number | null;
  /** Confidence, 0 to 1. */
  readonly confidence?: number | null;
};
export type MemoryListFactsQuery = {
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
  /** Unix time in seconds: only what held then. */
  readonly valid_at?: number;
  /**
   * At most so many.
   * @default 10000
   */
  readonly limit?: number;
  /**
   * Leaves out so many of the first.
   * @default 0
   */
  readonly offset?: number;
};
export type MemoryListFactsAnswer = {
  /** Facts, the newest first. */
  readonly facts: readonly Fact[];
  /** Facts in the list. */
  readonly count: number;
  /** Facts on all pages: with `valid_at` those that held, else all of the memory. */
  readonly total: number;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type MemoryDecayAnswer = {
  /** Memories that were deleted. */
  readonly purged: number;
  /** Memories that are left. */
  readonly remaining: number;
  /** The same as `purged`. */
  readonly decayed: number;
};
export type MemoryConsolidateAnswer = {
  /** New memories, each in place of several weak ones. */
  readonly consolidated: number;
  /** The same as `consolidated`. */
  readonly merged: number;
  /** Memories that they replace. */
  readonly memories_merged: number;
  /** Reflections that were formed. */
  readonly reflections_created: number;
  /** Memories that are left. */
  readonly remaining: number;
};
export type MemoryImportAllBody = {
  /** The export as text: JSON. */
  readonly content: string;
  /** mem0, zep, openmemory, native or auto; absent: auto. */
  readonly format?: string | null;
};
export type MemoryImportAllAnswer = {
  /** Entries that were stored. */
  readonly imported: number;
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** The format that was asked for, or detected. */
  readonly format_used: string;
  /** The detected format of the entries. */
  readonly format_detected: string;
  /** Entries without text, with too little confidence, or stored before. */
  readonly skipped: readonly {
    /** Place of the entry in the import, from 0. */
    readonly index: number;
    /** Why, in one sentence. */
    readonly error: string;
  }[];
  /** Entries that repeat what a context block showed. */
  readonly recognised: readonly {
    /** Place of the entry in the import, from 0. */
    readonly index: number;
    /** Why, in one sentence. */
    readonly error: string;
  }[];
  /** Entries stored under another id than theirs. */
  readonly renamed: readonly {
    /** Place of the entry in the import, from 0. */
    readonly index: number;
    /** Id under which it is stored. */
    readonly id: string;
  }[];
  /** Entries that cannot be read. */
  readonly errors: readonly {
    /** Place of the entry in the import, from 0. */
    readonly index: number;
    /** Why, in one sentence. */
    readonly error: string;
  }[];
};
export type MemoryAddDrawersBody = {
  /** The text to store verbatim. */
  readonly content: string;
  /** Where the text comes from, such as a path; absent: nowhere. */
  readonly source?: string | null;
};
export type MemoryAddDrawersAnswer = {
  /** Chunks that became drawers. */
  readonly chunks_created: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** Id of the text. */
  readonly text_id: string;
  /** Chunks of the text, without blank ones. */
  readonly chunks: number;
  /** Chunks whose words are in a drawer or in a shown entry already; no drawer is made of them. */
  readonly duplicates: number;
  /**
   * Present when the text repeats a shown entry: it is listed with its source, and made no drawer.
   * @enum {string}
   */
  readonly recognised?: 'exact' | 'near';
};
export type MemoryListDrawersQuery = {
  /** Only drawers of this source. */
  readonly source?: string;
  /** The part of the memory that belongs to one project. */
  readonly wing?: string;
  /** Only drawers of this room. */
  readonly room?: string;
  /**
   * Only what follows this position or id.
   * @default 0
   */
  readonly after?: number;
  /**
   * At most so many.
   * @default 2000
   */
  readonly limit?: number;
};
export type MemoryListDrawersAnswer = {
  /** Drawers, oldest first. */
  readonly drawers: readonly Drawer[];
  /** Drawers in the list. */
  readonly count: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** The value of `after` for the next page; null on the last one. */
  readonly next: number | null;
};
export type MemoryDrawerStatsAnswer = {
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** Drawers by wing. */
  readonly wings: readonly {
    /** The part of the memory that belongs to one project. */
    readonly wing: string;
    /** Its drawers. */
    readonly count: number;
  }[];
  /** Drawers by room. */
  readonly rooms: readonly {
    /** Part of a wing: a topic. */
    readonly room: string;
    /** Its drawers. */
    readonly count: number;
  }[];
  /** Share of the offered chunks that made no new drawer, 0 to 1. */
  readonly dedup_hit_rate: number;
  /** How often a chunk made no new drawer. */
  readonly dedup: {
    /** Chunks of all texts that were offered. */
    readonly chunks_offered: number;
    /** Of those, chunks with the same words as a drawer. */
    readonly exact_hits: number;
    /** Of those, chunks with nearly the same words. */
    readonly near_hits: number;
    /** Both together. */
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
  /** Whether it is new. */
  readonly created: boolean;
  /** The memory that the link begins at. */
  readonly src_id: string;
  /** The memory that the link leads to. */
  readonly dst_id: string;
  /** Strength of the link. */
  readonly weight: number;
};
export type MemoryAutoTunnelBody = {
  /** Similarity from which two memories are linked, 0 to 1; absent: 0.75. */
  readonly threshold?: number | null;
};
export type MemoryAutoTunnelAnswer = {
  /** Links that were added. */
  readonly tunnels_created: number;
  /** Similarity from which two memories were linked, 0 to 1. */
  readonly threshold: number;
  /** Memories that were compared. */
  readonly considered: number;
};
export type MemoryBenchmarkQuery = {
  /**
   * An answer counts when it is among so many.
   * @default 5
   */
  readonly k?: number;
};
export type MemoryBenchmarkAnswer = {
  /** Answers that are searched for an entry. */
  readonly k: number;
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** Entries that were asked for. */
  readonly probes: number;
  /** Entries found among the memories. */
  readonly hits_cognitive: number;
  /** Entries found among the drawers. */
  readonly hits_verbatim: number;
  /** Their share of the probes, 0 to 1. */
  readonly recall_cognitive: number;
  /** Their share of the probes, 0 to 1. */
  readonly recall_verbatim: number;
  /** Share found in either, if both were independent, 0 to 1. */
  readonly recall_combined: number;
  /** The questions and what they found. */
  readonly cases: readonly {
    /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
    readonly sector: string;
    /** Half of the words of an entry. */
    readonly query: string;
    /** Whether the first `k` memories have it. */
    readonly found_cognitive: boolean;
    /** Whether the first `k` drawers have it. */
    readonly found_verbatim: boolean;
  }[];
};
export type MemoryContextBody = {
  /** The question that the block is made for. */
  readonly query: string;
  /** Tokens for the essential story. */
  readonly l1_tokens?: number | null;
  /** Most entries of this wing and sector. */
  readonly l2_limit?: number | null;
  /** With fewer scoped entries than these, entries from anywhere are added. */
  readonly l3_threshold?: number | null;
};
export type MemoryContextAnswer = {
  /** The question as it was asked. */
  readonly query: string;
  /** The block: a text to put before a prompt. */
  readonly context: string;
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** Lines of the most important memories. */
  readonly l1_essential_story: readonly string[];
  /** Memories of this wing and sector. */
  readonly l2_scoped: readonly FoundMemory[];
  /** Memories from anywhere. */
  readonly l3_deep: readonly FoundMemory[];
  /** Drawers from anywhere. */
  readonly l3_drawers: readonly FoundDrawer[];
  /** Lines of the facts that hold now. */
  readonly facts: readonly string[];
  /** The part of the memory that belongs to one project. */
  readonly wing: string;
  /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
  readonly sector: string;
  /** Present when an embedding provider is configured. */
  readonly vectors?: VectorsUsed;
};
export type MemoryAuditQuery = {
  /**
   * So many examples of each kind.
   * @default 5
   */
  readonly samples?: number;
};
export type MemoryAuditAnswer = {
  /** Memories in the memory, drawers not counted. */
  readonly total_memories: number;
  /** Drawers in the memory. */
  readonly total_drawers: number;
  /** Memories with the same text. */
  readonly exact_duplicates: {
    /** Such memories, without the first one of each text. */
    readonly count: number;
    /** Some of them. */
    readonly samples: readonly {
      /** Ids of the memories with the same text. */
      readonly ids: readonly string[];
    }[];
  };
  /** Memories with nearly the same text. */
  readonly near_duplicates: {
    /** Such pairs. */
    readonly count: number;
    /** Some of them. */
    readonly samples: readonly {
      /** Ids of the two memories. */
      readonly ids: readonly string[];
      /** Similarity of the two texts, 0 to 1. */
      readonly similarity: number;
    }[];
  };
  /** Texts that were offered as new and that the daemon itself handed out before. */
  readonly recall_loops: {
    /** Texts that came back. */
    readonly count: number;
    /** Of those, with the same words. */
    readonly exact: number;
    /** Of those, with nearly the same words. */
    readonly near: number;
    /** The newest ones. */
    readonly samples: readonly {
      /** What the entry is: memory, drawer or fact. */
      readonly store: string;
      /** Id of the entry that the text repeats. */
      readonly id: string;
      /** `exact`, or `near` for nearly the same words. */
      readonly kind: string;
      /** Similarity of the two texts, 0 to 1. */
      readonly similarity: number;
      /** How the text came back: add, chunk or import. */
      readonly via: string;
      /** Unix time in seconds. */
      readonly at: number;
    }[];
  };
  /** Memories whose salience is low. */
  readonly stale: {
    /** Such memories. */
    readonly count: number;
    /** The limit, 0 to 1. */
    readonly below_salience: number;
    /** Some of them. */
    readonly samples: readonly {
      /** Id of the memory. */
      readonly id: string;
      /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
      readonly sector: string;
      /** Importance, 0 to 1; it decays with time. */
      readonly salience: number;
      /** Unix time in seconds. */
      readonly last_seen_at: number;
    }[];
  };
  /** Memories that no question found. */
  readonly never_recalled: {
    /** Such memories. */
    readonly count: number;
    /** Some of them. */
    readonly samples: readonly {
      /** Id of the memory. */
      readonly id: string;
      /** Kind of memory: episodic, semantic, procedural, emotional or reflective. */
      readonly sector: string;
      /** Unix time in seconds. */
      readonly created_at: number;
    }[];
  };
};
export type GoalsCurrentQuery = {
  /** Folder that it belongs to; null or blank: the global slot. */
  readonly workspace?: string;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
export type GoalsCurrentAnswer = {
  /** Folder in which agents work. */
  readonly workspace: string | null;
  /** The goal. */
  readonly goal_id: string | null;
  /** RFC 3339 time. */
  readonly pinned_at?: string;
  /** The pinned goal; absent without one. */
  readonly goal?: Goal;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type GoalsPinBody = {
  /** The goal. */
  readonly goal_id: string;
  /** Folder that it belongs to; null or blank: the global slot. */
  readonly workspace?: string | null;
};
export type GoalsPinAnswer = GoalsCurrentAnswer;
export type GoalsUnpinQuery = {
  /** Folder that it belongs to; null or blank: the global slot. */
  readonly workspace?: string;
};
export type GoalsUnpinAnswer = {
  /** Folder in which agents work. */
  readonly workspace: string | null;
  /** Whether a goal was pinned. */
  readonly removed: boolean;
};
/**
 * @example {
 *       "title": "Accept empty lines",
 *       "statement": "The parser accepts every file of the corpus.",
 *       "tags": [
 *         "parser"
 *       ]
 *     }
 */
export type GoalsCreateBody = {
  /** One line that names it. */
  readonly title: string;
  /**
   * The state that the goal is to reach.
   * @default
   */
  readonly statement?: string;
  /** Folder that it belongs to; null or blank: the global slot. */
  readonly workspace?: string | null;
  /**
   * The criteria by which the goal is reached.
   * @default []
   */
  readonly success_criteria?: readonly string[];
  /**
   * Words to find it by.
   * @default []
   */
  readonly tags?: readonly string[];
  /**
   * The goal above; null for a goal of its own.
   * @default null
   */
  readonly parent_goal_id?: string | null;
};
export type GoalsListQuery = {
  /**
   * Only goals with this status.
   * @enum {string}
   */
  readonly status?: 'active' | 'paused' | 'done' | 'abandoned';
  /** Only goals of this folder; blank: those of the global slot. */
  readonly workspace?: string;
  /** Only what has this tag. */
  readonly tag?: string;
  /** A part of the title or of the statement, in any case. */
  readonly q?: string;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
  /** How many at most; 0 is all, up to 10000. */
  readonly limit?: number;
};
export type GoalsListAnswer = {
  /** Goals, the newest change first. */
  readonly goals: readonly Goal[];
  /** Goals in the list. */
  readonly count: number;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type GoalsGetQuery = RunsGetQuery;
export type GoalsGetAnswer = {
  /** The goal. */
  readonly goal: Goal;
  /** The links of the goal, newest first. */
  readonly links: readonly GoalLink[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "status": "done"
 *     }
 */
export type GoalsUpdateBody = {
  /** One line that names it. */
  readonly title?: string;
  /** The state that the goal is to reach. */
  readonly statement?: string;
  /**
   * `active`, set aside, reached or given up.
   * @enum {string}
   */
  readonly status?: 'active' | 'paused' | 'done' | 'abandoned';
  /** The criteria by which the goal is reached. */
  readonly success_criteria?: readonly string[];
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** Folder that it belongs to; null or blank: the global slot. */
  readonly workspace?: string | null;
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id?: string | null;
};
export type GoalsLinkBody = {
  /**
   * The kind of thing that `target_id` names; `session` and `job` are runs.
   * @enum {string}
   */
  readonly kind: 'session' | 'job' | 'recap' | 'note';
  /** Id or text of the linked thing. */
  readonly target_id: string;
  /** Free text; absent: none. */
  readonly note?: string | null;
};
export type GoalsStartBody = {
  /** The task of the agent. */
  readonly task?: string | null;
  /** Absent: the selected one. */
  readonly provider?: string | null;
  /** Absent: that of the provider. */
  readonly model?: string | null;
};
export type GoalsStartAnswer = {
  /** The run. */
  readonly session_id: string;
  /** Id of the link from the goal to the run. */
  readonly link_id: string;
  /** The goal. */
  readonly goal_id: string;
};
export type GoalsChildrenQuery = RunsGetQuery;
export type GoalsChildrenAnswer = {
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id: string;
  /** Goals whose parent it is. */
  readonly children: readonly Goal[];
  /** Goals in the list. */
  readonly count: number;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
export type GoalsTreeQuery = {
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
  /**
   * Levels from the goal itself, clamped to 1..10.
   * @default 3
   */
  readonly depth?: number;
};
export type GoalsTreeAnswer = {
  /** Id of the goal. */
  readonly root: string;
  /** Levels of the tree, the goal itself being the first. */
  readonly depth: number;
  /** The goal with those below it. */
  readonly tree: GoalNode;
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "provider": "ollama",
 *       "model": "qwen3:8b"
 *     }
 */
export type GoalsPlanBody = {
  /** Counts together with `model` only; absent: the selected one. */
  readonly provider?: string | null;
  /** Counts together with `provider` only; absent: the selected one. */
  readonly model?: string | null;
};
export type GoalsPlanAnswer = {
  /** Id of the goal. */
  readonly id: string;
  /** Folder that it belongs to; null: the global slot. */
  readonly workspace: string | null;
  /** One line that names it. */
  readonly title: string;
  /** What should be true in the end; may be empty. */
  readonly statement: string;
  /**
   * `active`, set aside, reached or given up.
   * @enum {string}
   */
  readonly status: 'active' | 'paused' | 'done' | 'abandoned';
  /** The criteria by which the goal is reached. */
  readonly success_criteria: readonly string[];
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** RFC 3339 time. */
  readonly created_at: string;
  /** RFC 3339 time. */
  readonly updated_at: string;
  /** The goal above; null for a goal of its own. */
  readonly parent_goal_id: string | null;
  /** The newest plan; null before the first one and after the goal changed. */
  readonly current_plan: GoalPlan | null;
  /** Version of this shape. */
  readonly schema_version: number;
  /** Whether the requested model made the plan. */
  readonly plan_provider_override_applied: boolean;
  /** `provider` of the request, when it had one. */
  readonly plan_provider_requested?: string;
  /** `model` of the request, when it had one. */
  readonly plan_model_requested?: string;
};
export type GoalsRecapBody = GoalsPlanBody;
export type GoalsRecapAnswer = {
  /** The goal. */
  readonly goal_id: string;
  /** One line that names it. */
  readonly title: string;
  /** The most important in one sentence. */
  readonly headline: string;
  /** The results, the most important first; at most 7. */
  readonly bullets: readonly string[];
  /** The next steps; at most 3. */
  readonly next_actions: readonly string[];
  /** Files and other results of the runs. */
  readonly artifacts: readonly {
    /**
     * What `locator` is.
     * @enum {string}
     */
    readonly kind: 'file' | 'diff' | 'job' | 'url';
    /** Name for people. */
    readonly label: string;
    /** Path, id or address, by its kind. */
    readonly locator: string;
  }[];
  /** The ended runs that the recap is made of, newest link first. */
  readonly sources: readonly {
    /** Id of the run. */
    readonly recap_id: string;
    /**
     * Kind of the link from the goal to the run.
     * @enum {string}
     */
    readonly kind: 'session' | 'job' | 'recap';
    /** Id or text of the linked thing. */
    readonly target_id: string;
  }[];
  /** RFC 3339 time. */
  readonly generated_at: string;
  /**
   * The author: a model, or Daybook itself.
   * @enum {string}
   */
  readonly recap_synthesizer: 'llm' | 'heuristic';
  /** Whether the requested model worded it. */
  readonly recap_provider_override_applied: boolean;
  /** `provider` of the request, when it had one. */
  readonly recap_provider_requested?: string;
  /** `model` of the request, when it had one. */
  readonly recap_model_requested?: string;
  /** Why the model could not word it; absent when it could or was not asked. */
  readonly recap_llm_error?: string;
};
export type GoalsEvidenceBundleQuery = RunsEvidenceBundleQuery;
export type WatchListGoalsAnswer = {
  /** The active goals, the newest change first. */
  readonly goals: readonly {
    /** Id of the goal. */
    readonly id: string;
    /** One line that names it. */
    readonly title: string;
    /**
     * `active`, set aside, reached or given up.
     * @enum {string}
     */
    readonly status: 'active' | 'paused' | 'done' | 'abandoned';
    /** Last part of the workspace's path. */
    readonly workspace_label: string;
    /** RFC 3339 time. */
    readonly updated_at: string;
    /** Whether it is the pinned goal of its slot. */
    readonly pinned: boolean;
  }[];
};
export type WatchGetGoalAnswer = {
  /** The goal. */
  readonly goal: Goal;
  /** The links of the goal, newest first. */
  readonly links: readonly GoalLink[];
  /** Whether it is the pinned goal of its slot. */
  readonly pinned: boolean;
};
export type WatchStartGoalBody = {
  /** The task of the agent. */
  readonly task?: string | null;
};
export type WatchStartGoalAnswer = GoalsStartAnswer;
export type EngagementsTemplateAnswer = {
  /** The four phases in order. */
  readonly phases: readonly {
    /**
     * One of the four phases of an engagement.
     * @enum {string}
     */
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    /** One line that names it. */
    readonly title: string;
    /** The usual duration of the phase; null when no duration is published. */
    readonly cadence: string | null;
    /** The purpose of the phase. */
    readonly purpose: string;
    /** Place of the phase in their order, from 0. */
    readonly index: number;
  }[];
  /** Those that every engagement begins with. */
  readonly deliverables: readonly {
    /**
     * One of the four phases of an engagement.
     * @enum {string}
     */
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    /** One line that names the phase. */
    readonly phase_title: string;
    /** The usual duration of the phase; null when no duration is published. */
    readonly cadence: string | null;
    /** Names the deliverable within an engagement. */
    readonly key: string;
    /** One line that names it. */
    readonly title: string;
    /** Description of its content. */
    readonly description: string;
    /** The tool that produces it. */
    readonly tool_hint: string;
  }[];
  /** Those that every engagement begins with. */
  readonly gates: readonly {
    /**
     * One of the four phases of an engagement.
     * @enum {string}
     */
    readonly phase: 'discover' | 'prove' | 'build' | 'operate';
    /** One line that names it. */
    readonly title: string;
    /** The condition under which the gate passes. */
    readonly criterion: string;
    /** The procedure that measures whether the criterion holds. */
    readonly measurement: string;
  }[];
};
export type EngagementsListQuery = {
  /** One or several, separated by commas. */
  readonly status?: string;
  /** Each of its words is in the name or the client, in any case, or (from four letters on) the id begins with it. */
  readonly q?: string;
  /** At most so many. */
  readonly limit?: number;
  /** At most so many of each current phase. The answer then has `counts`. */
  readonly limit_per_phase?: number;
  /**
   * `true`: the answer has `readiness`, how ready each engagement is to leave its current phase.
   * @enum {string}
   */
  readonly readiness?: 'true' | 'false';
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
export type EngagementsListAnswer = {
  /** Engagements, the newest change first. */
  readonly engagements: readonly Engagement[];
  /** Only with `limit_per_phase`: how many engagements there are. */
  readonly counts?: {
    /** All engagements, also those that the request does not ask for. */
    readonly all: number;
    /** Engagements in this phase that the request asks for, whatever its limits. */
    readonly discover: number;
    /** Engagements in this phase that the request asks for, whatever its limits. */
    readonly prove: number;
    /** Engagements in this phase that the request asks for, whatever its limits. */
    readonly build: number;
    /** Engagements in this phase that the request asks for, whatever its limits. */
    readonly operate: number;
  };
  /** Only with `readiness=true`: the current phase of each engagement in the list, by its id; of each phase at most the first 400. */
  readonly readiness?: {
    readonly [key: string]: {
      /**
       * One of the four phases of an engagement.
       * @enum {string}
       */
      readonly phase: 'discover' | 'prove' | 'build' | 'operate';
      /** One line that names it. */
      readonly title: string;
      /** The usual duration of the phase; null when no duration is published. */
      readonly cadence: string | null;
      /** Counts of the phase's deliverables. */
      readonly deliverables: {
        /** Those of the phase, waived ones too. */
        readonly total: number;
        /** Those with this status. */
        readonly not_started: number;
        /** Those with this status. */
        readonly in_progress: number;
        /** Those with this status. */
        readonly ready: number;
        /** Those with this status. */
        readonly accepted: number;
        /** Those with this status; out of scope. */
        readonly waived: number;
        /** Those that are ready or accepted and have no evidence. */
        readonly claimed_without_evidence: number;
      };
      /** Counts of the phase's gates. */
      readonly gates: {
        /** Those of the phase, waived ones too. */
        readonly total: number;
        /** Those whose verdict this is. */
        readonly not_measured: number;
        /** Those whose verdict this is. */
        readonly pending: number;
        /** Those whose verdict this is. */
        readonly pass: number;
        /** Those whose verdict this is. */
        readonly fail: number;
        /** Those whose verdict this is; out of scope. */
        readonly waived: number;
      };
      /** 0 to 1, or null when nothing is in scope. */
      readonly completion: number | null;
      /** The conditions that prevent leaving the phase. */
      readonly blockers: readonly Blocker[];
      /** The phase has no blockers. */
      readonly can_exit: boolean;
    };
  };
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "name": "Search for the archive",
 *       "client": "Analytical Engines Ltd",
 *       "workspace_path": "/home/ada/archive"
 *     }
 */
export type EngagementsCreateBody = {
  /** Name of the engagement. */
  readonly name: string;
  /** The client; absent: empty. */
  readonly client?: string | null;
  /** Folder of its files; absent: none. */
  readonly workspace_path?: string | null;
  /** Short description; absent: empty. */
  readonly summary?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsCreateAnswer = {
  /** The engagement as it is now. */
  readonly engagement: Engagement;
};
export type EngagementsGetQuery = RunsGetQuery;
export type EngagementsGetAnswer = {
  /** Everything that a reader needs to judge how far it is. */
  readonly report: {
    /** The engagement itself. */
    readonly engagement: Engagement;
    /** The four phases, with what each lacks. */
    readonly phases: readonly {
      /**
       * One of the four phases of an engagement.
       * @enum {string}
       */
      readonly phase: 'discover' | 'prove' | 'build' | 'operate';
      /** One line that names it. */
      readonly title: string;
      /** The usual duration of the phase; null when no duration is published. */
      readonly cadence: string | null;
      /** Counts of the phase's deliverables. */
      readonly deliverables: {
        /** Those of the phase, waived ones too. */
        readonly total: number;
        /** Those with this status. */
        readonly not_started: number;
        /** Those with this status. */
        readonly in_progress: number;
        /** Those with this status. */
        readonly ready: number;
        /** Those with this status. */
        readonly accepted: number;
        /** Those with this status; out of scope. */
        readonly waived: number;
        /** Those that are ready or accepted and have no evidence. */
        readonly claimed_without_evidence: number;
      };
      /** Counts of the phase's gates. */
      readonly gates: {
        /** Those of the phase, waived ones too. */
        readonly total: number;
        /** Those whose verdict this is. */
        readonly not_measured: number;
        /** Those whose verdict this is. */
        readonly pending: number;
        /** Those whose verdict this is. */
        readonly pass: number;
        /** Those whose verdict this is. */
        readonly fail: number;
        /** Those whose verdict this is; out of scope. */
        readonly waived: number;
      };
      /** 0 to 1, or null when nothing is in scope. */
      readonly completion: number | null;
      /** The conditions that prevent leaving the phase. */
      readonly blockers: readonly Blocker[];
      /** The phase has no blockers. */
      readonly can_exit: boolean;
    }[];
    /** Changes of the current phase, oldest first. */
    readonly phase_changes: readonly {
      /** Id of the change. */
      readonly id: string;
      /**
       * `advanced`: past its gates. `forced`: in spite of open blockers. `set`: by hand.
       * @enum {string}
       */
      readonly kind: 'advanced' | 'forced' | 'set';
      /**
       * The phase that was left.
       * @enum {string}
       */
      readonly from: 'discover' | 'prove' | 'build' | 'operate';
      /**
       * The phase that was entered.
       * @enum {string}
       */
      readonly to: 'discover' | 'prove' | 'build' | 'operate';
      /** The conditions that prevent leaving the phase. */
      readonly blockers: readonly Blocker[];
      /** Who caused it: `owner`, `agent:<run>` and so on. */
      readonly by: string;
      /** Why, in the caller's words or in a default text. */
      readonly reason: string;
      /** Unix time in milliseconds. */
      readonly at: number;
    }[];
    /** Deleted gates with their last verdict, oldest first. */
    readonly removed_gates: readonly {
      /** Id of the gate. */
      readonly id: string;
      /**
       * One of the four phases of an engagement.
       * @enum {string}
       */
      readonly phase: 'discover' | 'prove' | 'build' | 'operate';
      /** One line that names it. */
      readonly title: string;
      /**
       * Whether the gate passes.
       * @enum {string}
       */
      readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
      /** Who removed it. */
      readonly by: string;
      /** Why, in the caller's words or in a default text. */
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
  /**
   * `draft` until work begins, `closed` after it.
   * @enum {string}
   */
  readonly status?: 'draft' | 'active' | 'paused' | 'closed';
  /**
   * One of the four phases of an engagement.
   * @enum {string}
   */
  readonly phase?: 'discover' | 'prove' | 'build' | 'operate';
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsUpdateAnswer = EngagementsCreateAnswer;
export type EngagementsDeleteQuery = {
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string;
};
export type EngagementsDeleteAnswer = {
  /** Always true: what is not there is 404. */
  readonly deleted: boolean;
};
/**
 * @example {
 *       "force": true,
 *       "reason": "The customer accepts the open gate."
 *     }
 */
export type EngagementsAdvanceBody = {
  /** Does it despite the reasons against it. */
  readonly force?: boolean | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsAdvanceAnswer = {
  /** Whether the phase advanced, and if not, why. */
  readonly outcome: {
    /** Whether the phase was left. */
    readonly advanced: boolean;
    /**
     * The phase that was left, or is to be.
     * @enum {string}
     */
    readonly from: 'discover' | 'prove' | 'build' | 'operate';
    /** The phase that was entered, or would be; null after the last one. */
    readonly to: ('discover' | 'prove' | 'build' | 'operate') | null;
    /** It advanced with blockers outstanding. */
    readonly forced: boolean;
    /** The conditions that prevent leaving the phase. */
    readonly blockers: readonly Blocker[];
    /** What came of it, in one sentence. */
    readonly reason: string;
  };
};
export type EngagementsWorkspaceFilesQuery = {
  /**
   * Each of its words is in the path, in any case; absent: every file.
   * @default
   */
  readonly q?: string;
  /**
   * At most so many files.
   * @default 20
   */
  readonly limit?: number;
};
/**
 * @example {
 *       "files": [
 *         {
 *           "path": "docs/load-test.md"
 *         }
 *       ],
 *       "found": 1,
 *       "truncated": false,
 *       "notes": []
 *     }
 */
export type EngagementsWorkspaceFilesAnswer = {
  /** Files with the words in their name first, then those with the words in their folders. */
  readonly files: readonly {
    /** The file, relative to the workspace, with `/`. */
    readonly path: string;
  }[];
  /** Files that the search found; there are more than `files` when it exceeds `limit`. */
  readonly found: number;
  /** Whether parts of the workspace were not searched. */
  readonly truncated: boolean;
  /** Why parts were not searched, a sentence each. */
  readonly notes: readonly string[];
};
export type EngagementsHistoryQuery = {
  /**
   * A position of the log.
   * @default 0
   */
  readonly after?: number;
  /**
   * At most so many.
   * @default 500
   */
  readonly limit?: number;
};
export type EngagementsHistoryAnswer = {
  /** Events of the engagement, oldest first. */
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
    /** The payload of the event, whose schema follows from its type; null once it is erased. */
    readonly data: Json;
    /** RFC 9162 leaf hash of the event, hexadecimal. */
    readonly leaf_hash: string;
    /**
     * Present when the data of the event were erased for good.
     * @constant
     */
    readonly erased?: true;
    /** Why, in the caller's words or in a default text. */
    readonly reason: string;
  }[];
  /** The value of `after` for the next page; null on the last one. */
  readonly next: number | null;
};
export type EngagementsSeedBody = {
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
} | null;
export type EngagementsSeedAnswer = {
  /** Deliverables and gates of the template that were added. */
  readonly added: number;
};
/**
 * @example {
 *       "path": "/home/ada/archive",
 *       "attach": true
 *     }
 */
export type EngagementsScanBody = {
  /** Folder to scan, relative to the workspace of the engagement; absent: that workspace. */
  readonly path?: string | null;
  /** Attaches what was found; otherwise it is only listed. */
  readonly attach?: boolean | null;
  /** The candidates to attach, as an earlier scan named them; absent: all of them. */
  readonly only?:
    | readonly {
        /** The deliverable, by its key in the engagement. */
        readonly deliverable_key: string;
        /** The file, as the scan named it. */
        readonly path: string;
      }[]
    | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsScanAnswer = {
  /** The proposed files. */
  readonly scan: {
    /** Folder that was scanned. */
    readonly root: string;
    /** Files that were looked at. */
    readonly files_scanned: number;
    /** Files that may be evidence; at most 400. */
    readonly candidates: readonly {
      /** The deliverable, by its key in the engagement. */
      readonly deliverable_key: string;
      /** What the file was recognised by. */
      readonly rule: string;
      /** The file, relative to `root`, in lower case. */
      readonly path: string;
      /** Size in bytes. */
      readonly bytes: number;
    }[];
    /** Whether the scan ended early. */
    readonly truncated: boolean;
    /** Keys of deliverables that no file can show. */
    readonly undetectable: readonly string[];
    /** Sentences about what limits the scan. */
    readonly notes: readonly string[];
  };
  /** Files that were attached; null without `attach`. */
  readonly attached: number | null;
};
export type EngagementsListDeliverablesQuery = {
  /**
   * One of the four phases of an engagement.
   * @enum {string}
   */
  readonly phase?: '' | 'all' | 'discover' | 'prove' | 'build' | 'operate';
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
export type EngagementsListDeliverablesAnswer = {
  /** Those of the phase, or all. */
  readonly deliverables: readonly Deliverable[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "phase": "discover",
 *       "key": "problem-statement",
 *       "title": "Problem statement"
 *     }
 */
export type EngagementsAddDeliverableBody = {
  /**
   * One of the four phases of an engagement.
   * @enum {string}
   */
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  /** Names it within the engagement; no other one may have it. */
  readonly key: string;
  /** One line that names it. */
  readonly title: string;
  /** Description of its content; absent: empty. */
  readonly description?: string | null;
  /** The tool that produces it. */
  readonly tool_hint?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsAddDeliverableAnswer = {
  /** The new deliverable. */
  readonly deliverable: Deliverable;
};
export type EngagementsUpdateDeliverableBody = {
  /**
   * `waived`: not needed, out of scope.
   * @enum {string}
   */
  readonly status?: 'not_started' | 'in_progress' | 'ready' | 'accepted' | 'waived';
  /** The person who makes it; null or blank: none. */
  readonly owner?: string | null;
  /** Free text; null: empty. */
  readonly notes?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsUpdateDeliverableAnswer = {
  /** Id of the deliverable. */
  readonly updated: string;
};
export type EngagementsListEvidenceQuery = RunsGetQuery;
export type EngagementsListEvidenceAnswer = {
  /** Pieces of evidence, by time of attaching. */
  readonly evidence: readonly {
    /** Id of the piece of evidence. */
    readonly id: string;
    /** The deliverable. */
    readonly deliverable_id: string;
    /**
     * What `reference` is.
     * @enum {string}
     */
    readonly kind: 'file' | 'url' | 'run' | 'metric' | 'note';
    /** What it shows, in few words; may be empty. */
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
    /** Whether the file differs from the attached state; null when it cannot be compared. */
    readonly changed_since: boolean | null;
  }[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "kind": "file",
 *       "label": "Load test",
 *       "reference": "/home/ada/archive/load-test.md"
 *     }
 */
export type EngagementsAddEvidenceBody = {
  /** The kind of `reference`; absent: note. */
  readonly kind?: ('file' | 'url' | 'run' | 'metric' | 'note') | null;
  /** Short description; absent: empty. */
  readonly label?: string | null;
  /** Where the evidence is: a path, an address or an id, by its kind. */
  readonly reference?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsAddEvidenceAnswer = {
  /** The new piece of evidence. */
  readonly evidence: {
    /** Id of the piece of evidence. */
    readonly id: string;
    /** The deliverable. */
    readonly deliverable_id: string;
    /**
     * What `reference` is.
     * @enum {string}
     */
    readonly kind: 'file' | 'url' | 'run' | 'metric' | 'note';
    /** What it shows, in few words; may be empty. */
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
    /** Whether the file differs from the attached state; null when it cannot be compared. */
    readonly changed_since: boolean | null;
  };
};
export type EngagementsDeleteEvidenceQuery = EngagementsDeleteQuery;
export type EngagementsDeleteEvidenceAnswer = EngagementsDeleteAnswer;
export type EngagementsListGatesQuery = EngagementsListDeliverablesQuery;
export type EngagementsListGatesAnswer = {
  /** Those of the phase, or all. */
  readonly gates: readonly Gate[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "phase": "prove",
 *       "title": "Fast enough",
 *       "criterion": "p95 is below 200 ms.",
 *       "measurement": "Read p95 of a load test."
 *     }
 */
export type EngagementsAddGateBody = {
  /**
   * One of the four phases of an engagement.
   * @enum {string}
   */
  readonly phase: 'discover' | 'prove' | 'build' | 'operate';
  /** One line that names it. */
  readonly title: string;
  /** The condition under which the gate passes. */
  readonly criterion?: string | null;
  /** The procedure that measures whether the criterion holds. */
  readonly measurement: string;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsAddGateAnswer = {
  /** The gate as it is now. */
  readonly gate: Gate;
};
/**
 * @example {
 *       "verdict": "pass",
 *       "observed": "p95 is 140 ms.",
 *       "rationale": "Measured twice."
 *     }
 */
export type EngagementsJudgeGateBody = {
  /**
   * Whether the gate passes.
   * @enum {string}
   */
  readonly verdict: 'not_measured' | 'pending' | 'pass' | 'fail' | 'waived';
  /** The measured result. */
  readonly observed?: string | null;
  /** Why the verdict is this one. */
  readonly rationale?: string | null;
  /** The person who judged. */
  readonly decided_by?: string | null;
  /** Why the caller asks for the change; it is recorded with the event. */
  readonly reason?: string | null;
};
export type EngagementsJudgeGateAnswer = EngagementsAddGateAnswer;
export type EngagementsDeleteGateQuery = EngagementsDeleteQuery;
export type EngagementsDeleteGateAnswer = EngagementsDeleteAnswer;
export type EngagementsReportQuery = RunsGetQuery;
export type EngagementsReportPdfQuery = RunsGetQuery;
export type EngagementsHandoverQuery = RunsGetQuery;
export type EngagementsHandoverPdfQuery = RunsGetQuery;
export type EngagementsEvidenceBundleQuery = RunsEvidenceBundleQuery;
export type IndexStatusAnswer = {
  /** The folder whose files are indexed. */
  readonly workspace: string;
  /** The model that is configured. */
  readonly selected: {
    /** The provider of the model, such as `anthropic` or `ollama`. */
    readonly provider: string;
    /** Name of the model at its provider. */
    readonly model: string;
    /** Numbers that a vector is reduced to; absent: all. */
    readonly dimensions?: number;
    /** Address of the server of the provider. */
    readonly base_url?: string;
  };
  /** The selection in words for a person. */
  readonly description: string;
  /** Whether there is an index of the selected model. */
  readonly built: boolean;
  /** The index of the selected model; null without one. */
  readonly current: IndexHeader | null;
  /** Every index of the workspace. */
  readonly available: readonly IndexHeader[];
  /** Index files that cannot be read. */
  readonly unusable: readonly {
    /** The file. */
    readonly path: string;
    /** Why it cannot be read. */
    readonly reason: string;
  }[];
  /** The last build of the selected model; null before the first one. */
  readonly last_build: {
    /** The model of the build. */
    readonly model: EmbeddingChoice;
    /**
     * `interrupted`: the daemon ended during the build.
     * @enum {string}
     */
    readonly state: 'building' | 'built' | 'failed' | 'interrupted';
    /** Unix time in milliseconds. */
    readonly requested_at: number;
    /** Unix time in milliseconds. */
    readonly finished_at: number | null;
    /** Why it failed; null when it did not. */
    readonly message: string | null;
  } | null;
};
export type IndexBuildBody = {
  /** Counts together with `model` only; absent: the configured one. */
  readonly provider?: string | null;
  /** Counts together with `provider` only; absent: the configured one. */
  readonly model?: string | null;
};
export type IndexBuildAnswer = {
  /** The folder whose files are indexed. */
  readonly workspace: string;
  /** The model of the vectors. */
  readonly model: EmbeddingChoice;
  /** Pieces of text in the index. */
  readonly chunks: number;
  /** Files in the index. */
  readonly files: number;
  /** Numbers in a vector; null for an index without vectors. */
  readonly dimension: number | null;
  /** File of the index. */
  readonly path: string;
  /** Pieces that the model was asked for. */
  readonly embedded: number;
  /** Pieces whose vector the index before had. */
  readonly reused: number;
  /** Files that are not in the index, counted by reason. */
  readonly skipped: {
    readonly [key: string]: number;
  };
  /** Sentences for a person about what limits the index. */
  readonly notes: readonly string[];
};
export type IndexSearchQuery = {
  /** Counts together with `model` only; absent: the configured one. */
  readonly provider?: string;
  /** Counts together with `provider` only; absent: the configured one. */
  readonly model?: string;
  /** Words to search for. */
  readonly q: string;
  /**
   * The most results.
   * @default 10
   */
  readonly k?: number;
};
export type IndexSearchAnswer = {
  /** The question as it was asked. */
  readonly query: string;
  /** The model of the searched index. */
  readonly model: EmbeddingChoice;
  /** Pieces of files, the best first. */
  readonly results: readonly SearchHit[];
  /** Sentences for a person about what limits the answer. */
  readonly notes: readonly string[];
};
export type IndexStreamQuery = {
  /** Counts together with `model` only; absent: the configured one. */
  readonly provider?: string;
  /** Counts together with `provider` only; absent: the configured one. */
  readonly model?: string;
};
export type EmbeddingsModelsAnswer = {
  /** Every known provider. */
  readonly providers: readonly {
    /**
     * The provider of the model, such as `anthropic` or `ollama`.
     * @enum {string}
     */
    readonly provider: 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini' | 'local';
    /**
     * The same as `provider`.
     * @enum {string}
     */
    readonly id: 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini' | 'local';
    /** Name for people. */
    readonly display_name: string;
    /** Whether it answers only with a key of its provider. */
    readonly requires_api_key: boolean;
    /** Whether texts stay on this machine. */
    readonly is_local: boolean;
    /** Whether it can be asked. */
    readonly availability: {
      /**
       * `not_compiled_in`: this build has no such provider.
       * @enum {string}
       */
      readonly state: 'ready' | 'needs_api_key' | 'not_compiled_in';
    };
    /** Those of its models that are known. */
    readonly models: readonly EmbeddingModel[];
    /** The model that is meant when none is named; null without one. */
    readonly default_model: string | null;
  }[];
  /** The configured model; null when the settings name none that exists. */
  readonly selected: {
    /** The provider of the model, such as `anthropic` or `ollama`. */
    readonly provider: string;
    /** Name of the model at its provider. */
    readonly model: string;
    /** Numbers that a vector is reduced to; absent: all. */
    readonly dimensions?: number;
    /** Address of the server of the provider. */
    readonly base_url?: string;
  } | null;
  /** The fault of the settings; null without one. */
  readonly error: string | null;
  /** The models that a local Ollama has installed. */
  readonly ollama_installed:
    | {
        /**
         * Ollama answers.
         * @constant
         */
        readonly status: 'ok';
        /** Names of the installed models. */
        readonly models: readonly string[];
      }
    | {
        /**
         * Ollama does not answer.
         * @constant
         */
        readonly status: 'unreachable';
        /** The fault in one sentence. */
        readonly error: string;
      };
};
/**
 * @example {
 *       "texts": [
 *         "The parser fails on an empty line."
 *       ],
 *       "kind": "query"
 *     }
 */
export type EmbeddingsEmbedBody = {
  /** Counts together with `model` only; absent: the configured one. */
  readonly provider?: string | null;
  /** Counts together with `provider` only; absent: the configured one. */
  readonly model?: string | null;
  /** One vector is answered for each. */
  readonly texts: readonly string[];
  /** Whether the texts are searched in, or search; absent: document. */
  readonly kind?: ('document' | 'query') | null;
};
export type EmbeddingsEmbedAnswer = {
  /** The model that answered. */
  readonly model: EmbeddingChoice;
  /** Numbers in a vector; null without texts. */
  readonly dimension: number | null;
  /** A vector for each text, in their order. */
  readonly embeddings: readonly (readonly number[])[];
};
export type OfficeConverterAnswer = {
  /**
   * Whether a converter can be used, and if not, why.
   * @enum {string}
   */
  readonly state: 'checking' | 'ready' | 'missing' | 'configured_invalid' | 'broken';
  /** The program in use; null without one. */
  readonly path: string | null;
  /** Version of the program; null without one. */
  readonly version: string | null;
  /** The path that is set; null when the program is looked for. */
  readonly configured_path: string | null;
  /** One sentence for a person. */
  readonly detail: string;
  /** How to install a converter; null when there is one. */
  readonly install_hint: string | null;
  /** What a conversion cannot reach; `settings_only`: it is not isolated. null without a converter. */
  readonly isolation: ('files_and_network' | 'network' | 'settings_only') | null;
  /** Unix time in milliseconds. */
  readonly checked_at: number | null;
  /** The same as state `ready`. */
  readonly available: boolean;
  /** Extensions of the files that it reads. */
  readonly import_extensions: readonly string[];
};
/**
 * @example {
 *       "path": "/usr/bin/soffice"
 *     }
 */
export type OfficeSetConverterPathBody = {
  /** The program; null: it is looked for. */
  readonly path: string | null;
};
export type OfficeSetConverterPathAnswer = OfficeConverterAnswer;
/**
 * @example {
 *       "path": "/home/ada/notes/report.docx",
 *       "to": "pdf"
 *     }
 */
export type OfficeConvertBody = {
  /** The document, absolute or relative to the workspace. */
  readonly path: string;
  /**
   * The form to convert into.
   * @enum {string}
   */
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
  /** Path of the result. */
  readonly output: string;
  /**
   * The form of the result.
   * @enum {string}
   */
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
  /** Whether an earlier result was taken. */
  readonly cached: boolean;
  /** Version of the converter. */
  readonly engine_version: string;
  /** Milliseconds. */
  readonly elapsed_ms: number;
};
export type FilesExportPdfBody = {
  /** The file. */
  readonly path: string;
  /** Base of a relative `path`, itself relative to the workspace; absent: the workspace. */
  readonly root?: string | null;
};
export type BriefingListQuery = {
  /** At most so many. */
  readonly limit?: number;
  /**
   * The answer comes once the running briefing has ended, or after so many milliseconds.
   * @default 0
   */
  readonly wait?: number;
};
export type BriefingListAnswer = {
  /** The settings in force. */
  readonly settings: BriefingSettings;
  /** Ended briefings, the newest first. */
  readonly history: readonly BriefingEntry[];
  /** What is done and when. */
  readonly routine: {
    /** Whether briefings are made by themselves. */
    readonly enabled: boolean;
    /** Whether one is being made. */
    readonly running: boolean;
    /** The one that is being made; null when none is. */
    readonly current: {
      /** Id of the briefing. */
      readonly id: string;
      /** Unix time in milliseconds. */
      readonly requested_at: number;
      /** The scheduled time in Unix milliseconds; null without one. */
      readonly scheduled_for: number | null;
      /**
       * What is done at this moment.
       * @enum {string}
       */
      readonly stage: 'waiting' | 'gathering' | 'writing';
    } | null;
    /** Why the newest ended one failed; null when it did not. */
    readonly last_error: string | null;
    /** Unix time in milliseconds. */
    readonly last_run_at: number | null;
    /** Unix time in milliseconds. */
    readonly next_run_at: number | null;
  };
  /** The same as in `routine`. */
  readonly running: boolean;
  /** The same as in `routine`. */
  readonly last_error: string | null;
};
/**
 * @example {
 *       "enabled": true,
 *       "time": "07:30",
 *       "sections": [
 *         "runs",
 *         "goals"
 *       ]
 *     }
 */
export type BriefingUpdateSettingsBody = {
  /** Made by itself at `time` on `days`. */
  readonly enabled?: boolean;
  /** HH:MM on the clocks of `timezone`. */
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
  /**
   * `model`: a model words the facts. `computed`: sentences are made without one.
   * @enum {string}
   */
  readonly writer?: 'model' | 'computed';
  /** Both or neither; null is the daemon's own model. */
  readonly provider?: string | null;
  /** Model of `provider`; null exactly when that is. */
  readonly model?: string | null;
  /** Language code of the text, such as `en`. */
  readonly language?: string;
  /**
   * How much of the facts the text has.
   * @enum {string}
   */
  readonly length?: 'short' | 'medium' | 'long';
  /** Folder in which agents work. */
  readonly workspace?: string | null;
  /** Folders of git repositories. */
  readonly repositories?: readonly string[];
  /** Covers so many hours; null is all since the briefing before. */
  readonly hours?: number | null;
  /** Briefings in the history. */
  readonly keep?: number;
};
export type BriefingGenerateBody = BriefingUpdateSettingsBody;
export type BriefingGenerateAnswer = {
  /** Id of the briefing. */
  readonly id: string;
  /**
   * It is being made.
   * @constant
   */
  readonly running: true;
};
export type BriefingSpeakBody = {
  /** The markdown to speak. */
  readonly text: string;
};
export type RoomsOpenBody = {
  /** The room. */
  readonly room_id?: string | null;
};
export type RoomsOpenAnswer = {
  /** The room. */
  readonly room_id: string;
  /** Peers that are connected. */
  readonly peer_count: number;
};
export type RoomsListQuery = {
  /**
   * `true`: also the closed rooms, which have kept their texts.
   * @enum {string}
   */
  readonly all?: 'true' | 'false';
};
export type RoomsListAnswer = readonly string[];
export type RoomsPeersAnswer = readonly {
  /** The peer of the room. */
  readonly peer_id: string;
  /** Name for people. */
  readonly name: string;
  /** CSS color of the cursor. */
  readonly color: string;
  /** Where the peer is; null before it says so. */
  readonly cursor: {
    /** The file of the room that the cursor is in. */
    readonly file: string;
    /** Line, from 0. */
    readonly line: number;
    /** Character of the line, from 0. */
    readonly column: number;
    /**
     * Line and column at which the selection ends; null without one.
     * @default null
     */
    readonly selection_end: readonly [number, number] | null;
  } | null;
  /** Unix time in milliseconds. */
  readonly last_active: number;
}[];
export type VoiceTranscribeBody = {
  /** The recording, in Base64. */
  readonly audio_base64: string;
  /** Media type. */
  readonly mime_type?: string | null;
  /** Language code of the speech; absent: the one of the settings. */
  readonly language?: string | null;
  /** Uses an engine of this machine if there is one. */
  readonly prefer_local?: boolean | null;
};
export type VoiceTranscribeAnswer = {
  /** The transcript. */
  readonly text: string;
  /**
   * The recogniser: a program of this machine, or a service.
   * @enum {string}
   */
  readonly engine: 'local_asr' | 'cloud_asr';
};
/**
 * @example {
 *       "engine": "system",
 *       "language": "en"
 *     }
 */
export type VoiceUpdateSettingsBody = {
  /** The engine: `system` or `neural`. */
  readonly engine?: string;
  /** Language code, or `auto`. */
  readonly language?: string;
  /** Id of a voice; empty: the engine chooses. */
  readonly voice?: string;
  /** null means empty: answers show null while there is no pair. */
  readonly provider?: string | null;
  /** Model of `provider`; null means empty. */
  readonly model?: string | null;
};
export type VoiceUpdateSettingsAnswer = {
  /** The engine: `system` or `neural`. */
  readonly engine: string;
  /** Id of the voice; empty: the engine chooses. */
  readonly voice: string;
  /** Language code, or `auto`. */
  readonly language: string;
  /** Provider of the model that answers spoken turns; null: the selected one. */
  readonly provider: string | null;
  /** The model that answers spoken turns; null: the selected one. */
  readonly model: string | null;
};
export type PluginsListQuery = {
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string;
};
export type PluginsListAnswer = {
  /** Whether the project's folder of plugins can be read; if not, none is in force. */
  readonly available: boolean;
  /** Parts in force. */
  readonly total: number;
  /** Always empty: plugins bring none. */
  readonly mcp_servers: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    /** Name of the part. */
    readonly name: string;
    /**
     * Policy of its plugin; `required` ones are always on.
     * @enum {string}
     */
    readonly policy: 'on' | 'off' | 'required';
  }[];
  /** Skills that plugins bring. */
  readonly skills: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    /** Name of the part. */
    readonly name: string;
    /**
     * Policy of its plugin; `required` ones are always on.
     * @enum {string}
     */
    readonly policy: 'on' | 'off' | 'required';
  }[];
  /** Always empty: plugins bring none. */
  readonly subagents: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    /** Name of the part. */
    readonly name: string;
    /**
     * Policy of its plugin; `required` ones are always on.
     * @enum {string}
     */
    readonly policy: 'on' | 'off' | 'required';
  }[];
  /** Rules that plugins bring. */
  readonly rules: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    /** Name of the part. */
    readonly name: string;
    /**
     * Policy of its plugin; `required` ones are always on.
     * @enum {string}
     */
    readonly policy: 'on' | 'off' | 'required';
  }[];
  /** Always empty: plugins bring none. */
  readonly hooks: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    /** Name of the part. */
    readonly name: string;
    /**
     * Policy of its plugin; `required` ones are always on.
     * @enum {string}
     */
    readonly policy: 'on' | 'off' | 'required';
    /** When it acts. */
    readonly event: string;
  }[];
  /** Installed plugins that are not in force. */
  readonly not_live: readonly {
    /** The plugin that brings it. */
    readonly plugin: string;
    /** Why it is not in force. */
    readonly reason: string;
  }[];
};
export type PluginsCatalogQuery = PluginsListQuery;
export type PluginsCatalogAnswer = {
  /** The catalogue. */
  readonly plugins: readonly {
    /** Name of the plugin or bundle. */
    readonly name: string;
    /** One line that names it. */
    readonly title: string;
    /** Version of the plugin. */
    readonly version: string;
    /** What it is for. */
    readonly description: string;
    /** What it belongs to. */
    readonly category: string;
    /** Its parts. */
    readonly components: readonly {
      /**
       * What runs get of it.
       * @enum {string}
       */
      readonly kind: 'skill' | 'rule';
      /** Name of the part. */
      readonly name: string;
    }[];
    /** Of a bundle, its plugins. */
    readonly includes: readonly string[];
    /** Connectors that it asks for, by their id in the catalogue. */
    readonly connectors: readonly string[];
    /** Whether it is installed in the project. */
    readonly installed: boolean;
    /** Whether it is on; null when it is not installed. */
    readonly policy: ('on' | 'off' | 'required') | null;
    /** Why it is not in force although it is installed; null when it is. */
    readonly trouble: string | null;
  }[];
};
/**
 * @example {
 *       "name": "core-test-first"
 *     }
 */
export type PluginsInstallBody = {
  /** Name of a plugin or bundle of the catalogue. */
  readonly name: string;
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | null;
  /** Does it despite the reasons against it. */
  readonly force?: boolean | null;
};
export type PluginsInstallAnswer = {
  /** Name of the plugin or bundle. */
  readonly name: string;
  /** Version that is installed. */
  readonly version: string;
  /**
   * A new installation is on.
   * @enum {string}
   */
  readonly policy: 'on' | 'off' | 'required';
  /** Number of its parts. */
  readonly components: number;
  /** Whether the key that signed it is stored on the disk. */
  readonly signing_key_persisted: boolean;
  /** Of a bundle, the plugins that were installed. */
  readonly included: readonly string[];
  /** Connectors that it asks for. */
  readonly connectors: readonly {
    /** Id of the connector. */
    readonly id: string;
    /** One line that names it. */
    readonly title: string;
    /**
     * What came of it.
     * @enum {string}
     */
    readonly state: 'already_configured' | 'added' | 'needs_credentials' | 'unknown' | 'failed';
    /** Names of the credentials that it needs. */
    readonly fields?: readonly string[];
    /** Why it failed; absent when it did not. */
    readonly error?: string;
  }[];
};
/**
 * @example {
 *       "name": "core-test-first",
 *       "policy": "off"
 *     }
 */
export type PluginsSetPolicyBody = {
  /** Name of the plugin. */
  readonly name: string;
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | null;
  /** `on` or `off`. */
  readonly policy: string;
};
export type PluginsSetPolicyAnswer = {
  /** Name of the plugin. */
  readonly name: string;
  /**
   * The policy in force.
   * @enum {string}
   */
  readonly policy: 'on' | 'off' | 'required';
};
/**
 * @example {
 *       "name": "core-test-first"
 *     }
 */
export type PluginsUninstallBody = {
  /** Name of the plugin. */
  readonly name: string;
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | null;
};
export type PluginsUninstallAnswer = {
  /** Name of the plugin. */
  readonly name: string;
  /** Whether it was installed. */
  readonly removed: boolean;
};
export type ConnectorsListQuery = {
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string;
  /** Answers as of then: a position of the log, or an RFC 3339 time. */
  readonly at?: string;
};
export type ConnectorsListAnswer = {
  /** Connectors of the project. */
  readonly connectors: readonly {
    /** Id of the connector in its project. */
    readonly id: string;
    /** The entry of the catalogue. */
    readonly catalog_id: string | null;
    /** One line that names it. */
    readonly title: string;
    /** The program. */
    readonly command: string;
    /** Arguments of the command. */
    readonly args: readonly string[];
    /** Whether runs get its tools. */
    readonly enabled: boolean;
    /** Unix time in milliseconds. */
    readonly added_at: number | null;
    /** Names of the stored credentials; no values. */
    readonly credential_names: readonly string[];
    /** Names of credentials that it needs and that are not stored; null for the past. */
    readonly missing_credentials: readonly string[] | null;
  }[];
  /** Connectors that can be added by `catalog_id`. */
  readonly catalog: readonly CatalogConnector[];
  /** The moment of the answer; present when `at` was given. */
  readonly as_of?: AsOf;
};
/**
 * @example {
 *       "catalog_id": "filesystem",
 *       "path": "/home/ada/notes"
 *     }
 */
export type ConnectorsAddBody = {
  /** The entry of the catalogue. */
  readonly catalog_id?: string | null;
  /** Its id in the project; left out with `catalog_id`. */
  readonly id?: string | null;
  /** One line that names it; left out with `catalog_id`; absent: the id. */
  readonly title?: string | null;
  /** The program to start; left out with `catalog_id`. */
  readonly command?: string | null;
  /** Arguments of the command. */
  readonly args?: readonly string[] | null;
  /** By the name of the environment variable, the secret; stored in the vault only. */
  readonly credentials?: {
    readonly [key: string]: string;
  } | null;
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | null;
};
export type ConnectorsAddAnswer = {
  /** Id of the connector in its project. */
  readonly id: string;
  /** One line that names it. */
  readonly title: string;
  /**
   * A new connector is on.
   * @constant
   */
  readonly enabled: true;
  /** Names of the stored credentials; no values. */
  readonly credential_names: readonly string[];
};
export type ConnectorsToggleBody = {
  /** Id of the connector. */
  readonly id: string;
  /** Whether runs get its tools. */
  readonly enabled: boolean;
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | null;
};
export type ConnectorsToggleAnswer = {
  /** Id of the connector. */
  readonly id: string;
  /** Whether runs get its tools. */
  readonly enabled: boolean;
};
export type ConnectorsRemoveBody = {
  /** Id of the connector. */
  readonly id: string;
  /** The project: its folder, or one in it. Without it the daemon’s workspace. */
  readonly path?: string | null;
};
export type ConnectorsRemoveAnswer = {
  /** Id of the connector. */
  readonly id: string;
  /** Whether there was one. */
  readonly removed: boolean;
  /** Credentials that were deleted from the vault. */
  readonly secrets_deleted: number;
};
export type ConnectorsProbeBody = ConnectorsRemoveBody;
export type ConnectorsProbeAnswer = {
  /** Id of the connector. */
  readonly id: string;
  /** What came of starting it. */
  readonly result:
    | {
        /**
         * It started and named its tools.
         * @constant
         */
        readonly state: 'ok';
        /** Names of its tools. */
        readonly tools: readonly string[];
      }
    | {
        /**
         * It did not start, or broke the protocol.
         * @constant
         */
        readonly state: 'failed';
        /** The fault in one sentence. */
        readonly error: string;
      }
    | {
        /**
         * It did not answer in time.
         * @constant
         */
        readonly state: 'timedout';
        /** Seconds that it was waited for. */
        readonly after_secs: number;
      };
  /** Unix time in milliseconds. */
  readonly checked_at: number;
};
export type McpSendBody =
  | ({
      /**
       * Version of JSON-RPC.
       * @constant
       */
      readonly jsonrpc: '2.0';
    } & {
      readonly [key: string]: unknown;
    })
  | readonly ({
      /**
       * Version of JSON-RPC.
       * @constant
       */
      readonly jsonrpc: '2.0';
    } & {
      readonly [key: string]: unknown;
    })[];
export type McpSendEvent = {
  /**
   * Version of JSON-RPC.
   * @constant
   */
  readonly jsonrpc: '2.0';
} & {
  readonly [key: string]: unknown;
};
export type McpListenEvent = McpSendEvent;
export type PairingOfferAnswer = {
  /** Where the token can be exchanged. */
  readonly url: string;
  /** The pairing token. */
  readonly token: string;
  /** Instructions for a person. */
  readonly instructions: string;
};
export type PairingExchangeBody = {
  /** The pairing token. */
  readonly token: string;
  /** The code that the daemon prints on its terminal; required from another machine and through a proxy. */
  readonly code?: string;
};
export type PairingExchangeAnswer = {
  /** The bearer token. */
  readonly token: string;
};
export type DevexDoraQuery = {
  /** The repository to measure, or a directory or file in it. Absolute; it is never guessed. */
  readonly path: string;
  /** What counts as a release: tags (named like versions, the default) or merges (on `branch`). */
  readonly marker?: string;
  /**
   * How far back to look, in days.
   * @default 90
   */
  readonly window?: number;
  /** With marker=merges the branch that is deployed; HEAD by default. */
  readonly branch?: string;
};
export type DevexDoraAnswer = {
  /** The four delivery keys. */
  readonly dora: Dora;
};
export type DevexPracticesQuery = DevexDoraQuery;
export type DevexPracticesAnswer = {
  /** Which practices the files of the repository show. */
  readonly practices: Practices;
};
export type DevexOnboardingQuery = DevexDoraQuery;
export type DevexOnboardingAnswer = {
  /** Signs of preparation for new authors, and the new authors. */
  readonly onboarding: Onboarding;
};
export type DevexScorecardQuery = DevexDoraQuery;
export type DevexScorecardAnswer = {
  /** Delivery and practices, with a grade. */
  readonly scorecard: Scorecard;
};
export type DevexSpaceQuery = DevexDoraQuery;
export type DevexSpaceAnswer = {
  /** The five SPACE dimensions. */
  readonly space: Space;
};
export type DevexScorecardMarkdownQuery = DevexDoraQuery;
export type DevexScorecardPageQuery = DevexDoraQuery;
export type DevexSurveyQuery = DevexDoraQuery;
export type ModelsListAnswer = {
  /** The active one first, then local ones, then the catalogue. */
  readonly models: readonly Model[];
};
export type AboutCapabilitiesAnswer = {
  /** Name of this program. */
  readonly framework: string;
  /** Version of the daemon. */
  readonly version: string;
  /** By name, what each offers and settings of it. */
  readonly capabilities: {
    readonly [key: string]: {
      /** Description in a sentence. */
      readonly description: string;
    } & {
      readonly [key: string]: Json;
    };
  };
};
export type AboutBeaconAnswer = {
  /** The machine of the daemon. */
  readonly machine_id: string;
  /** Name of the machine. */
  readonly hostname: string;
  /** Version of the daemon. */
  readonly daemon_version: string;
  /** TCP port on which the daemon listens. */
  readonly port: number;
  /** IPv4 addresses at which it can be reached; 127.0.0.1 alone when it admits this machine only. */
  readonly lan_ips: readonly string[];
  /** The first of them that begins with 100.; null without one. */
  readonly tailscale_ip: string | null;
  /** Always null: the daemon makes no public address. */
  readonly public_url: string | null;
  /** Seconds since the start of the daemon. */
  readonly uptime_secs: number;
  /** Always null: the route is public and names no run. */
  readonly active_session: null;
};
export type AboutMcpCardAnswer = {
  /** Name of this MCP server. */
  readonly name: string;
  /** Version of the daemon. */
  readonly version: string;
  /** Version of MCP, as a date. */
  readonly protocolVersion: string;
  /** Ways to connect. */
  readonly transports: readonly string[];
  /** Path of the transport `streamable_http`. */
  readonly endpoint: string;
  /** The tools that clients of the server can call. */
  readonly tools: readonly {
    /** Name of the tool. */
    readonly name: string;
    /** Description of the tool, for a model. */
    readonly description: string;
  }[];
  /** Always empty. */
  readonly prompts: readonly Json[];
  /** Always empty. */
  readonly resources: readonly Json[];
};
export type LogListQuery = {
  /**
   * Only what follows this position or id.
   * @default 0
   */
  readonly after?: number;
  /**
   * At most so many.
   * @default 500
   */
  readonly limit?: number;
  /**
   * The stream of the log: `<category>-<id>`.
   * @default
   */
  readonly stream?: string;
  /**
   * Only events of this type.
   * @default
   */
  readonly type?: string;
  /** Only what precedes this position, the newest first. */
  readonly before?: number;
  /**
   * Who caused the event: `owner`, `system`, `agent:<run>` and so on.
   * @default
   */
  readonly actor?: string;
  /**
   * The request or run that the event belongs to.
   * @default
   */
  readonly correlation?: string;
  /** Recorded at this time or later, in Unix milliseconds. */
  readonly from?: number;
  /** Recorded before this time, in Unix milliseconds. */
  readonly to?: number;
};
export type LogListAnswer = {
  /** Envelopes, oldest first; newest first with `before`. */
  readonly events: readonly Envelope[];
  /** The value of `after` for the next page; null on the last one. */
  readonly next: number | null;
  /** Position of the newest event of the log. */
  readonly head: number;
};
export type LogEventsQuery = {
  /** Only what follows this position or id. */
  readonly after?: number;
  /**
   * The stream of the log: `<category>-<id>`.
   * @default
   */
  readonly stream?: string;
  /**
   * Only events of this type.
   * @default
   */
  readonly type?: string;
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
  /** Duration of the rebuild. */
  readonly seconds: number;
};
export type LogProofQuery = {
  /** Position in the log; the first event has 1. */
  readonly position: number;
  /** Events of the tree to prove for; absent: the whole log. */
  readonly size?: number;
};
export type LogConsistencyQuery = {
  /** Events of the older tree. */
  readonly from: number;
  /** Events of the newer tree; absent: the whole log. */
  readonly to?: number;
};
export type LogCheckpointsQuery = {
  /**
   * Only what follows this position or id.
   * @default 0
   */
  readonly after?: number;
  /**
   * At most so many.
   * @default 500
   */
  readonly limit?: number;
};
export type LogCheckpointsAnswer = {
  /** Checkpoints, the smallest first. */
  readonly checkpoints: readonly {
    /** Events that it covers. */
    readonly size: number;
    /** Unix time in milliseconds. */
    readonly at: number;
    /** The signed note. */
    readonly note: string;
    /** Names of the witnesses that signed it. */
    readonly witnesses: readonly string[];
  }[];
  /** The value of `after` for the next page; null on the last one. */
  readonly next: number | null;
};
export type LogEvidenceBundleQuery = {
  /** Id of an engagement, a run or a goal. */
  readonly of?: string;
  /** The stream of the log: `<category>-<id>`. */
  readonly stream?: string;
  /** First and last position, such as 10-20. */
  readonly positions?: string;
  /**
   * 1: the attached files too.
   * @default 0
   * @enum {string}
   */
  readonly with_files?: '0' | '1' | 'true' | 'false';
  /** Size of a checkpoint that the reader holds: the bundle proves that the log continues it. */
  readonly since?: number;
};
export type TlogKeyAnswer = {
  /** Public key of a log or witness, as a note names it: name, hash and key. */
  readonly vkey: string;
  /** Name of the log in its checkpoints. */
  readonly origin: string;
  /** Names the log for good, 64 hexadecimal digits; a new key keeps it. */
  readonly log_id: string;
  /** Public key with which this daemon signs as a witness. */
  readonly witness_vkey: string;
  /** Every change of the key, oldest first. */
  readonly rotations: readonly {
    /** The key before. */
    readonly from: string;
    /** The key after. */
    readonly to: string;
    /** A signed note that names both keys, with a signature of each. */
    readonly statement: string;
  }[];
};
export type TlogRotateKeyAnswer = {
  /** Public key of a log or witness, as a note names it: name, hash and key. */
  readonly vkey: string;
};
export type TlogTimestampBody = {
  /**
   * Format: uri
   * Address of a time-stamping authority (RFC 3161).
   */
  readonly authority?: string;
};
export type TlogTimestampAnswer = {
  /** Address of a time-stamping authority (RFC 3161). */
  readonly authority: string;
  /** Events that the checkpoint covers. */
  readonly size: number;
  /** The signed note that was stamped. */
  readonly checkpoint: string;
  /**
   * Format: base64
   * The reply of the authority (RFC 3161), in Base64.
   */
  readonly response: string;
  /** Unix time in milliseconds. */
  readonly at: number;
};
export type TlogWitnessesAnswer = {
  /** Public key with which this daemon signs as a witness. */
  readonly witness_vkey: string;
  /** The number of witnesses that signed, and that have to. */
  readonly quorum: {
    /** Witnesses that have to sign a checkpoint. */
    readonly needed: number;
    /** Witnesses that signed the newest checkpoint. */
    readonly cosigned: number;
    /** Fewer witnesses than needed signed. */
    readonly missing: boolean;
  };
  /** The witnesses that this log asks. */
  readonly witnesses: readonly {
    /** Address of the witness, without `/add-checkpoint`. */
    readonly url: string;
    /** Public key of a log or witness, as a note names it: name, hash and key. */
    readonly vkey: string;
    /** Events of the newest checkpoint that it signed; 0 before one. */
    readonly size: number;
    /** Why it did not sign the newest checkpoint; null when it did. */
    readonly error: string | null;
  }[];
  /** Logs that this daemon is a witness of. */
  readonly trusted: readonly {
    /** Public key of a log or witness, as a note names it: name, hash and key. */
    readonly vkey: string;
    /** Events of the newest checkpoint that this daemon cosigned; null before one. */
    readonly size: number | null;
    /** Events of the newest checkpoint that the log offered since the start of the daemon; null before one. */
    readonly offered: number | null;
    /** The log showed a smaller tree than before. */
    readonly rolled_back: boolean;
    /** Why its state cannot be read; null when it can. */
    readonly error: string | null;
  }[];
  /** Proofs that a log showed two histories. */
  readonly forks: readonly {
    /** Name of the log in its checkpoints. */
    readonly origin: string;
    /** Events of both checkpoints. */
    readonly size: number;
    /** The checkpoint that was cosigned before, as a signed note. */
    readonly known: string;
    /** The later one that does not continue it, as a signed note. */
    readonly other: string;
  }[];
};
export type TlogAddWitnessBody = {
  /**
   * Format: uri
   * Address of the witness; `/add-checkpoint` at its end is dropped.
   */
  readonly url: string;
  /**
   * Public key of a log or witness, as a note names it: name, hash and key.
   * @example example.org/log+1fd7b933+BAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH
   */
  readonly vkey: string;
};
export type TlogAddWitnessAnswer = TlogWitnessesAnswer;
export type TlogRemoveWitnessQuery = {
  /** Public key of a log or witness, as a note names it: name, hash and key. */
  readonly vkey: string;
};
export type TlogRemoveWitnessAnswer = TlogWitnessesAnswer;
export type TlogTrustLogBody = {
  /**
   * Public key of a log or witness, as a note names it: name, hash and key.
   * @example example.org/log+338375d0+AQcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH
   */
  readonly vkey: string;
};
export type TlogTrustLogAnswer = TlogWitnessesAnswer;
export type TlogDistrustLogQuery = TlogRemoveWitnessQuery;
export type TlogDistrustLogAnswer = TlogWitnessesAnswer;
/**
 * @example {
 *       "kind": "backup",
 *       "to": "/home/ada/backup"
 *     }
 */
export type StorageStartOperationBody =
  | {
      /**
       * A copy of the store while the daemon writes.
       * @constant
       */
      readonly kind: 'backup';
      /** Folder of the copy: absolute, and not there yet. */
      readonly to: string;
    }
  | {
      /**
       * `verified_backup`: the daily backup, now, restored to a scratch folder and read.
       * @enum {string}
       */
      readonly kind: 'verified_backup' | 'compact' | 'verify';
    };
export type StorageGetOperationQuery = {
  /**
   * The answer comes once the operation has ended, or after so many milliseconds.
   * @default 0
   */
  readonly wait?: number;
};
export type StorageResizeCacheBody = {
  /** Size of the block cache in MiB. */
  readonly block_cache_mb: number;
};
export type StorageResizeCacheAnswer = StorageResizeCacheBody;
export type NodesListAnswer = {
  /** The one that answers first. */
  readonly nodes: readonly Node[];
};
export type MetricsHistoryQuery = {
  /** Unix milliseconds; absent: an hour ago. */
  readonly from?: number;
  /**
   * At most so many.
   * @default 360
   */
  readonly points?: number;
};
