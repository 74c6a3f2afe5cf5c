/**
 * The version of Node that better-sqlite3 needs. In an older one its native part ends the process at the first
 * database.
 */

const NODE_MAJOR_MIN = 22;

/** Throws when opening a database would end the process. */
export function requireSqlite(version = process.versions.node): void {
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return;
  throw new Error(
    `An event log in a folder and tables need Node ${NODE_MAJOR_MIN} or newer; this is ${version}. A log in memory works.`,
  );
}
