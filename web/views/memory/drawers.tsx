/** Drawers: pieces of texts, verbatim, by wing and room. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, type Drawer } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Empty, Failure, Loaded, Skeleton } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { drawerStats, stats } from './data.ts';
import { DeleteDialog, type Doomed } from './forms.tsx';

const text = all.memory.drawers;
const PAGE = 50;
const SECOND_MS = 1_000;

export function DrawersPart({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const wing = query.get('wing') ?? '';
  const room = query.get('room') ?? '';
  return (
    <Loaded of={drawerStats} lines={5}>
      {({ total_drawers, wings, rooms, dedup_hit_rate }) =>
        total_drawers === 0 ? (
          <Empty title={text.none}>
            <p>{text.noneHelp}</p>
          </Empty>
        ) : (
          <div class="stack">
            <search class="memory-axes">
              <Choice name="wing" value={wing} options={wings.map((each) => [each.wing, each.count])} />
              <Choice name="room" value={room} options={rooms.map((each) => [each.room, each.count])} />
            </search>
            <p class="quiet">{text.share(percent(dedup_hit_rate))}</p>
            <Drawers key={`${wing}\n${room}`} wing={wing} room={room} />
          </div>
        )
      }
    </Loaded>
  );
}

interface ChoiceProps {
  readonly name: 'wing' | 'room';
  readonly value: string;
  readonly options: readonly (readonly [name: string, drawers: number])[];
}

function Choice({ name, value, options }: ChoiceProps): JSX.Element {
  return (
    <label class="field">
      <span>{text[name]}</span>
      <select value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="">{text.all}</option>
        {options.map(([each, drawers]) => (
          <option key={each} value={each}>
            {each} ({count(drawers)})
          </option>
        ))}
      </select>
    </label>
  );
}

interface Page {
  readonly drawers: readonly Drawer[];
  readonly next: number | null;
}

function Drawers({ wing, room }: { readonly wing: string; readonly room: string }): JSX.Element {
  const page = useSignal<Page | null>(null);
  const failure = useSignal<Error | null>(null);
  const doomed = useSignal<Doomed | null>(null);
  const read = async (after: number): Promise<void> => {
    failure.value = null;
    const query = { after, limit: PAGE, ...(wing !== '' && { wing }), ...(room !== '' && { room }) };
    try {
      const { drawers, next } = await api.memory.listDrawers({ query });
      page.value = { drawers: [...(after === 0 ? [] : (page.value?.drawers ?? [])), ...drawers], next };
    } catch (error) {
      failure.value = error as Error;
    }
  };
  useEffect(() => void read(0), []);
  if (failure.value !== null) return <Failure error={failure.value} retry={() => read(0)} />;
  if (page.value === null) return <Skeleton lines={4} />;
  const { drawers, next } = page.value;
  return (
    <>
      {drawers.length === 0 && <p class="quiet">{text.noneFound}</p>}
      <ol class="rows" hidden={drawers.length === 0}>
        {drawers.map((drawer) => (
          <li key={`${drawer.id} ${drawer.text_id} ${drawer.index}`}>
            <DrawerRow drawer={drawer} ask={(each) => (doomed.value = each)} />
          </li>
        ))}
      </ol>
      {next !== null && (
        <button type="button" class="button" onClick={() => void read(next)}>
          {text.more}
        </button>
      )}
      <DeleteDialog of={doomed} after={() => Promise.all([read(0), drawerStats.refresh(), stats.refresh()])} />
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
          <button
            type="button"
            class="button danger"
            onClick={() => ask({ id, words: content, loss: all.memory.loss.drawer })}
          >
            {all.memory.remove}
          </button>
        </div>
      </div>
    </details>
  );
}
