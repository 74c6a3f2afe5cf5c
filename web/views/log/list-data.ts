/** The events that match a filter: loaded backwards from the newest, page by page, and live at the top. */
import { signal } from '@preact/signals';
import { api, type Envelope, type LogListQuery } from '../../api.ts';
import { POSITION_MAX } from '../../live.ts';
import { PagedList } from '../../paged-list.ts';

export interface Filter {
  readonly stream: string;
  readonly type: string;
  readonly actor: string;
  readonly correlation: string;
  /** Times, in the format of a date and time field. */
  readonly from: string;
  readonly to: string;
}

/** The first page is small, so that it loads quickly. */
const TOP = 100;
const PAGE = 400;
/** Pages without any match before the user is asked whether to continue. */
const EMPTY_PAGES_MAX = 3;
/** Events kept while new ones come in; older ones are loaded again when they are scrolled to. */
const KEPT_MAX = 4_000;
const HELD_MAX = 4_000;

const moment = (text: string): number => new Date(text).getTime();

export function queryOf({ stream, type, actor, correlation, from, to }: Filter): LogListQuery {
  return {
    ...(stream !== '' && { stream }),
    ...(type !== '' && { type }),
    ...(actor !== '' && { actor }),
    ...(correlation !== '' && { correlation }),
    ...(from !== '' && { from: moment(from) }),
    ...(to !== '' && { to: moment(to) }),
  };
}

export function isChosen(event: Envelope, { stream, type, actor, correlation, from, to }: LogListQuery): boolean {
  if (stream !== undefined && event.stream !== stream) return false;
  if (type !== undefined && event.type !== type) return false;
  if (actor !== undefined && event.actor !== actor) return false;
  if (correlation !== undefined && event.correlation !== correlation) return false;
  return (from === undefined || event.at >= from) && (to === undefined || event.at < to);
}

/** The newest events first. */
export class EventList extends PagedList<Envelope> {
  /** New events that are not among the items yet. */
  readonly held = signal(0);
  /**
   * The position at which reading backwards paused without enough matches; null while it continues, and at the
   * beginning.
   */
  readonly lookedTo = signal<number | null>(null);
  readonly #query: LogListQuery;
  #fresh: Envelope[] = [];
  #isFollowing = true;
  /** The position to read before; null at the beginning of the log. */
  #before: number | null = POSITION_MAX;

  constructor(filter: Filter) {
    super();
    this.#query = queryOf(filter);
  }

  protected hasMore(): boolean {
    return this.#before !== null && this.lookedTo.value === null;
  }

  /** Continues after a failure, or after `lookedTo`. */
  override retry(): void {
    this.lookedTo.value = null;
    super.retry();
  }

  protected async readNext(): Promise<void> {
    for (let pages = 0; this.#before !== null; pages += 1) {
      if (pages === EMPTY_PAGES_MAX) {
        this.lookedTo.value = this.#before;
        break;
      }
      if (await this.#readPage(this.#before)) break;
    }
    this.items.value ??= [];
    if (this.#isFollowing) this.#takeIn();
  }

  async #readPage(before: number): Promise<boolean> {
    const isFirst = before === POSITION_MAX;
    const limit = isFirst ? TOP : PAGE;
    const { events, next, head } = await api.log.list({ query: { ...this.#query, before, limit } });
    if (isFirst) this.#fresh = this.#fresh.filter(({ position }) => position > head);
    // New events took the place of the oldest ones meanwhile: the page does not follow the items any more.
    if (this.#before !== before) return true;
    this.#before = next;
    if (events.length > 0) this.items.value = [...(this.items.value ?? []), ...events];
    return events.length > 0;
  }

  hear(events: readonly Envelope[]): void {
    const chosen = events.filter((event) => isChosen(event, this.#query));
    if (chosen.length === 0) return;
    this.#fresh.push(...chosen);
    if (this.#isFollowing && this.items.value !== undefined) this.#takeIn();
    else this.#hold();
  }

  /**
   * Holds back the newest `HELD_MAX` events at most. If there are that many, they replace the items when they are
   * added.
   */
  #hold(): void {
    if (this.#fresh.length > HELD_MAX) this.#fresh = this.#fresh.slice(-HELD_MAX);
    this.held.value = this.items.value === undefined ? 0 : this.#fresh.length;
  }

  #takeIn(): void {
    const known = this.items.value ?? [];
    const newest = known[0]?.position ?? 0;
    const fresh = this.#fresh.filter(({ position }) => position > newest).reverse();
    this.#fresh = [];
    this.held.value = 0;
    if (fresh.length === 0) return;
    const items = fresh.length >= HELD_MAX ? fresh : [...fresh, ...known];
    const kept = items.slice(0, KEPT_MAX);
    if (kept.length < known.length + fresh.length) this.#before = kept.at(-1)!.position;
    this.items.value = kept;
  }

  /** Adds the events that were held back, and sets whether later ones are added immediately. */
  follow(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    if (isFollowing && this.items.value !== undefined) this.#takeIn();
  }
}
