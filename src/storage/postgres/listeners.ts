/**
 * Who listens to a log: each process that does holds a shared advisory lock, which the server gives up with its
 * connection. A process that is alone need not notify.
 */

/** SQL: listens to a channel, and tells those who do already. Their answer to it is a look at the head. */
export function listening(schema: string, channel: string): string {
  return `LISTEN "${channel}";
    SELECT pg_advisory_lock_shared(${keyOf(channel)}), pg_notify('${channel}', position::text) FROM ${schema}.head`;
}

/**
 * SQL: whether a process listens that has none of these connections. `own` is an expression for the numbers of the server's
 * processes that work for the caller, of type int[]: the caller itself may listen by now, not yet, or no longer.
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
