/** The runs that match a filter: loaded page by page while they are scrolled to, and kept up to date at the top. */
import { signal } from '@preact/signals';
import { api, type Envelope, type JobRecord, roomForBackground } from '../../api.ts';
import { PagedList, usePagedList } from '../../paged-list.ts';

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

/** The beginning of a day, or of one some days later, here: a day has 23 to 25 hours. */
function midnight(day: string, daysLater = 0): number {
  const at = new Date(`${day}T00:00`);
  return at.setDate(at.getDate() + daysLater);
}

class RunList extends PagedList<JobRecord> {
  readonly isComplete = signal(false);
  readonly #query: ReturnType<typeof queryOf>;
  #timer: ReturnType<typeof setTimeout> | undefined;
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
    const known = this.items.value ?? [];
    const after = known.at(-1)?.session_id;
    const limit = after === undefined ? TOP : PAGE;
    const page = await api.runs.list({ query: { ...this.#query, limit, ...(after && { after }) } });
    const ids = new Set(known.map(({ session_id }) => session_id));
    this.items.value = [...known, ...page.filter(({ session_id }) => !ids.has(session_id))];
    this.isComplete.value = page.length < limit;
  }

  hear(events: readonly Envelope[]): void {
    for (const { stream, type } of events) {
      if (!stream.startsWith('run-') || type === 'ModelFramesReceived' || type === 'ModelAsked') continue;
      this.#moved.add(stream.slice('run-'.length));
    }
    if (this.#moved.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#refresh(), REFRESH_MS);
  }

  /** Loads the top again, and older runs that moved. */
  async #refresh(): Promise<void> {
    await roomForBackground();
    this.#timer = undefined;
    if (this.#isClosed || this.items.value === undefined) return;
    const moved = [...this.#moved];
    this.#moved.clear();
    try {
      const top = await api.runs.list({ query: { ...this.#query, limit: TOP } });
      const items = merged(this.items.value, top);
      const inTop = new Set(top.map(({ session_id }) => session_id));
      const old = items.findIndex(({ session_id }) => moved.includes(session_id) && !inTop.has(session_id));
      this.items.value = old < 0 ? items : items.with(old, await api.runs.get(items[old]!.session_id));
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
  const ids = new Set(top.map(({ session_id }) => session_id));
  return [...top, ...items.filter(({ session_id, started_at }) => started_at <= oldest && !ids.has(session_id))];
}

export function useRunList(filter: Filter): RunList {
  return usePagedList(() => new RunList(filter), [JSON.stringify(filter)]);
}
