/**
 * The daemons of this log: what each of them takes, which one executes a run, and why nobody does.
 *
 * - Each daemon writes its row again and again. One that was silent for a while counts as gone.
 * - All of this is about the present moment: it is in the database's tables, in no event and no view.
 */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { Timers } from '../../lib/timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Leases } from '../../ports/leases.ts';
import type { NodeFacts, NodeRow, NodeTable } from '../../ports/nodes.ts';

export interface NodesParts {
  readonly self: Omit<NodeFacts, 'position'>;
  /** Null for a log that this process has for itself. */
  readonly table: NodeTable | null;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  /** Milliseconds between two rows. */
  readonly intervalMs: number;
  /** Up to which the views here have folded the log. */
  readonly position: () => number;
  /** The runs that want to go on. */
  readonly activeRuns: () => readonly { readonly id: string; readonly workspace: string }[];
  readonly report: (message: string) => void;
}

export interface NodeView {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly since: number;
  readonly last_seen: number;
  readonly alive: boolean;
  readonly workspaces: readonly string[];
  /** Session ids. */
  readonly runs: readonly string[];
  readonly position: number;
}

/** A daemon that was silent for so many intervals counts as gone. */
const SILENT_INTERVALS_MAX = 3;
const RUN_LEASE = 'run-';

export class Nodes {
  readonly #parts: NodesParts;
  #rows: readonly NodeRow[] = [];
  /** When the rows were read, of `elapsed`. */
  #readAt = 0;
  #cancel: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** Whether this daemon has started: then it says so. */
  #isThere = false;
  #isStopped = false;
  #isUnreachable = false;

  constructor(parts: NodesParts) {
    this.#parts = parts;
  }

  /** Whether other daemons may be there. */
  get isShared(): boolean {
    return this.#parts.table !== null;
  }

  /** Whether a run may be executed by another daemon, or by none. */
  get isSelective(): boolean {
    return this.#parts.table !== null || this.#parts.self.workspaces.length > 0;
  }

  /** This daemon in the events of a run; undefined where the log is its own. */
  get named(): { readonly id: string; readonly name: string } | undefined {
    const { id, name } = this.#parts.self;
    return this.#parts.table === null ? undefined : { id, name };
  }

  /** Writes the first row, and goes on with it. Never rejects. */
  async start(): Promise<void> {
    this.#isThere = true;
    if (this.#parts.table !== null) await this.#announce(this.#parts.table);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#writing;
    if (!this.#isUnreachable) await this.#parts.table?.leave(this.#parts.self.id).catch(() => undefined);
  }

  /** This daemon as it is now, and the others as they last said. */
  list(): readonly NodeView[] {
    const { self, clock, position } = this.#parts;
    const own = { ...self, position: position(), seenAt: clock.now(), silentMs: 0 };
    const others = this.#rows.filter(({ id }) => id !== self.id);
    const started = { ...this.#view(own, 0), alive: this.#isThere };
    return [started, ...others.map((row) => this.#view(row, this.#silence(row)))];
  }

  /** Whether this daemon takes runs in the folder: it is one of its own, and it is there. */
  takes(workspace: string): boolean {
    const { workspaces } = this.#parts.self;
    if (workspaces.length === 0) return true;
    return isFolder(workspace) && isInside(realpathSync(workspace), workspaces);
  }

  /** The daemon that executes a run, null when none does. */
  executing(run: string): { readonly id: string; readonly name: string } | null {
    const id = this.#parts.leases.holder(RUN_LEASE + run);
    if (id === null) return null;
    const { self } = this.#parts;
    const name = id === self.id ? self.name : this.#rows.find((row) => row.id === id)?.name;
    return { id, name: name ?? id };
  }

  /** Why no daemon takes a run that wants to go on; null when one can. */
  obstacle(workspace: string): string | null {
    const living = this.list().filter(({ alive }) => alive);
    const canTake = ({ id, workspaces }: NodeView): boolean =>
      id === this.#parts.self.id ? this.takes(workspace) : workspaces.length === 0 || isInside(workspace, workspaces);
    if (living.some(canTake)) return null;
    return 'It waits: no daemon that is running has the folder of this run (see GET /v1/nodes).';
  }

  /** How many runs want to go on, and no living daemon can take them. */
  untaken(): number {
    const { activeRuns } = this.#parts;
    const isUntaken = ({ id, workspace }: { readonly id: string; readonly workspace: string }): boolean =>
      this.executing(id) === null && this.obstacle(workspace) !== null;
    return this.isSelective ? activeRuns().filter(isUntaken).length : 0;
  }

  #announce(table: NodeTable): Promise<void> {
    this.#writing = this.#write(table).finally(() => {
      const { timers, intervalMs } = this.#parts;
      if (!this.#isStopped) this.#cancel = timers.after(intervalMs, () => void this.#announce(table));
    });
    return this.#writing;
  }

  async #write(table: NodeTable): Promise<void> {
    const { self, position, elapsed, report } = this.#parts;
    try {
      this.#rows = await table.announce({ ...self, position: position() });
      this.#readAt = elapsed();
      if (this.#isUnreachable) report('The table of daemons is written again.');
      this.#isUnreachable = false;
    } catch (error) {
      if (!this.#isUnreachable) report(`The table of daemons cannot be written: ${(error as Error).message}`);
      this.#isUnreachable = true;
    }
  }

  /** Of another daemon, as long as this one could ask. */
  #silence({ silentMs }: NodeRow): number {
    return this.#isUnreachable ? silentMs : silentMs + this.#parts.elapsed() - this.#readAt;
  }

  #view({ id, name, version, since, seenAt, workspaces, position }: NodeRow, silentMs: number): NodeView {
    const runs = [...this.#parts.leases.holders()]
      .filter(([lease, holder]) => holder === id && lease.startsWith(RUN_LEASE))
      .map(([lease]) => lease.slice(RUN_LEASE.length));
    const alive = silentMs <= SILENT_INTERVALS_MAX * this.#parts.intervalMs;
    return { id, name, version, since, last_seen: seenAt, alive, workspaces, runs: runs.sort(), position };
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way === '' || (way.split(sep, 1)[0] !== '..' && !isAbsolute(way));
  });
}
