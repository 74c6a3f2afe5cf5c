/**
 * The meaning of the fields and parameters whose name means the same wherever it occurs. A schema that describes its
 * field (`describe`) takes precedence.
 */

const FIELD_MEANINGS: Readonly<Record<string, string>> = {
  actor: 'Who caused the event: `owner`, `system`, `agent:<run>` and so on.',
  after: 'Only what follows this position or id.',
  approval: 'The approval policy: which tools run without asking.',
  args: 'Arguments of the command.',
  as_of: 'The moment of the answer; present when `at` was given.',
  attach: 'Attaches what was found; otherwise it is only listed.',
  audio_base64: 'The recording, in Base64.',
  authority: 'Address of a time-stamping authority (RFC 3161).',
  backend: 'Storage engine: `cow`, `lsm`, `embedded_kv`, `memory` or `postgres`.',
  base_url: 'Address of the server of the provider.',
  block_cache_mb: 'Size of the block cache in MiB.',
  blockers: 'The conditions that prevent leaving the phase.',
  body_length: 'Bytes of the received body.',
  bytes: 'Size in bytes.',
  cadence: 'The usual duration of the phase; null when no duration is published.',
  call_id: 'Id of the tool call.',
  cancellation_reason: 'Why it was cancelled; null when it was not.',
  catalog_id: 'The entry of the catalogue.',
  causation: 'The command or event that led to this event.',
  chunk_count: 'Pieces of text.',
  confidence: 'Confidence, 0 to 1.',
  content_hash: 'FNV-1a hash (64 bits) of the content, hexadecimal.',
  correlation: 'The request or run that the event belongs to.',
  cosigned: 'Witnesses that signed the newest checkpoint.',
  criterion: 'The condition under which the gate passes.',
  cross_project: 'The two memories are of different projects.',
  cross_sector: 'The two memories are of different sectors.',
  current_phase: 'The phase that the engagement is in.',
  daemon_version: 'Version of the daemon.',
  data: 'The payload of the event, whose schema follows from its type; null once it is erased.',
  days: 'Days of the week.',
  decay_lambda: 'Rate per day at which the salience decays.',
  decided_by: 'The person who judged.',
  deliverable_id: 'The deliverable.',
  deliverable_key: 'The deliverable, by its key in the engagement.',
  dst_id: 'The memory that the link leads to.',
  engagement_id: 'The engagement.',
  erased: 'Present when the data of the event were erased for good.',
  error: 'The fault in one sentence.',
  evidence_count: 'Pieces of evidence that are attached.',
  file_count: 'Files.',
  files_modified: 'Files that the run changed, except those of a command that a kill of the daemon cut off.',
  force: 'Does it despite the reasons against it.',
  forks: 'Proofs that a log showed two histories.',
  goal_id: 'The goal.',
  headline: 'The most important in one sentence.',
  input: 'Arguments of the tool call.',
  input_schema: 'JSON Schema of the arguments.',
  jsonrpc: 'Version of JSON-RPC.',
  l1_tokens: 'Tokens for the essential story.',
  l2_limit: 'Most entries of this wing and sector.',
  l3_threshold: 'With fewer scoped entries than these, entries from anywhere are added.',
  leaf_hash: 'RFC 9162 leaf hash of the event, hexadecimal.',
  lexical: 'Part of the score that comes of words.',
  limit: 'At most so many.',
  machine_id: 'The machine of the daemon.',
  measurement: 'The procedure that measures whether the criterion holds.',
  message: 'One sentence for a person.',
  metadata: 'Names and texts of the caller.',
  mime_type: 'Media type.',
  missing: 'Fewer witnesses than needed signed.',
  model: 'Name of the model at its provider.',
  more: 'The number of further ones, which are not listed.',
  needed: 'Witnesses that have to sign a checkpoint.',
  next: 'The value of `after` for the next page; null on the last one.',
  object: 'The value that the fact gives.',
  observed: 'The measured result.',
  origin: 'Name of the log in its checkpoints.',
  origin_hash: 'SHA-256 of the origin of the log, hexadecimal.',
  parent_goal_id: 'The goal above; null for a goal of its own.',
  parent_session_id: 'The run that this one continues; null for a run of its own.',
  passphrase: 'The key is derived from it; it is not stored.',
  peer_id: 'The peer of the room.',
  phase: 'One of the four phases of an engagement.',
  plugin: 'The plugin that brings it.',
  position: 'Position in the log; the first event has 1.',
  predicate: 'The relation of the subject and the object.',
  prefer_local: 'Uses an engine of this machine if there is one.',
  project_id: 'The project that it belongs to.',
  project_path: 'Folder of the project.',
  provider: 'The provider of the model, such as `anthropic` or `ollama`.',
  q: 'Words to search for.',
  rationale: 'Why the verdict is this one.',
  recency: 'Part of the score that comes of age.',
  recorded: 'The recorded value.',
  reference: 'Where the evidence is: a path, an address or an id, by its kind.',
  replayed: 'The value that the present rules compute.',
  repo: 'Top folder of the measured repository.',
  repositories: 'Folders of git repositories.',
  rolled_back: 'The log showed a smaller tree than before.',
  room_id: 'The room.',
  salience: 'Importance, 0 to 1; it decays with time.',
  sample_size: 'The number of values that it is computed from.',
  scheduled_for: 'The scheduled time in Unix milliseconds; null without one.',
  score: 'The higher, the better it fits.',
  secondary_sectors: 'Other sectors that it shows signs of, with their shares.',
  sections: 'Parts of the briefing.',
  sector: 'Kind of memory: episodic, semantic, procedural, emotional or reflective.',
  sector_match: 'Part of the score that comes of the sector.',
  session_id: 'The run.',
  sha: 'Hash of the commit.',
  similarity: 'Similarity of the two texts, 0 to 1.',
  since_seq: 'Another name of `after`.',
  skill_name: 'The skill.',
  src_id: 'The memory that the link begins at.',
  step_count: 'Tool calls so far.',
  steps_completed: 'Tool calls that have ended.',
  stream: 'The stream of the log: `<category>-<id>`.',
  subject: 'What the fact is about.',
  success_criteria: 'The criteria by which the goal is reached.',
  tag: 'Only what has this tag.',
  tags: 'Words to find it by.',
  target_id: 'Id or text of the linked thing.',
  task: 'The task of the agent.',
  texts: 'One vector is answered for each.',
  timeout_secs: 'Seconds after which the conversion is stopped.',
  timezone: 'IANA name of the time zone.',
  title: 'One line that names it.',
  tokens_used: 'Tokens of the model calls so far.',
  tool_hint: 'The tool that produces it.',
  tool_name: 'Name of the tool.',
  total_drawers: 'Drawers in the memory.',
  total_memories: 'Memories in the memory, drawers not counted.',
  tree: 'The goal with those below it.',
  tree_hash: 'RFC 9162 tree hash of the log, hexadecimal.',
  trusted: 'Logs that this daemon is a witness of.',
  type: 'The type, which determines the other fields.',
  uptime_seconds: 'Seconds since the start of the daemon.',
  user_id: 'The owner.',
  valid_at: 'Unix time in seconds: only what held then.',
  valid_from: 'Unix time in seconds from which the fact holds.',
  valid_to: 'Unix time in seconds until which the fact holds; null while it holds.',
  vector: 'Part of the score that comes of vectors.',
  verdict: 'Whether the gate passes.',
  vkey: 'Public key of a log or witness, as a note names it: name, hash and key.',
  waypoint: 'Part of the score that comes of links to other found memories.',
  weight: 'Strength of the link.',
  window_days: 'Days before the report that are looked at.',
  wing: 'The part of the memory that belongs to one project.',
  witness_vkey: 'Public key with which this daemon signs as a witness.',
  workspace: 'Folder in which agents work.',
  workspace_root: 'Folder in which the agent works.',
};

type Schema = Readonly<Record<string, unknown>>;

/** By the end of a name and the type, where the whole name is not listed. */
const ENDING_MEANINGS: readonly (readonly [ending: RegExp, type: string, meaning: string])[] = [
  [/(_at|^at|_active)$/, 'integer', 'Unix time in milliseconds.'],
  [/_at$/, 'string', 'RFC 3339 time.'],
  [/_unix$/, 'integer', 'Unix time in seconds.'],
  [/_ms$/, 'integer', 'Milliseconds.'],
  [/_bytes$/, 'integer', 'Size in bytes.'],
  [/_(hash|sha256)$|^sha256$/, 'string', 'Hexadecimal.'],
];

function meaningOf(name: string, schema: Schema): string | undefined {
  const { description, type, anyOf } = schema;
  if (typeof description === 'string') return description;
  if (Object.hasOwn(FIELD_MEANINGS, name)) return FIELD_MEANINGS[name];
  const types = [type, ...(Array.isArray(anyOf) ? anyOf.map((each: Schema) => each.type) : [])].flat();
  return ENDING_MEANINGS.find(([ending, of]) => ending.test(name) && types.includes(of))?.[2];
}

/** `gid` in `/engagements/{id}/gates/{gid}` is the id of a gate: the path segment before a parameter names it. */
export function meaningInPath(path: string, name: string): string | undefined {
  const [, of] = new RegExp(`/([\\w-]+)/\\{${name}\\}`).exec(path) ?? [];
  if (of === undefined || !/^(id|[a-z]id|name)$/.test(name)) return undefined;
  const thing = THINGS[of] ?? of.replace(/s$/, '');
  return name === 'name' ? `Name of the ${thing}.` : `Id of the ${thing}.`;
}

/** Path segments that are not simply the plural of the thing. */
const THINGS: Readonly<Record<string, string>> = {
  deliveries: 'delivery',
  docs: 'file',
  evidence: 'piece of evidence',
  jobs: 'run',
  share: 'run',
  view: 'run',
};

/** The schema with a description of each field that has a meaning. */
export function withMeanings(schema: Schema): Schema {
  const { properties, ...rest } = schema;
  const own = Object.entries(rest).map(([keyword, inner]): [string, unknown] => [keyword, inPart(keyword, inner)]);
  if (properties === undefined) return Object.fromEntries(own);
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, field]): [string, Schema] => {
    const description = meaningOf(name, field);
    return [name, { ...(description !== undefined && { description }), ...withMeanings(field) }];
  });
  return { ...Object.fromEntries(own), properties: Object.fromEntries(fields) };
}

/** The keywords of JSON Schema that hold schemas: one, or a list of them. */
const OF_SCHEMAS = new Set(['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf', 'prefixItems']);

function inPart(keyword: string, part: unknown): unknown {
  if (!OF_SCHEMAS.has(keyword) || typeof part !== 'object' || part === null) return part;
  return Array.isArray(part) ? part.map(withMeanings) : withMeanings(part as Schema);
}
