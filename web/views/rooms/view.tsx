/** The rooms, or one of them. */
import type { JSX } from 'preact';
import { api } from '../../api.ts';
import { count } from '../../format.ts';
import { moveFocus, useShortcuts } from '../../keys.ts';
import { useEvery } from '../../resource.ts';
import { type KnownRoom, rooms } from '../../rooms.ts';
import { go, href, setQuery, type ViewProps } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { Head } from '../../ui/head.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { RoomPage } from './room.tsx';

const text = all.rooms;
const OPEN_EVERY_MS = 10_000;

export function View({ path: [id], query }: ViewProps): JSX.Element {
  if (id === undefined) return <RoomList query={query} />;
  return <RoomPage key={id} id={id} query={query} />;
}

const focusRow = (by: number): void => moveFocus(document.querySelectorAll<HTMLElement>('.rooms-row'), by);

function RoomList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  // Who leaves a room is in no event.
  useEvery(OPEN_EVERY_MS, rooms);
  const create = (): void => setQuery({ new: '1' });
  useShortcuts(all.views.rooms.name, [
    { keys: 'n', label: text.keys.new, run: create },
    { keys: 'j', label: text.keys.next, run: () => focusRow(1) },
    { keys: 'k', label: text.keys.previous, run: () => focusRow(-1) },
  ]);
  const known = rooms.value.value ?? [];
  const open = known.filter(({ isOpen }) => isOpen).length;
  const button = (
    <Button tone="primary" onClick={create}>
      {text.create.title}
    </Button>
  );
  return (
    <>
      <Head title={text.title} note={text.note(count(open), count(known.length))}>
        {button}
      </Head>
      <Loaded of={rooms}>
        {(list) => (list.length === 0 ? <Empty title={text.none} help={text.noneHelp} /> : <Rows list={list} />)}
      </Loaded>
      <CreateDialog isOpen={query.get('new') !== null} />
    </>
  );
}

function Rows({ list }: { readonly list: readonly KnownRoom[] }): JSX.Element {
  const walk = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    focusRow(step);
  };
  return (
    <ul class="rows" aria-label={text.list} onKeyDown={walk}>
      {list.map(({ id, isOpen }) => (
        <li key={id}>
          <a class="rooms-row" href={href(['rooms', id])}>
            <span dir="auto">{id}</span>
            {isOpen ? (
              <Badge tone="good" icon="check">
                {text.open}
              </Badge>
            ) : (
              <span class="quiet">{text.closed}</span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

function CreateDialog({ isOpen }: { readonly isOpen: boolean }): JSX.Element {
  const { create } = text;
  const send = async (fields: FormData): Promise<() => void> => {
    const { room_id } = await api.rooms.open({ room_id: written(fields, 'room_id') || null });
    return () => go(['rooms', room_id]);
  };
  return (
    <FormDialog
      title={create.title}
      isOpen={isOpen}
      onClose={() => setQuery({ new: null })}
      submit={create.submit}
      send={send}
    >
      <Field label={create.name} name="room_id" help={create.nameHelp} />
    </FormDialog>
  );
}
