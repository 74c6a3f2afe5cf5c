/** One memory with its strength, its links and its events. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { isStatus, type MemoryDetail } from '../../api.ts';
import { count, listed, percent } from '../../format.ts';
import { go, href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { Head } from '../../ui/head.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { When } from '../../ui/time.tsx';
import { entry, setPinned } from './data.ts';
import { DeleteDialog, type Doomed } from './forms.tsx';

const text = all.memory;
const SECOND_MS = 1_000;

export function EntryPage({ id }: { readonly id: string }): JSX.Element {
  const of = entry(id);
  const back = <a href={href(['memory'])}>{text.entry.back}</a>;
  if (of.error.value !== null && isStatus(of.error.value, 404)) {
    return (
      <>
        <Head title={text.title} above={back} />
        <Empty title={text.entry.missing} />
      </>
    );
  }
  return (
    <div class="memory">
      <Loaded of={of}>{(memory) => <Entry memory={memory} />}</Loaded>
    </div>
  );
}

function Entry({ memory }: { readonly memory: MemoryDetail }): JSX.Element {
  const doomed = useSignal<Doomed | null>(null);
  const { id, content, pinned, sector, waypoint_count, created_at, waypoints, events } = memory;
  return (
    <>
      <Head
        title={text.sectors[sector]}
        above={<a href={href(['memory'])}>{text.entry.back}</a>}
        note={<When at={created_at * SECOND_MS} />}
      >
        <Action run={() => setPinned(id, !pinned).then(() => entry(id).refresh())}>
          {pinned ? text.unpin : text.pin}
        </Action>
        <Button
          tone="danger"
          onClick={() => (doomed.value = { id, words: content, loss: text.loss.memory(waypoint_count) })}
        >
          {text.remove}
        </Button>
      </Head>
      <section class="card">
        <p class="memory-content" dir="auto">
          {content}
        </p>
        <EntryFacts memory={memory} />
      </section>
      {waypoints.length > 0 && (
        <section class="card">
          <h2>{text.entry.links(count(waypoint_count))}</h2>
          <ul class="memory-links">
            {waypoints.map(({ src_id, dst_id, kind, weight }) => (
              <li key={`${src_id} ${dst_id} ${kind}`} class="row-ends">
                <a class="mono" href={href(['memory', 'entry', src_id === id ? dst_id : src_id])}>
                  {src_id === id ? dst_id : src_id}
                </a>
                <span class="quiet">
                  {kind} · {percent(weight)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <MadeOf events={events} />
      <DeleteDialog of={doomed} after={async () => () => go(['memory'])} />
    </>
  );
}

function EntryFacts({ memory }: { readonly memory: MemoryDetail }): JSX.Element {
  const { effective_salience, stored_salience, last_seen_at, recalls, recalled_at, tags, session_id, metadata } =
    memory;
  const others = memory.secondary_sectors.map(([name]) => String(name));
  const extra = Object.entries(metadata);
  return (
    <dl class="facts">
      <dt>{text.entry.strength}</dt>
      <dd>{text.entry.strengthOf(percent(effective_salience), percent(stored_salience))}</dd>
      <dt>{text.entry.seen}</dt>
      <dd>
        <When at={last_seen_at * SECOND_MS} />
      </dd>
      <dt>{text.entry.recalled}</dt>
      <dd>
        {recalls === 0 || recalled_at === null ? (
          text.entry.never
        ) : (
          <>
            {text.entry.recalls(count(recalls))}, <When at={recalled_at * SECOND_MS} />
          </>
        )}
      </dd>
      <dt>{text.entry.tags}</dt>
      <dd dir="auto">{tags.length === 0 ? all.none : listed(tags)}</dd>
      {others.length > 0 && (
        <>
          <dt>{text.entry.sectors}</dt>
          <dd>{listed(others)}</dd>
        </>
      )}
      {session_id !== null && (
        <>
          <dt>{text.entry.from}</dt>
          <dd>
            <a href={href(['runs', session_id])}>{text.entry.openRun}</a>
          </dd>
        </>
      )}
      {extra.map(([name, value]) => (
        <>
          <dt dir="auto">{name}</dt>
          <dd dir="auto">{value}</dd>
        </>
      ))}
      <dt>{text.entry.encrypted}</dt>
      <dd>{memory.encrypted ? text.entry.yes : text.entry.no}</dd>
    </dl>
  );
}

function MadeOf({ events }: Pick<MemoryDetail, 'events'>): JSX.Element {
  return (
    <section class="card">
      <h2>{text.entry.events}</h2>
      <ol class="memory-links">
        {events.map(({ position, type, at }) => (
          <li key={position} class="row-ends">
            <a href={href(['log', position])}>
              <code>{type}</code>
            </a>
            <span class="quiet number">
              {count(position)} · <When at={at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
