/**
 * The source of a home's events: its running daemon or, without one, its data directory, which is locked while it is read.
 */
import type { LogHeadAnswer } from '../../client/client.ts';
import { readDiscovery } from '../../discovery.ts';
import type { Envelope } from '../../events/envelope.ts';
import type { Storage } from '../../storage/open.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { type Client, createClient } from '../client.ts';
import { openToRead } from '../storage/read-store.ts';
import { locateStore } from '../storage/store-location.ts';
import { requireLog } from '../temporary-daemon.ts';

export interface LogSource extends AsyncDisposable {
  readonly kind: 'daemon' | 'directory' | 'database';
  head(): Promise<LogHeadAnswer>;
  /** The events after position `after`, up to and including position `through`, in order. */
  events(range: { readonly after: number; readonly through: number }): AsyncIterable<Envelope>;
}

export async function openLogSource(home: string): Promise<LogSource> {
  if (readDiscovery(home) !== null) return daemonSource(createClient(home));
  return directorySource(await openDataDirectory(home));
}

/** Opens the storage of a home without a daemon, to read it. Throws when there is none. */
export async function openDataDirectory(home: string): Promise<Storage> {
  requireLog(home);
  return openToRead(locateStore({ home }));
}

export function daemonSource(client: Client): LogSource {
  return {
    kind: 'daemon',
    head: () => client.api.log.head(),
    async *events({ after, through }) {
      if (after >= through) return;
      const controller = new AbortController();
      const { signal } = controller;
      const stream = client.follow((api, options) => api.log.events(options), { after: String(after), signal });
      for await (const { data: envelope } of stream) {
        yield envelope;
        if (envelope.position >= through) break;
      }
      controller.abort();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export function directorySource(storage: Storage): LogSource {
  return {
    kind: 'directory',
    head() {
      const { position, treeHash, at } = storage.log.head();
      return Promise.resolve({ position, tree_hash: treeHash, at });
    },
    async *events({ after, through }) {
      for (const event of storage.log.readAll({ after, limit: Math.max(0, through - after) })) yield envelopeOf(event);
    },
    [Symbol.asyncDispose]: () => storage.close(),
  };
}
