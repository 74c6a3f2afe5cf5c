/** The migrations of a log's database after the first one (`schema.ts`). A migration that was released is never changed. */

/**
 * The second migration: the data, besides its events, that the daemons of a log share.
 *
 * - `take_lease` takes a lease that is free, has run out, or was held by an earlier process of the same node. A holder
 *   is `<node>/<process>`; a lease that was given back has run out at `-infinity`.
 * - `nodes` has a row for each daemon, which updates it regularly.
 * - `facts` are set once by the first daemon and compared by the others.
 * - `witness_states` has the newest checkpoint that the daemons cosigned of each foreign log.
 */
export function sharedTables(schema: string): string {
  return `
CREATE INDEX leases_live ON leases (expires_at) WHERE expires_at > '-infinity';
CREATE FUNCTION take_lease(
  wanted text, taker text, milliseconds double precision, OUT epoch bigint, OUT was_left boolean
) LANGUAGE plpgsql SET search_path = ${schema}, pg_temp AS $$
DECLARE
  known leases;
BEGIN
  SELECT * INTO known FROM leases WHERE name = wanted FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO leases AS l VALUES (wanted, taker, 1, clock_timestamp() + milliseconds * interval '1 millisecond')
      ON CONFLICT DO NOTHING RETURNING l.epoch INTO epoch;
    was_left := false;
    RETURN;
  END IF;
  IF known.expires_at > clock_timestamp() AND split_part(known.holder, '/', 1) <> split_part(taker, '/', 1) THEN
    RETURN;
  END IF;
  epoch := known.epoch + 1;
  was_left := known.expires_at > '-infinity';
  UPDATE leases AS l SET holder = taker, epoch = known.epoch + 1,
    expires_at = clock_timestamp() + milliseconds * interval '1 millisecond' WHERE l.name = wanted;
END $$;
CREATE TABLE nodes (
  id text COLLATE "C" PRIMARY KEY,
  process text NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  since timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  workspaces text[] NOT NULL,
  position bigint NOT NULL
);
CREATE TABLE facts (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
CREATE TABLE witness_states (
  origin text COLLATE "C" PRIMARY KEY,
  note text NOT NULL
);
REVOKE ALL ON nodes, facts, witness_states FROM PUBLIC;
REVOKE ALL ON FUNCTION take_lease FROM PUBLIC;`;
}

/**
 * The third migration: rows of leases do not stay forever.
 *
 * - Epochs come from one sequence, so a lease whose row was removed never gets an epoch that it had before.
 * - `take_lease` removes rows each time it adds one: two that were given back, and the claims of requests whose daemons
 *   died a day ago. A stream's lease that merely ran out stays: it tells the next holder that work may be half done.
 */
export function passingLeases(schema: string): string {
  return `
CREATE SEQUENCE lease_epochs;
SELECT setval('lease_epochs', (SELECT coalesce(max(epoch), 0) + 1 FROM leases));
CREATE INDEX leases_free ON leases (name) WHERE expires_at = '-infinity';
CREATE FUNCTION guard_lease_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.expires_at = '-infinity'
    OR (OLD.name LIKE 'request-%' AND OLD.expires_at < clock_timestamp() - interval '1 day')
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'Lease % was not given back.', OLD.name USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER leases_delete ON leases;
CREATE TRIGGER leases_delete BEFORE DELETE ON leases FOR EACH ROW EXECUTE FUNCTION guard_lease_row();
CREATE TRIGGER leases_truncate BEFORE TRUNCATE ON leases FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE OR REPLACE FUNCTION take_lease(
  wanted text, taker text, milliseconds double precision, OUT epoch bigint, OUT was_left boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
DECLARE
  known leases;
BEGIN
  SELECT * INTO known FROM leases WHERE name = wanted FOR UPDATE;
  IF NOT FOUND THEN
    DELETE FROM leases WHERE name IN (
      SELECT name FROM leases WHERE expires_at = '-infinity' LIMIT 2 FOR UPDATE SKIP LOCKED);
    DELETE FROM leases WHERE name IN (
      SELECT name FROM leases l WHERE expires_at > '-infinity' AND expires_at < clock_timestamp() - interval '1 day'
      AND name LIKE 'request-%' LIMIT 2 FOR UPDATE SKIP LOCKED);
    INSERT INTO leases AS l
      VALUES (wanted, taker, nextval('lease_epochs'), clock_timestamp() + milliseconds * interval '1 millisecond')
      ON CONFLICT DO NOTHING RETURNING l.epoch INTO epoch;
    was_left := false;
    RETURN;
  END IF;
  IF known.expires_at > clock_timestamp() AND split_part(known.holder, '/', 1) <> split_part(taker, '/', 1) THEN
    RETURN;
  END IF;
  epoch := greatest(known.epoch + 1, nextval('lease_epochs'));
  was_left := known.expires_at > '-infinity';
  UPDATE leases AS l SET holder = taker, epoch = take_lease.epoch,
    expires_at = clock_timestamp() + milliseconds * interval '1 millisecond' WHERE l.name = wanted;
END $$;
REVOKE ALL ON SEQUENCE lease_epochs FROM PUBLIC;
REVOKE ALL ON FUNCTION guard_lease_row FROM PUBLIC;`;
}

/** The rights of a role that only uses these tables. */
export function sharedGrants(schema: string, role: string): string {
  return `
GRANT INSERT, UPDATE, DELETE ON ${schema}.nodes TO ${role};
GRANT INSERT ON ${schema}.facts TO ${role};
GRANT INSERT, UPDATE ON ${schema}.witness_states TO ${role};
GRANT EXECUTE ON FUNCTION ${schema}.take_lease TO ${role};`;
}

/**
 * The fourth migration: an append of one event, and the checks of a row, cost the database as little as they can.
 *
 * - `append_one` is `append` for one event without fences: scalars in place of arrays take half of the time. It
 *   notifies only on request: a single daemon has no other one to wake.
 * - One constraint that calls a function replaces four, because PostgreSQL reads and plans the text of each again for
 *   every statement. Existing rows fit the former constraints, so they are not checked again.
 * - Roles that may execute `append` may execute `append_one`.
 */
export function appendOne(schema: string, channel: string): string {
  return `
CREATE FUNCTION record_fits(
  record bytea, leaf bytea, id uuid, "position" bigint, schema integer, stream text, version bigint, type text
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  ending bytea;
BEGIN
  IF "position" < 1 OR version < 1 THEN RETURN false; END IF;
  CASE get_byte(record, 0)
    WHEN 0 THEN
      IF sha256(record) <> leaf THEN RETURN false; END IF;
    WHEN 2 THEN
      IF substring(record FROM 2 FOR 32) <> sha256('\\x02'::bytea || leaf || substring(record FROM 34)) THEN
        RETURN false;
      END IF;
    ELSE RETURN false;
  END CASE;
  ending := convert_to('"id":"' || id || '","position":' || "position" || ',"schema":' || schema || ',"stream":'
    || to_json(stream) || ',"type":' || to_json(type) || ',"version":' || version || '}', 'UTF8');
  RETURN substring(record FROM octet_length(record) + 1 - octet_length(ending)) = ending;
END $$;
ALTER TABLE events
  DROP CONSTRAINT events_position_check, DROP CONSTRAINT events_version_check,
  DROP CONSTRAINT record_fits_leaf, DROP CONSTRAINT record_fits_columns,
  ADD CONSTRAINT record_fits CHECK (record_fits(record, leaf, id, position, schema, stream, version, type)) NOT VALID;
DROP FUNCTION record_fits(bytea, uuid, bigint, integer, text, bigint, text);
CREATE FUNCTION append_one(
  base bigint, base_tree bytea, new_tree bytea, id uuid, stream text, version bigint, type text, schema integer,
  at bigint, leaf bytea, record bytea, notifies boolean
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
#variable_conflict use_variable
BEGIN
  UPDATE head SET position = base + 1, tree = new_tree WHERE head.position = base AND head.tree = base_tree;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT FROM head WHERE head.position = base) THEN 'forked' ELSE 'behind' END;
  END IF;
  INSERT INTO events VALUES (base + 1, id, stream, version, type, schema, at, leaf, record);
  IF notifies THEN PERFORM pg_notify('${channel}', (base + 1)::text); END IF;
  RETURN 'taken';
END $$;
REVOKE ALL ON FUNCTION record_fits, append_one FROM PUBLIC;
DO $$
DECLARE
  caller regrole;
BEGIN
  FOR caller IN
    SELECT rights.grantee FROM pg_proc, aclexplode(proacl) AS rights
    WHERE pg_proc.oid = 'append'::regproc AND rights.grantee NOT IN (0, proowner)
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION append_one TO %s', caller);
  END LOOP;
END $$;`;
}
