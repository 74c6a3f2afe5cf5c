/** The unmodified provider of y-websocket, connected to a room of a daemon. */
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { FILE } from './client.ts';

export interface Stock {
  readonly document: Y.Doc;
  readonly provider: WebsocketProvider;
  /** Close codes, oldest first. */
  readonly closes: readonly number[];
  text(): string;
  /** Looks after every change of the document, of awareness and of the connection, and at once. */
  until(holds: () => boolean): Promise<void>;
  /** Ends the connection without a closing handshake; the provider connects again at once. */
  cut(): Promise<void>;
  leave(): void;
}

export interface StockOptions {
  readonly url: string;
  readonly token: string;
  readonly room: string;
  readonly document?: Y.Doc;
}

/** Resolves when the provider is synced. */
export async function stock({ url, token, room, document = new Y.Doc() }: StockOptions): Promise<Stock> {
  const joined = stockOf({ url, token, room, document });
  await joined.until(() => joined.provider.synced);
  return joined;
}

export function stockOf({ url, token, room, document = new Y.Doc() }: StockOptions): Stock {
  const sockets: WebSocket[] = [];
  class Cuttable extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args);
      sockets.push(this);
    }
  }
  // The declared type asks for the WebSocket of browsers, of which the provider uses what `ws` has.
  const options: object = { params: { token }, WebSocketPolyfill: Cuttable, disableBc: true };
  const provider = new WebsocketProvider(`${url.replace(/^http/, 'ws')}/ws/yjs`, room, document, options);
  const closes: number[] = [];
  provider.on('connection-close', (event) => void closes.push(event?.code ?? 0));
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  document.on('update', look);
  provider.awareness.on('change', look);
  provider.on('sync', look);
  provider.on('connection-close', look);
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!holds()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    document,
    provider,
    closes,
    until,
    text: () => document.getText(FILE).toString(),
    async cut() {
      const before = closes.length;
      sockets.at(-1)!.terminate();
      await until(() => closes.length > before);
      provider.connect();
    },
    leave: () => provider.destroy(),
  };
}
