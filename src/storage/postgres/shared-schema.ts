/** The second migration: what the daemons of a log share beside its events. */

/**
 * - `take_lease` takes a lease that nobody holds, that has run out, or that an earlier process of the same node held. A
 *   holder is `<node>/<process>`; a lease that was given back has run out at `-infinity`.
 * - `nodes` has a row for each daemon, which writes it again and again.
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

export function sharedGrants(schema: string, role: string): string {
  return `
GRANT INSERT, UPDATE, DELETE ON ${schema}.nodes TO ${role};
GRANT INSERT ON ${schema}.facts TO ${role};
GRANT INSERT, UPDATE ON ${schema}.witness_states TO ${role};
GRANT EXECUTE ON FUNCTION ${schema}.take_lease TO ${role};`;
}
