/** The fourth migration: an append of one event, and the checks of a row, cost the database as little as they can. */

/**
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
