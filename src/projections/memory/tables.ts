/** The tables of the memory projection. */

/** Triggers that maintain the number of rows, so that `/health` need not count them. */
function counted(table: string, name: string, only = '1'): string {
  const when = (row: string): string => only.replaceAll('$', row);
  return `
CREATE TRIGGER ${table}_in AFTER INSERT ON ${table} WHEN ${when('NEW')}
  BEGIN UPDATE memory_counts SET n = n + 1 WHERE name = '${name}'; END;
CREATE TRIGGER ${table}_out AFTER DELETE ON ${table} WHEN ${when('OLD')}
  BEGIN UPDATE memory_counts SET n = n - 1 WHERE name = '${name}'; END;`;
}

export const MEMORY_DDL = `
CREATE TABLE memories (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, tags TEXT NOT NULL, meta TEXT NOT NULL, sealed TEXT,
  content_key TEXT NOT NULL, line_key TEXT NOT NULL,
  sector TEXT NOT NULL, secondary TEXT NOT NULL, salience REAL NOT NULL, decay_lambda REAL NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL,
  version INTEGER NOT NULL, user_id TEXT NOT NULL, project_id TEXT, session_id TEXT, pinned INTEGER NOT NULL,
  from_ids TEXT NOT NULL, made_by TEXT NOT NULL
);
CREATE INDEX memories_newest ON memories (created_at, id);
CREATE INDEX memories_by_sector ON memories (sector, created_at, id);
CREATE INDEX memories_by_content ON memories (content_key);
CREATE INDEX memories_strength ON memories (
  sector, pinned, salience, decay_lambda, last_seen_at, created_at, id, made_by
);
CREATE TABLE memory_waypoints (
  src_id TEXT NOT NULL, dst_id TEXT NOT NULL, kind TEXT NOT NULL, weight REAL NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (src_id, dst_id, kind)
) WITHOUT ROWID;
CREATE INDEX memory_waypoints_back ON memory_waypoints (dst_id);
CREATE TABLE memory_recalls (
  id TEXT PRIMARY KEY, recalled_at INTEGER NOT NULL, shown_at INTEGER, recalls INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory_shown (
  mark TEXT NOT NULL, is_exact INTEGER NOT NULL, store TEXT NOT NULL, id TEXT NOT NULL,
  PRIMARY KEY (mark, is_exact, store, id)
) WITHOUT ROWID;
CREATE INDEX memory_shown_of ON memory_shown (store, id);
CREATE TABLE memory_reflections (
  memory_id TEXT NOT NULL, reflection_id TEXT NOT NULL, is_inherited INTEGER NOT NULL,
  PRIMARY KEY (memory_id, reflection_id)
) WITHOUT ROWID;
CREATE INDEX memory_reflections_back ON memory_reflections (reflection_id);
CREATE TABLE memory_loops (
  position INTEGER PRIMARY KEY, store TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, similarity REAL NOT NULL,
  via TEXT NOT NULL, at INTEGER NOT NULL
);
CREATE INDEX memory_loops_of ON memory_loops (id);
CREATE TABLE memory_facts (
  id TEXT PRIMARY KEY, stream TEXT NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL,
  sealed TEXT, line_key TEXT NOT NULL, valid_from REAL NOT NULL, valid_to REAL, confidence REAL NOT NULL,
  recorded_at INTEGER NOT NULL, text_position INTEGER NOT NULL
);
CREATE INDEX memory_facts_newest ON memory_facts (recorded_at, id);
CREATE INDEX memory_facts_open ON memory_facts (valid_from) WHERE valid_to IS NULL;
CREATE INDEX memory_facts_of ON memory_facts (stream);
CREATE TABLE memory_texts (
  text_id TEXT PRIMARY KEY, stream TEXT NOT NULL, text_key TEXT NOT NULL, chunks INTEGER NOT NULL,
  created INTEGER NOT NULL, exact INTEGER NOT NULL, near INTEGER NOT NULL, blank INTEGER NOT NULL,
  repeated INTEGER NOT NULL
);
CREATE UNIQUE INDEX memory_texts_by_key ON memory_texts (stream, text_key);
CREATE TABLE memory_drawers (
  id TEXT NOT NULL UNIQUE, text_id TEXT NOT NULL, place INTEGER NOT NULL, start INTEGER NOT NULL, kind TEXT NOT NULL,
  of_id TEXT, content TEXT NOT NULL, source TEXT NOT NULL, sealed TEXT, content_key TEXT NOT NULL,
  line_key TEXT NOT NULL, source_key TEXT NOT NULL, wing TEXT NOT NULL, room TEXT NOT NULL,
  created_at INTEGER NOT NULL, position INTEGER PRIMARY KEY, text_position INTEGER NOT NULL
);
CREATE INDEX memory_drawers_by_source ON memory_drawers (source_key, position);
CREATE INDEX memory_drawers_by_text ON memory_drawers (text_id, place);
CREATE INDEX memory_drawers_by_content ON memory_drawers (content_key) WHERE kind = 'new';
CREATE INDEX memory_drawers_by_wing ON memory_drawers (wing) WHERE kind = 'new';
CREATE INDEX memory_drawers_by_room ON memory_drawers (room) WHERE kind = 'new';
CREATE INDEX memory_drawers_same ON memory_drawers (of_id) WHERE of_id IS NOT NULL;
CREATE TABLE memory_erasures (position INTEGER PRIMARY KEY);
CREATE TABLE memory_encryption (one INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE memory_counts (name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO memory_counts VALUES ('memories', 0), ('drawers', 0), ('facts', 0);
${counted('memories', 'memories')}
${counted('memory_facts', 'facts')}
${counted('memory_drawers', 'drawers', "$.kind = 'new'")}`;

export const MEMORY_TABLES: readonly string[] = [...MEMORY_DDL.matchAll(/^CREATE TABLE (\w+)/gm)].map(
  ([, name]) => name!,
);
