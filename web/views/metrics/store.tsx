/** The store as it is now, and its backups with the proof of the last one. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type MetricsHistory } from '../../api.ts';
import { bytes, count, percent } from '../../format.ts';
import { href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago, When } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { history, RANGES, store } from './data.ts';

const text = all.metrics;
const WAIT_MS = 1_000;

interface StoreCardsProps {
  readonly backups: MetricsHistory['backups'];
}

export function StoreCards({ backups }: StoreCardsProps): JSX.Element {
  return (
    <div class="metrics-cards">
      <section class="card" aria-labelledby="metrics-store">
        <h2 id="metrics-store">{text.store.title}</h2>
        <Loaded of={store}>
          {({ backend, events, disk_bytes, wal_bytes, cache_bytes, failure }) => (
            <>
              {failure !== null && (
                <p class="bad">
                  <Icon name="warning" /> {text.store.failure}: {failure}
                </p>
              )}
              <dl class="facts">
                <dt>{text.store.events}</dt>
                <dd>
                  <a href={href(['log'])}>{count(events)}</a>
                </dd>
                <dt>{text.store.backend}</dt>
                <dd>{backend}</dd>
                <dt>{text.store.disk}</dt>
                <dd>{bytes(disk_bytes)}</dd>
                <dt>{text.store.wal}</dt>
                <dd>{bytes(wal_bytes)}</dd>
                <dt>{text.store.cache}</dt>
                <dd>{bytes(cache_bytes)}</dd>
              </dl>
            </>
          )}
        </Loaded>
      </section>
      <section class="card" aria-labelledby="metrics-backups">
        <h2 id="metrics-backups">{text.backups.title}</h2>
        {backups === null ? <p class="quiet">{text.backups.none}</p> : <Backups of={backups} />}
      </section>
    </div>
  );
}

function Backups({ of }: { readonly of: NonNullable<MetricsHistory['backups']> }): JSX.Element {
  const progress = useSignal<string | null>(null);
  const make = async (): Promise<void> => {
    try {
      let state = await api.storage.startOperation({ kind: 'verified_backup' });
      while (state.state === 'running') {
        progress.value = text.backups.running(percent(state.total === 0 ? 0 : state.done / state.total));
        state = await api.storage.getOperation(state.id, { query: { wait: WAIT_MS } });
      }
      if (state.error !== null) throw new Error(state.error.message);
      toast(text.backups.done);
    } finally {
      progress.value = null;
      for (const range of Object.keys(RANGES))
        if (history(range).value.value !== undefined) void history(range).refresh();
    }
  };
  const { last, kept, failure } = of;
  return (
    <>
      {failure !== null && (
        <p class="bad">
          <Icon name="warning" /> {text.backups.failed(failure)}
        </p>
      )}
      {last === null ? (
        <p class="quiet">{text.backups.never}</p>
      ) : (
        <dl class="facts">
          <dt>{text.backups.made}</dt>
          <dd>
            <When at={last.made_at} />
          </dd>
          <dt>{text.backups.verified}</dt>
          <dd>
            <Ago at={last.verified_at} />
          </dd>
          <dt>{text.backups.head}</dt>
          <dd>{count(last.position)}</dd>
          <dt>{text.backups.size}</dt>
          <dd>{bytes(last.bytes)}</dd>
          <dt>{text.backups.kept}</dt>
          <dd>{count(kept)}</dd>
        </dl>
      )}
      <p class="row">
        <Action run={make}>{text.backups.make}</Action>
        <span class="quiet" role="status">
          {progress.value}
        </span>
      </p>
    </>
  );
}
