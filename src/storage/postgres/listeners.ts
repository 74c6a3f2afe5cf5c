/**
 * Tells whether other processes listen to a log: each listener holds a shared advisory lock, which the server releases
 * with its connection. A single process need not notify.
 */

/** SQL that listens to a channel and notifies the other listeners, which then read the head. */
export function listening(schema: string, channel: string): string {
  return `LISTEN "${channel}";
    SELECT pg_advisory_lock_shared(${keyOf(channel)}), pg_notify('${channel}', position::text) FROM ${schema}.head`;
}

/**
 * SQL: whether a process other than the caller listens. `own` is an expression of type int[] for the ids of the server
 * processes of the caller, which may listen itself or not.
 */
export function othersListen(channel: string, own: string): string {
  return `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${keyOf(channel)} AND pid <> ALL (${own}))`;
}

/** `log init` locks the same text with another seed. */
function keyOf(channel: string): string {
  return `hashtextextended('${channel}', 1)`;
}
