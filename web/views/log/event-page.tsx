/** One event: its data, its causes and effects, and the proof that it is in the log. */
import type { JSX } from 'preact';
import type { Envelope } from '../../api.ts';
import { count } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { position as newest } from '../../live.ts';
import { go, href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Head } from '../../ui/head.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { When } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Graph } from './graph.tsx';
import { Proof } from './proof.tsx';
import { eventAt } from './related.ts';

const text = all.log;

export function EventPage({ position }: { readonly position: number }): JSX.Element {
  const move = (by: number): void => {
    if (position + by >= 1 && position + by <= newest.value) go(['log', position + by]);
  };
  useShortcuts(text.title, [
    { keys: 'j', label: text.shortcuts.next, run: () => move(1) },
    { keys: 'k', label: text.shortcuts.previous, run: () => move(-1) },
  ]);
  return (
    <div class="log-event">
      <Loaded of={eventAt(String(position))}>
        {({ event, head }) => (event === null ? <Missing head={head} /> : <Event event={event} />)}
      </Loaded>
    </div>
  );
}

function Missing({ head }: { readonly head: number }): JSX.Element {
  return (
    <>
      <Head title={text.event.missing} above={<a href={href(['log'])}>{text.event.back}</a>} />
      <Empty title={text.event.missingHelp(count(head))} />
    </>
  );
}

function Event({ event }: { readonly event: Envelope }): JSX.Element {
  const { position, type, stream, data, erased } = event;
  const run = /^run-(.+)$/.exec(stream)?.[1];
  return (
    <>
      <Head title={type} note={<EventNote event={event} />} above={<a href={href(['log'])}>{text.event.back}</a>}>
        <Step to={position - 1} icon="up" label={text.event.previous} />
        <Step to={position + 1} icon="down" label={text.event.next} />
        {run !== undefined && (
          <a class="button" href={href(['runs', run])}>
            {text.event.openRun}
          </a>
        )}
        <a class="button" href={href(['log'], { stream })}>
          {text.event.followStream}
        </a>
      </Head>
      <Graph event={event} />
      <div class="log-halves">
        <section class="card" aria-labelledby="log-data">
          <div class="row-ends">
            <h2 id="log-data">{text.event.data}</h2>
            <Button onClick={() => void copy(event)}>{text.event.copy}</Button>
          </div>
          {erased === true ? (
            <p class="quiet">{text.event.erasedData}</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
            <pre class="well" tabIndex={0} dir="auto">
              {JSON.stringify(data, null, 2)}
            </pre>
          )}
          <EventFacts event={event} />
        </section>
        <Proof event={event} />
      </div>
    </>
  );
}

function EventNote({ event }: { readonly event: Envelope }): JSX.Element {
  const { position, version, stream, at } = event;
  return (
    <>
      {text.event.position} {count(position)} · <code>{stream}</code>, {text.event.versionOf(count(version))} ·{' '}
      <When at={at} />
    </>
  );
}

async function copy(event: Envelope): Promise<void> {
  try {
    // Absent on a page that is neither from this machine nor encrypted.
    await navigator.clipboard.writeText(JSON.stringify(event, null, 2));
    toast(all.copied);
  } catch {
    toast(all.notCopied, 'bad');
  }
}

interface StepProps {
  readonly to: number;
  readonly icon: 'up' | 'down';
  readonly label: string;
}

function Step({ to, icon, label }: StepProps): JSX.Element | null {
  if (to < 1 || to > newest.value) return null;
  return (
    <a class="button plain" href={href(['log', to])} aria-label={label} title={label}>
      <Icon name={icon} />
    </a>
  );
}

function EventFacts({ event }: { readonly event: Envelope }): JSX.Element {
  const { actor, correlation, causation, schema, id, leaf_hash } = event;
  const mono = (words: string): JSX.Element => <span class="mono">{words}</span>;
  const { event: words } = text;
  return (
    <Facts
      of={[
        [words.actor, <a href={href(['log'], { actor })}>{actor}</a>],
        [
          words.correlation,
          correlation === null ? all.none : <a href={href(['log'], { correlation })}>{correlation}</a>,
        ],
        [words.causation, mono(causation ?? all.none)],
        [words.id, mono(id)],
        [words.schema, count(schema)],
        [words.leaf, mono(leaf_hash)],
      ]}
    />
  );
}
