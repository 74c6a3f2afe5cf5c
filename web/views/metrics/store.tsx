/** The current state of the store, and its backups. */
import type { JSX } from 'preact';
import type { MetricsHistory } from '../../api.ts';
import { bytes, count } from '../../format.ts';
import { href } from '../../router.ts';
import { BackupsCard } from '../../store/backups.tsx';
import { text as all } from '../../text.ts';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/states.tsx';
import { history, RANGES, store } from './data.ts';

const text = all.metrics;

async function refresh(): Promise<void> {
  const read = Object.keys(RANGES).map((range) => history(range));
  await Promise.all(read.filter(({ value }) => value.value !== undefined).map((each) => each.refresh()));
}

export function StoreCards({ backups }: { readonly backups: MetricsHistory['backups'] }): JSX.Element {
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
              <Facts
                of={[
                  [text.store.events, <a href={href(['log'])}>{count(events)}</a>],
                  [text.store.backend, backend],
                  [text.store.disk, bytes(disk_bytes)],
                  [text.store.wal, bytes(wal_bytes)],
                  [text.store.cache, bytes(cache_bytes)],
                ]}
              />
            </>
          )}
        </Loaded>
      </section>
      <BackupsCard of={backups} refresh={refresh} />
    </div>
  );
}
