/**
 * Where the events of a home are read: from its running daemon, or else from its data directory itself, which is locked
 * as long as it is read.
 */
import { readDiscovery } from '../../discovery.ts';
import type { Envelope } from '../../events/envelope.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { type Client, createClient } from '../client.ts';
import { requireLog } from '../own-daemon.ts';
import { type LogHead, zLogHead } from '../shapes.ts';
import { placeOf } from '../storage/place.ts';

export interface LogSource {
  /** `daemon` or `directory`, for saying where it came from. */
  readonly kind: 'daemon' | 'directory';
  head(): Promise<LogHead>;
  /** Events after a position up to and including another one, in order. */
  events(range: { readonly after: number; readonly through: number }): AsyncIterable<Envelope>;
  close(): Promise<void>;
}

export async function openLogSource(home: string): Promise<LogSource> {
  if (readDiscovery(home) !== null) return daemonSource(createClient(home));
  return directorySource(await openDataDirectory(home));
}

/** The storage of a home without a daemon. Refuses to make a new one. */
export async function openDataDirectory(home: string): Promise<Storage> {
  requireLog(home);
  const { directory, config } = placeOf({ home });
  return openStorage({ directory, config: config.engines });
}

export function daemonSource(client: Client): LogSource {
  return {
    kind: 'daemon',
    head: () => client.request('/v1/log/head', { schema: zLogHead }),
    async *events({ after, through }) {
      if (after >= through) return;
      const done = new AbortController();
      const stream = client.follow('/v1/events/stream', {
        after: String(after),
        signal: done.signal,
        isOver: () => Promise.resolve(false),
      });
      for await (const { data } of stream) {
        const envelope = JSON.parse(data) as Envelope;
        yield envelope;
        if (envelope.position >= through) break;
      }
      done.abort();
    },
    close: () => Promise.resolve(),
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
    close: () => storage.close(),
  };
}
