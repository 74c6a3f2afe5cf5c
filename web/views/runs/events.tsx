/** The events of a run, as in the log. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Envelope } from '../../api.ts';
import { clock, count, duration } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Growing } from '../../ui/growing.tsx';

const text = all.runs.events;
const STEP = 300;

interface EventTableProps {
  readonly events: readonly Envelope[];
  /** Changes when events were added. */
  readonly version: number;
}

export function EventTable({ events }: EventTableProps): JSX.Element {
  const started = events[0]?.at ?? 0;
  return (
    <div class="event-list">
      <Growing items={events} step={STEP}>
        {(shown) => (
          <ol class="rows">
            {shown.map((event) => (
              <li key={event.position}>
                <EventRow event={event} started={started} />
              </li>
            ))}
          </ol>
        )}
      </Growing>
    </div>
  );
}

function EventRow({ event, started }: { readonly event: Envelope; readonly started: number }): JSX.Element {
  const isOpen = useSignal(false);
  const { position, type, at, data, erased } = event;
  return (
    <details onToggle={(toggled) => (isOpen.value = toggled.currentTarget.open)}>
      <summary class="event-row">
        <span class="quiet number">{count(position)}</span>
        <code>{type}</code>
        <span class="event-data mono quiet">{erased === true ? text.erased : JSON.stringify(data).slice(0, 200)}</span>
        <span class="quiet number" title={clock(at)}>
          +{duration(at - started)}
        </span>
      </summary>
      {isOpen.value && (
        <pre
          class="well"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
          tabIndex={0}
        >
          {JSON.stringify(event, null, 2)}
        </pre>
      )}
    </details>
  );
}
