/** The backups of the store: when the last one was made and verified, and a button that makes one. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { api, type MetricsHistory, type StorageOperation } from '../api.ts';
import { bytes, count, percent } from '../format.ts';
import { text as all } from '../text.ts';
import { Action } from '../ui/action.tsx';
import { Facts } from '../ui/facts.tsx';
import { Icon } from '../ui/icon.tsx';
import { Ago, When } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

const text = all.backups;
const WAIT_MS = 1_000;

interface BackupsCardProps {
  readonly of: MetricsHistory['backups'];
  /** Loads again after a backup was made or failed. */
  refresh(): Promise<unknown>;
}

export function BackupsCard({ of, refresh }: BackupsCardProps): JSX.Element {
  return (
    <section class="card" aria-labelledby="backups">
      <h2 id="backups">{text.title}</h2>
      {of === null ? <p class="quiet">{text.none}</p> : <Backups of={of} refresh={refresh} />}
    </section>
  );
}

interface BackupsProps extends BackupsCardProps {
  readonly of: NonNullable<MetricsHistory['backups']>;
}

function Backups({ of, refresh }: BackupsProps): JSX.Element {
  const running = useSignal<StorageOperation | null>(null);
  const row = useRef<HTMLParagraphElement>(null);
  const make = async (): Promise<void> => {
    try {
      let state = await api.storage.startOperation({ kind: 'verified_backup' });
      while (state.state === 'running') {
        running.value = state;
        state = await api.storage.getOperation(state.id, { query: { wait: WAIT_MS } });
      }
      if (state.state === 'cancelled') toast(text.cancelled);
      else if (state.error !== null) throw new Error(state.error.message);
      else toast(text.done);
    } finally {
      // The cancel button disappears, so its focus moves to the remaining button.
      if (row.current?.contains(document.activeElement)) row.current.querySelector('button')?.focus();
      running.value = null;
      await refresh();
    }
  };
  const { last, kept, failure } = of;
  return (
    <>
      {failure !== null && (
        <p class="bad">
          <Icon name="warning" /> {text.failed(failure)}
        </p>
      )}
      {last === null ? (
        <p class="quiet">{text.never}</p>
      ) : (
        <Facts
          of={[
            [text.made, <When at={last.made_at} />],
            [text.verified, <Ago at={last.verified_at} />],
            [text.head, count(last.position)],
            [text.size, bytes(last.bytes)],
            [text.kept, count(kept)],
          ]}
        />
      )}
      <p ref={row} class="row">
        <Action run={make}>{text.make}</Action>
        {running.value !== null && <Cancel id={running.value.id} />}
        <span class="quiet" role="status">
          {running.value !== null && progressOf(running.value)}
        </span>
      </p>
    </>
  );
}

function Cancel({ id }: { readonly id: string }): JSX.Element {
  return <Action run={() => api.storage.cancelOperation(id)}>{all.cancel}</Action>;
}

function progressOf({ done, total }: StorageOperation): string {
  return total === 0 ? text.working : text.running(percent(done / total));
}
