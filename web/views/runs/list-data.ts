/** The runs that match a filter: loaded page by page while they are scrolled to, and kept up to date at the top. */
import { signal } from '@preact/signals';
import { api, type Envelope, type JobRecord, roomForBackground } from '../../api.ts';
import { PagedList } from '../../paged-list.ts';

export interface Filter {
  readonly q: string;
  readonly status: string;
  readonly provider: string;
  readonly goal: string;
  /** Days, in the format of a date field. */
  readonly from: string;
  readonly to: string;
}

/** The first page is small, so that it loads quickly. */
const TOP = 100;
const PAGE = 500;
const REFRESH_MS = 2_000;

export function queryOf({ q, status, provider, goal, from, to }: Filter) {
  return {
    ...(q !== '' && { q }),
    ...(status !== '' && { status }),
    ...(provider !== '' && { provider }),
    ...(goal !== '' && { goal }),
    ...(from !== '' && { from: midnight(from) }),
    ...(to !== '' && { to: midnight(to, 1) }),
  };
}

const idOf = ({ session_id }: JobRecord): string => session_id;

/** The beginning of a day, or of one some days later, here: a day has 23 to 25 hours. */
function midnight(day: string, daysLater = 0): number {
  const at = new Date(`${day}T00:00`);
  // A day that has no first hour begins at 1:00, the day after it at 0:00.
  return at.setHours(daysLater * 24, 0);
}

/** The newest runs first. */
export class RunList extends PagedList<JobRecord> {
  readonly isComplete = signal(false);
  readonly #query: ReturnType<typeof queryOf>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** One after another: an older answer that came last would take back what is shown. */
  #refreshing = Promise.resolve();
  readonly #moved = new Set<string>();
  #isClosed = false;

  constructor(filter: Filter) {
    super();
    this.#query = queryOf(filter);
  }

  protected hasMore(): boolean {
    return !this.isComplete.value;
  }

  protected async readNext(): Promise<void> {
    const after = this.items.value?.at(-1)?.session_id;
    const limit = after === undefined ? TOP : PAGE;
    const page = await api.runs.list({ query: { ...this.#query, limit, ...(after && { after }) } });
    const known = this.items.value ?? [];
    const ids = new Set(known.map(idOf));
    this.items.value = [...known, ...page.filter((job) => !ids.has(idOf(job)))];
    this.isComplete.value = page.length < limit;
    this.hear([]);
  }

  hear(events: readonly Envelope[]): void {
    for (const { stream, type } of events) {
      if (!stream.startsWith('run-') || type === 'ModelFramesReceived' || type === 'ModelAsked') continue;
      this.#moved.add(stream.slice('run-'.length));
    }
    if (this.#moved.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#refreshing = this.#refreshing.then(() => this.#refresh());
    }, REFRESH_MS);
  }

  /** Loads the top again, and one of the older runs that moved; the others follow. */
  async #refresh(): Promise<void> {
    await roomForBackground();
    this.#timer = undefined;
    if (this.#isClosed || this.items.value === undefined) return;
    const moved = [...this.#moved];
    this.#moved.clear();
    try {
      const top = await api.runs.list({ query: { ...this.#query, limit: TOP } });
      this.items.value = merged(this.items.value, top);
      const inTop = new Set(top.map(idOf));
      const [old, ...others] = this.items.value.filter((job) => moved.includes(idOf(job)) && !inTop.has(idOf(job)));
      for (const other of others) this.#moved.add(idOf(other));
      if (old !== undefined) {
        const job = await api.runs.get(idOf(old));
        this.items.value = this.items.value.map((each) => (idOf(each) === idOf(job) ? job : each));
      }
      this.hear([]);
    } catch {
      // The next event, or the restored connection, tries again.
      for (const id of moved) this.#moved.add(id);
    }
  }

  override close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}

/**
 * Replaces the beginning of the list: a run that is as new as the new top, but not in it, no longer matches the filter.
 */
export function merged(items: readonly JobRecord[], top: readonly JobRecord[]): readonly JobRecord[] {
  const oldest = top.length < TOP ? Number.NEGATIVE_INFINITY : top.at(-1)!.started_at;
  const ids = new Set(top.map(idOf));
  return [...top, ...items.filter((job) => job.started_at <= oldest && !ids.has(idOf(job)))];
}
