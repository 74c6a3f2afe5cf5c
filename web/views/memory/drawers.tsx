/** Drawers: pieces of texts, verbatim, by wing and room. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type Drawer } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { PagedList, usePagedList } from '../../paged-list.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Empty, Failure, Loaded, Skeleton } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { drawerStats, stats } from './data.ts';
import { DeleteDialog, type Doomed } from './forms.tsx';

const text = all.memory.drawers;
const PAGE = 50;
const SECOND_MS = 1_000;

const counted = (name: string, drawers: number): string => `${name} (${count(drawers)})`;

export function DrawersPart({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const wing = query.get('wing') ?? '';
  const room = query.get('room') ?? '';
  return (
    <Loaded of={drawerStats} lines={5}>
      {({ total_drawers, wings, rooms, dedup_hit_rate }) =>
        total_drawers === 0 ? (
          <Empty title={text.none} help={text.noneHelp} />
        ) : (
          <div class="stack">
            <search class="memory-axes">
              <Choice
                label={text.wing}
                value={wing}
                options={[['', text.all], ...wings.map((each) => [each.wing, counted(each.wing, each.count)] as const)]}
                choose={(chosen) => setQuery({ wing: chosen })}
              />
              <Choice
                label={text.room}
                value={room}
                options={[['', text.all], ...rooms.map((each) => [each.room, counted(each.room, each.count)] as const)]}
                choose={(chosen) => setQuery({ room: chosen })}
              />
            </search>
            <p class="quiet">{text.share(percent(dedup_hit_rate))}</p>
            <Drawers wing={wing} room={room} />
          </div>
        )
      }
    </Loaded>
  );
}

class DrawerList extends PagedList<Drawer> {
  readonly isComplete = signal(false);
  readonly #place: { readonly wing?: string; readonly room?: string };
  #next: number | null = 0;

  constructor(wing: string, room: string) {
    super();
    this.#place = { ...(wing !== '' && { wing }), ...(room !== '' && { room }) };
  }

  protected hasMore(): boolean {
    return this.#next !== null;
  }

  protected async readNext(): Promise<void> {
    const query = { ...this.#place, after: this.#next ?? 0, limit: PAGE };
    const { drawers, next } = await api.memory.listDrawers({ query });
    this.items.value = [...(this.items.value ?? []), ...drawers];
    this.#next = next;
    this.isComplete.value = next === null;
  }

  hear(): void {}

  /** Texts with the same words share a drawer. */
  remove(id: string): void {
    this.items.value = this.items.value?.filter((drawer) => drawer.id !== id);
  }
}

function Drawers({ wing, room }: { readonly wing: string; readonly room: string }): JSX.Element {
  const list = usePagedList(() => new DrawerList(wing, room), `${wing}\n${room}`);
  const doomed = useSignal<Doomed | null>(null);
  const drawers = list.items.value;
  const error = list.error.value;
  const removed = (id: string): Promise<unknown> => {
    list.remove(id);
    return Promise.all([drawerStats.refresh(), stats.refresh()]);
  };
  return (
    <>
      {drawers === undefined && error === null && <Skeleton lines={4} />}
      {drawers?.length === 0 && <p class="quiet">{text.noneFound}</p>}
      {drawers !== undefined && drawers.length > 0 && (
        <ol class="rows">
          {drawers.map((drawer) => (
            <li key={`${drawer.id} ${drawer.text_id} ${drawer.index}`}>
              <DrawerRow drawer={drawer} ask={(each) => (doomed.value = each)} />
            </li>
          ))}
        </ol>
      )}
      {error !== null && <Failure error={error} retry={() => list.retry()} />}
      {drawers !== undefined && error === null && !list.isComplete.value && (
        <Button onClick={() => list.more()}>{text.more}</Button>
      )}
      <DeleteDialog of={doomed} after={removed} />
    </>
  );
}

function DrawerRow({ drawer, ask }: { readonly drawer: Drawer; ask(doomed: Doomed): void }): JSX.Element {
  const { id, content, wing, room, source, index, created_at, duplicate_of } = drawer;
  return (
    <details class="memory-drawer">
      <summary>
        <span class="memory-words" dir="auto">
          {content}
        </span>
        <span class="quiet">{source}</span>
      </summary>
      <div class="stack">
        <p class="memory-content" dir="auto">
          {content}
        </p>
        <div class="row-ends">
          <p class="quiet">
            {wing} / {room} · {text.piece(count(index + 1))} · <Ago at={created_at * SECOND_MS} />
            {duplicate_of !== null && ` · ${text.repeats}`}
          </p>
          <Button tone="danger" onClick={() => ask({ id, words: content, loss: all.memory.loss.drawer })}>
            {all.memory.remove}
          </Button>
        </div>
      </div>
    </details>
  );
}
