/** One room: its texts, the editor of one of them, and who is there. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { count } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { type Resource, useOwnResource } from '../../resource.ts';
import { href, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { type DialogState, useDialogs } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { Head } from '../../ui/head.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { isCursor } from './cursors.ts';
import { type Editor, openEditor } from './editor.ts';
import { personName, rename } from './person.ts';
import { enter, isPlainText, type RoomPeer, type Visit } from './visit.ts';

const text = all.rooms.room;

interface RoomPageProps {
  readonly id: string;
  readonly query: URLSearchParams;
}

/** Entering a room that is missing would make it, so the log is asked first. */
export function RoomPage({ id, query }: RoomPageProps): JSX.Element {
  const found = useOwnResource(() => {
    const stream = `room-${id}`;
    return {
      load: async () => (await api.log.list({ query: { stream, limit: 1 } })).events.length > 0,
      concerns: (event) => event.stream === stream,
      fold: () => true,
    };
  }, id);
  const name = personName.value;
  return (
    <Loaded of={found} lines={5}>
      {(isThere) => (isThere ? <Inside key={name} {...{ id, name, query }} /> : <Missing id={id} found={found} />)}
    </Loaded>
  );
}

function Missing({ id, found }: { readonly id: string; readonly found: Resource<boolean> }): JSX.Element {
  const make = async (): Promise<void> => {
    await api.rooms.open({ room_id: id });
    found.put(true);
  };
  return (
    <>
      <Head title={text.missing} above={<a href={href(['rooms'])}>{text.all}</a>} />
      <Empty title={text.missingHelp(id)}>
        <Action tone="primary" run={make}>
          {text.make}
        </Action>
      </Empty>
    </>
  );
}

interface InsideProps extends RoomPageProps {
  readonly name: string;
}

function Inside({ id, name, query }: InsideProps): JSX.Element {
  const [visit, setVisit] = useState<Visit | null>(null);
  useEffect(() => {
    const entered = enter(id, name);
    setVisit(entered);
    return () => entered.leave();
  }, [id, name]);
  const { open, opened } = useDialogs<'name' | 'text'>();
  useShortcuts(all.views.rooms.name, [
    { keys: 'n', label: all.rooms.keys.text, run: open('text') },
    { keys: 'i', label: all.rooms.keys.name, run: open('name') },
  ]);
  return (
    <div class="rooms">
      <Head
        title={id}
        above={<a href={href(['rooms'])}>{text.all}</a>}
        note={visit === null ? text.entering : <State visit={visit} />}
      >
        <Button onClick={open('name')}>{text.rename}</Button>
        <Button onClick={open('text')}>{text.newText}</Button>
      </Head>
      {/* Before the editor, which takes the focus after a dialog that is closed has returned it. */}
      <NameDialog {...opened('name')} />
      <TextDialog {...opened('text')} />
      {visit === null ? <Skeleton lines={5} /> : <Content visit={visit} chosen={query.get('text')} />}
    </div>
  );
}

function State({ visit }: { readonly visit: Visit }): JSX.Element {
  const isConnected = visit.isConnected.value;
  return (
    <span role="status">
      {isConnected ? (
        <Badge tone="good" icon="check">
          {text.connected}
        </Badge>
      ) : (
        <Badge tone="warn" icon="warning">
          {visit.hasText.value ? text.away : text.entering}
        </Badge>
      )}
    </span>
  );
}

function Content({ visit, chosen }: { readonly visit: Visit; readonly chosen: string | null }): JSX.Element {
  const { hasText, isConnected, takesWrites, refusal, isRefused, texts, peers, own } = visit;
  const isAway = hasText.value && !isConnected.value && !isRefused.value;
  const names = texts.value;
  /** The text that is shown first stays, also when somebody begins one that comes before it. */
  const first = useRef<string>(undefined);
  if (hasText.value) first.current ??= names[0];
  const name = chosen ?? first.current ?? '';
  const tabs = names.includes(name) ? names : [...names, name];
  return (
    <div class="rooms-split">
      <div class="stack rooms-main">
        {!takesWrites.value && <Notice title={text.readOnly}>{text.readOnlyHelp}</Notice>}
        {isAway && <Notice title={text.away}>{text.awayHelp}</Notice>}
        {takesWrites.value && refusal.value !== null && (
          <Notice title={text.refused(refusal.value)}>{isRefused.value ? text.refusedHelp : undefined}</Notice>
        )}
        {tabs.length > 1 && (
          <Tabs label={text.texts} current={name}>
            {tabs.map((each) => (
              <a
                key={each}
                dir="auto"
                href={`#${hashOf(each)}`}
                aria-current={each === name ? 'page' : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  setQuery({ text: each });
                }}
              >
                {each}
              </a>
            ))}
          </Tabs>
        )}
        {hasText.value ? <TextOf key={name} visit={visit} name={name} /> : <Skeleton lines={6} />}
      </div>
      <Peers peers={peers.value} own={own.value} />
    </div>
  );
}

/** The current address with another text. */
function hashOf(name: string): string {
  return `${location.hash.replace(/^#|\?.*$/g, '')}?${new URLSearchParams({ text: name })}`;
}

function Notice({ title, children }: { readonly title: string; readonly children?: string | undefined }): JSX.Element {
  return (
    <p class="rooms-notice" role="status">
      <Icon name="warning" />
      <span>
        <strong>{title}</strong> {children}
      </span>
    </p>
  );
}

interface TextProps {
  readonly visit: Visit;
  readonly name: string;
}

function TextOf({ visit, name }: TextProps): JSX.Element {
  const isPlain = useMemo(() => isPlainText(visit.doc.getText(name)), [visit, name]);
  if (isPlain) return <TextEditor visit={visit} name={name} />;
  return <Notice title={text.noText(name)}>{text.noTextHelp}</Notice>;
}

function TextEditor({ visit, name }: TextProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const peers = visit.peers.value;
  const own = visit.own.value;
  const isReadOnly = !visit.takesWrites.value || visit.isRefused.value;
  // Before the next key press: it goes to the editor, and the notice and the editor change together.
  useLayoutEffect(() => {
    const opened = openEditor(host.current!, {
      text: visit.doc.getText(name),
      file: name,
      label: text.editor(name),
      onCursor: (cursor) => visit.setCursor(cursor),
    });
    editor.current = opened;
    opened.focus();
    return () => {
      opened.close();
      editor.current = null;
      visit.setCursor(null);
    };
  }, [visit, name]);
  useEffect(() => editor.current?.show(peers.filter(({ peer_id }) => peer_id !== own)), [visit, name, peers, own]);
  useLayoutEffect(() => editor.current?.setReadOnly(isReadOnly), [visit, name, isReadOnly]);
  return <div ref={host} class="card rooms-editor" />;
}

function Peers({ peers, own }: { readonly peers: readonly RoomPeer[]; readonly own: string }): JSX.Element {
  return (
    <section class="card rooms-peers" aria-labelledby="rooms-peers">
      <h2 id="rooms-peers">
        {text.peers} <span class="quiet number">{count(peers.length)}</span>
      </h2>
      <ul class="rooms-list">
        {peers.map(({ peer_id, name, color, cursor }) => (
          <li key={peer_id}>
            <span class="rooms-color" style={{ background: color }} aria-hidden="true" />
            <span dir="auto">{peer_id === own ? text.you(name) : name}</span>
            {peer_id !== own && isCursor(cursor) && (
              <span class="quiet" dir="auto">
                {text.position(cursor.file, count(cursor.line + 1))}
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="quiet">{text.leaveEditor}</p>
    </section>
  );
}

function NameDialog(opened: DialogState): JSX.Element {
  const send = async (fields: FormData): Promise<void> => rename(written(fields, 'name'));
  return (
    <FormDialog {...opened} title={text.yourName} submit={text.save} send={send}>
      <Field label={text.yourName} name="name" help={text.yourNameHelp} value={personName.value} required />
    </FormDialog>
  );
}

function TextDialog(opened: DialogState): JSX.Element {
  const send = async (fields: FormData) => () => setQuery({ text: written(fields, 'name') });
  return (
    <FormDialog {...opened} title={text.newText} submit={text.add} send={send}>
      <Field label={text.textName} name="name" help={text.textNameHelp} required />
    </FormDialog>
  );
}
