/** The daemons of one log, as they see each other. */

/** What a daemon says about itself. */
export interface NodeFacts {
  /** Kept in its home; without a slash. */
  readonly id: string;
  /** Which of its processes this is. */
  readonly process: string;
  readonly name: string;
  readonly version: string;
  /** When the process started, Unix milliseconds. */
  readonly since: number;
  /** Folders whose runs it takes; empty: all of them. */
  readonly workspaces: readonly string[];
  /** The position up to which its views have folded the log. */
  readonly position: number;
}

export interface NodeRow extends NodeFacts {
  /** When it last wrote its row, Unix milliseconds by the clock of the database. */
  readonly seenAt: number;
  /** Milliseconds since then, by the clock of the database. */
  readonly silentMs: number;
}

/** The table of daemons in the database. All calls reject when it cannot be reached. */
export interface NodeTable {
  /** Writes the row of a daemon, and lists all of them. */
  announce(facts: NodeFacts): Promise<readonly NodeRow[]>;
  /** Removes the row of a daemon that stops. */
  leave(id: string): Promise<void>;
  /** The given facts that are set. */
  facts(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Sets the facts that are not set yet. Resolves to the values of all given names, as they are then. */
  agree(facts: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
}
