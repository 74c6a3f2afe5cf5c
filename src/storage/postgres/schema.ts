/**
 * The database schema of a log (docs/formats/postgresql.md), as migrations: number N takes the schema from version N −
 * 1 to N. A migration that was released is never changed.
 */
import { StorageError } from '../errors.ts';
import { appendOne, passingLeases, sharedGrants, sharedTables } from './migrations.ts';

/** The name of a schema as it may stand in a URL: it becomes part of SQL text and of the name of a channel. */
export const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,39}$/;

/** The channel on which the database announces the new head after an append; the payload is its position. */
export function channelOf(schema: string): string {
  return `daybook:${schema}`;
}

/** Returns the SQL of a migration for a schema of this name. */
type Migration = (schema: string) => string;

const tables: Migration = () => `
CREATE TABLE meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  log_id uuid NOT NULL DEFAULT gen_random_uuid(),
  version integer NOT NULL,
  oldest integer NOT NULL DEFAULT 1
);
CREATE TABLE head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  position bigint NOT NULL,
  tree bytea NOT NULL
) WITH (fillfactor = 10);
INSERT INTO head (position, tree) VALUES (0, sha256(''));
CREATE FUNCTION record_fits(
  record bytea, id uuid, "position" bigint, schema integer, stream text, version bigint, type text
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  ending bytea := convert_to('"id":"' || id || '","position":' || "position" || ',"schema":' || schema || ',"stream":'
    || to_json(stream) || ',"type":' || to_json(type) || ',"version":' || version || '}', 'UTF8');
BEGIN
  RETURN substring(record FROM octet_length(record) + 1 - octet_length(ending)) = ending;
END $$;
CREATE TABLE events (
  position bigint PRIMARY KEY CHECK (position > 0),
  id uuid NOT NULL UNIQUE,
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL CHECK (version > 0),
  type text COLLATE "C" NOT NULL,
  schema integer NOT NULL,
  at bigint NOT NULL,
  leaf bytea NOT NULL,
  record bytea NOT NULL,
  UNIQUE (stream, version),
  CONSTRAINT record_fits_leaf CHECK (CASE get_byte(record, 0)
    WHEN 0 THEN sha256(record) = leaf
    WHEN 2 THEN substring(record FROM 2 FOR 32) = sha256('\\x02'::bytea || leaf || substring(record FROM 34))
    ELSE false END),
  CONSTRAINT record_fits_columns CHECK (record_fits(record, id, position, schema, stream, version, type))
);
CREATE TABLE leases (
  name text COLLATE "C" PRIMARY KEY,
  holder text NOT NULL,
  epoch bigint NOT NULL CHECK (epoch > 0),
  expires_at timestamptz NOT NULL
);`;

/** Triggers apply to the owner, too: rewriting the history is possible only after dropping them. */
const guards: Migration = () => `
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The log refuses % of %.', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE FUNCTION guard_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('daybook.erasing', true) = pg_current_xact_id()::text
    AND get_byte(OLD.record, 0) = 0 AND get_byte(NEW.record, 0) = 2
    AND (NEW.position, NEW.id, NEW.stream, NEW.version, NEW.type, NEW.schema, NEW.at, NEW.leaf)
      = (OLD.position, OLD.id, OLD.stream, OLD.version, OLD.type, OLD.schema, OLD.at, OLD.leaf)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'The log refuses UPDATE of events.' USING ERRCODE = 'restrict_violation';
END $$;
CREATE FUNCTION guard_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.name = OLD.name AND (NEW.epoch > OLD.epoch OR (NEW.epoch = OLD.epoch AND NEW.holder = OLD.holder))
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'The epoch of lease % must grow when its holder changes.', OLD.name
    USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER events_update BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION guard_event();
CREATE TRIGGER events_delete BEFORE DELETE OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER head_delete BEFORE DELETE OR TRUNCATE ON head FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER leases_update BEFORE UPDATE ON leases FOR EACH ROW EXECUTE FUNCTION guard_lease();
CREATE TRIGGER leases_delete BEFORE DELETE OR TRUNCATE ON leases FOR EACH STATEMENT EXECUTE FUNCTION refuse();`;

/**
 * `append` answers `taken`, `behind` (the head has another position than `base`), `forked` (it has this position and
 * another tree) or `fenced` with the numbers, from 1, of the fences that are lost. The head row stays locked until the
 * commit.
 */
const append: Migration = (schema) => `
CREATE FUNCTION lock_head() RETURNS TABLE (at bigint) LANGUAGE sql
SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
  SELECT position FROM head FOR UPDATE
$$;
CREATE FUNCTION append(
  base bigint, base_tree bytea, new_tree bytea, ids uuid[], streams text[], versions bigint[], types text[],
  schemas integer[], times bigint[], starts integer[], sizes integer[], leaves bytea, records bytea,
  fence_names text[], fence_holders text[], fence_epochs bigint[],
  OUT outcome text, OUT head_position bigint, OUT lost_fences integer[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
DECLARE
  head_tree bytea;
BEGIN
  IF cardinality(fence_names) > 0 THEN
    PERFORM FROM head FOR UPDATE;
    PERFORM FROM leases WHERE name = ANY (fence_names) ORDER BY name FOR SHARE;
    SELECT array_agg(n) INTO lost_fences
      FROM unnest(fence_names, fence_holders, fence_epochs) WITH ORDINALITY AS f (name, holder, epoch, n)
      WHERE NOT EXISTS (SELECT FROM leases l WHERE (l.name, l.holder, l.epoch) = (f.name, f.holder, f.epoch));
    IF lost_fences IS NOT NULL THEN outcome := 'fenced'; RETURN; END IF;
  END IF;
  UPDATE head SET position = base + cardinality(ids), tree = new_tree WHERE position = base AND tree = base_tree;
  IF NOT FOUND THEN
    SELECT position, tree INTO STRICT head_position, head_tree FROM head;
    outcome := CASE WHEN head_position = base AND head_tree <> base_tree THEN 'forked' ELSE 'behind' END;
    RETURN;
  END IF;
  INSERT INTO events (position, id, stream, version, type, schema, at, leaf, record)
    SELECT base + n, id, stream, version, type, schema, at,
      substring(leaves FROM (n::integer - 1) * 32 + 1 FOR 32), substring(records FROM start FOR size)
    FROM unnest(ids, streams, versions, types, schemas, times, starts, sizes) WITH ORDINALITY
      AS e (id, stream, version, type, schema, at, start, size, n);
  head_position := base + cardinality(ids);
  PERFORM pg_notify('${channelOf(schema)}', head_position::text);
  outcome := 'taken';
END $$;`;

/** Called in the transaction of the append that records the erasure; refuses what that record does not name. */
const erase: Migration = (schema) => `
CREATE FUNCTION erase(base bigint, positions bigint[], starts integer[], sizes integer[], tombstones bytea)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
DECLARE
  unnamed bigint;
BEGIN
  PERFORM set_config('daybook.erasing', pg_current_xact_id()::text, true);
  SELECT p INTO unnamed FROM unnest(positions, starts, sizes) AS e (p, start, size)
    WHERE NOT EXISTS (
      SELECT FROM events r, jsonb_to_recordset(convert_from(substring(r.record FROM 2), 'UTF8')::jsonb #> '{data,erased}')
        AS named (position bigint, leaf_hash text, seal text)
      WHERE r.position > base AND r.stream = 'log-erasures' AND r.type = 'PayloadErased' AND named.position = p
        AND named.seal = encode(substring(tombstones FROM start + 1 FOR 32), 'hex'))
    LIMIT 1;
  IF unnamed IS NOT NULL THEN
    RAISE EXCEPTION 'No record of an erasure names position %.', unnamed USING ERRCODE = 'restrict_violation';
  END IF;
  UPDATE events SET record = substring(tombstones FROM start FOR size)
    FROM unnest(positions, starts, sizes) AS e (p, start, size)
    WHERE events.position = p AND get_byte(events.record, 0) = 0;
  PERFORM set_config('daybook.erasing', '', true);
END $$;
REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;`;

export const MIGRATIONS: readonly Migration[] = [
  (schema) => [tables, guards, append, erase].map((part) => part(schema)).join('\n'),
  sharedTables,
  passingLeases,
  (schema) => appendOne(schema, channelOf(schema)),
];

/** The schema version that this program needs. A later version works too, unless its `oldest` is above this one. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The columns of `meta`. */
export interface Meta {
  readonly log_id: string;
  readonly version: number;
  /** The lowest version that a program may need to work with this schema. */
  readonly oldest: number;
}

/** Throws `STORAGE_CONFIG` for a schema that this program cannot work with. */
export function checkVersion({ version, oldest }: Meta): void {
  if (version >= SCHEMA_VERSION && oldest <= SCHEMA_VERSION) return;
  const other = version < SCHEMA_VERSION ? 'Migrate it with `daybook log init`.' : 'Use a newer Daybook.';
  const what = `The schema of the log has version ${version}; this program needs ${SCHEMA_VERSION}. ${other}`;
  throw new StorageError('STORAGE_CONFIG', what);
}

/** The tables of a log. Its schema may hold others. */
export const TABLES = ['meta', 'head', 'events', 'leases', 'nodes', 'facts', 'witness_states'] as const;

/** SQL that grants the rights of a daemon; `role` is a quoted identifier. */
export function grants(schema: string, role: string): string {
  return `
GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT ON ${TABLES.map((name) => `${schema}.${name}`).join(', ')} TO ${role};
GRANT INSERT, UPDATE ON ${schema}.leases TO ${role};
GRANT EXECUTE ON FUNCTION ${schema}.append, ${schema}.append_one, ${schema}.erase, ${schema}.lock_head TO ${role};${sharedGrants(schema, role)}`;
}
