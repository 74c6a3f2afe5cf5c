/**
 * The daemons of this log: the workspaces of each, which daemon executes a run, and why none does.
 *
 * - Each daemon writes its row at an interval. A daemon that misses several intervals counts as gone.
 * - This state describes the present: it is in tables of the database, not in events or views.
 */
import { realpathSync } from 'node:fs';
import { z } from 'zod';
import { isFolder, isInside } from '../../lib/paths.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Leases } from '../../ports/leases.ts';
import type { NodeFacts, NodeRow, NodeTable } from '../../ports/nodes.ts';

export interface NodesParts {
  readonly self: Omit<NodeFacts, 'position'>;
  /** Null when only this process uses the log. */
  readonly table: NodeTable | null;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Milliseconds between two writes of the row. */
  readonly intervalMs: number;
  /** The position up to which this daemon's views have folded the log. */
  readonly position: () => number;
  /** The queued and running runs. */
  readonly activeRuns: () => readonly { readonly id: string; readonly workspace: string }[];
  readonly report: (message: string) => void;
}

export const zNode = z.object({
  id: z.string().describe("Id of the daemon's process."),
  name: z.string().describe('Its name for people.'),
  version: z.string().describe('Version of the daemon.'),
  since: z.int().describe('Unix milliseconds of its start.'),
  last_seen: z.int().describe('Unix milliseconds of its last sign of life.'),
  alive: z.boolean().describe('Whether it still is at work.'),
  workspaces: z.array(z.string()).describe('Folders whose runs it takes; empty: all.'),
  runs: z.array(z.string()).describe('Ids of the runs that it executes.'),
  position: z.int(),
});
z.globalRegistry.add(zNode, { id: 'Node' });
export type NodeView = Readonly<z.infer<typeof zNode>>;

/** A daemon that was silent for more intervals than this counts as gone. */
const SILENT_INTERVALS_MAX = 3;
const RUN_LEASE = 'run-';

export class Nodes {
  readonly #parts: NodesParts;
  #rows: readonly NodeRow[] = [];
  /** Value of `elapsed` when the rows were read. */
  #readAt = 0;
  #cancel: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();

  #isStarted = false;
  #isStopped = false;
  #isUnreachable = false;

  constructor(parts: NodesParts) {
    this.#parts = parts;
  }

  /** Whether other daemons may use the log. */
  get isShared(): boolean {
    return this.#parts.table !== null;
  }

  /** Whether a run may be executed by another daemon, or by none. */
  get isSelective(): boolean {
    return this.#parts.table !== null || this.#parts.self.workspaces.length > 0;
  }

  /** How the events of a run name this daemon; undefined when the log is not shared. */
  get named(): { readonly id: string; readonly name: string } | undefined {
    const { id, name } = this.#parts.self;
    return this.#parts.table === null ? undefined : { id, name };
  }

  /** Writes the row, then repeats that at an interval. Never rejects. */
  async start(): Promise<void> {
    this.#isStarted = true;
    if (this.#parts.table !== null) await this.#announce(this.#parts.table);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#writing;
    if (!this.#isUnreachable) await this.#parts.table?.leave(this.#parts.self.id).catch(() => undefined);
  }

  /** This daemon as it is now, and the others according to their last rows. */
  list(): readonly NodeView[] {
    const { self, clock, position } = this.#parts;
    const own = { ...self, position: position(), seenAt: clock.now(), silentMs: 0 };
    const others = this.#rows.filter(({ id }) => id !== self.id);
    const started = { ...this.#view(own, 0), alive: this.#isStarted };
    return [started, ...others.map((row) => this.#view(row, this.#silence(row)))];
  }

  /** Whether this daemon takes runs in the folder: the folder exists and lies in one of its workspaces. */
  takes(workspace: string): boolean {
    const { workspaces } = this.#parts.self;
    if (workspaces.length === 0) return true;
    return isFolder(workspace) && isInAny(workspaces, realpathSync(workspace));
  }

  /** The daemon that executes a run; null when none does. */
  executing(run: string): { readonly id: string; readonly name: string } | null {
    const id = this.#parts.leases.holder(RUN_LEASE + run);
    if (id === null) return null;
    const { self } = this.#parts;
    const name = id === self.id ? self.name : this.#rows.find((row) => row.id === id)?.name;
    return { id, name: name ?? id };
  }

  /** Why no daemon takes an active run in this workspace; null when one can. */
  obstacle(workspace: string): string | null {
    const living = this.list().filter(({ alive }) => alive);
    const canTake = ({ id, workspaces }: NodeView): boolean =>
      id === this.#parts.self.id ? this.takes(workspace) : workspaces.length === 0 || isInAny(workspaces, workspace);
    if (living.some(canTake)) return null;
    return 'It waits: no daemon that is running has the folder of this run (see GET /v1/nodes).';
  }

  /** Number of active runs that no living daemon can take. */
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

  /** Silence of another daemon in ms. It does not grow while this daemon cannot read the table. */
  #silence({ silentMs }: NodeRow): number {
    return this.#isUnreachable ? silentMs : silentMs + this.#parts.elapsed() - this.#readAt;
  }

  #view({ id, name, version, since, seenAt, workspaces, position }: NodeRow, silentMs: number): NodeView {
    const runs = [...this.#parts.leases.holders()]
      .filter(([lease, holder]) => holder === id && lease.startsWith(RUN_LEASE))
      .map(([lease]) => lease.slice(RUN_LEASE.length));
    const alive = silentMs <= SILENT_INTERVALS_MAX * this.#parts.intervalMs;
    return {
      id,
      name,
      version,
      since,
      last_seen: seenAt,
      alive,
      workspaces: [...workspaces],
      runs: runs.sort(),
      position,
    };
  }
}

function isInAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}
