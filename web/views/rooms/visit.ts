/** One room while it is shown: its document, its peers, and the state of the connection. */
import { type ReadonlySignal, signal } from '@preact/signals';
import * as Y from 'yjs';
import { connectRoom, isPlainText, type RoomCursor, type RoomPeer } from '../../../src/client/yjs.ts';
import { api, roomForBackground } from '../../api.ts';
import { onEvents } from '../../live.ts';
import { guardUnsent } from '../../unsent.ts';

export type { RoomCursor, RoomPeer };
export { isPlainText };

const TEXT_DEFAULT = 'text';
const WRITES_ASKED_EVERY_MS = 10_000;

export interface Visit {
  readonly doc: Y.Doc;
  /** Whether the document is synchronised with the room, at least as of the last connection. */
  readonly hasText: ReadonlySignal<boolean>;
  readonly isConnected: ReadonlySignal<boolean>;
  readonly takesWrites: ReadonlySignal<boolean>;
  /** The last error of the daemon; null when it is over. */
  readonly refusal: ReadonlySignal<string | null>;
  /** Whether the daemon refuses what the document holds. Then it is not connected any more. */
  readonly isRefused: ReadonlySignal<boolean>;
  readonly peers: ReadonlySignal<readonly RoomPeer[]>;
  /** Which of the peers this tab is. */
  readonly own: ReadonlySignal<string>;
  /** Names of the texts, sorted; never empty. */
  readonly texts: ReadonlySignal<readonly string[]>;
  setCursor(cursor: RoomCursor | null): void;
  /** What was written without a connection is still sent when it is back, as long as the tab is open. */
  leave(): void;
}

/** Joins a room. The connection is reopened whenever it breaks. */
export function enter(id: string, name: string): Visit {
  const state = roomState();
  const { doc, hasText, isConnected, refusal, isRefused } = state;
  const writes = watchWrites();
  let newestError = '';
  let cursor: RoomCursor | null = null;
  let hasLeft = false;
  const words = guardWords(state);
  const room = connectRoom(api, id, {
    Y,
    doc,
    name,
    onPeers: (now, self) => {
      state.peers.value = now;
      state.own.value = self;
    },
    onStatus: (status) => {
      isConnected.value = status === 'connected';
      if (status === 'closed' && !hasLeft) {
        isRefused.value = true;
        refusal.value = newestError;
      }
      if (status !== 'connected') return;
      // The room has what was written without a connection.
      words.sent();
      if (hasLeft) return end();
      hasText.value = true;
      refusal.value = null;
      room.setCursor(cursor);
      void writes.ask();
    },
    onError: (message) => {
      refusal.value = newestError = message;
      void writes.ask().then(settle);
    },
  });
  const end = (): void => {
    words.release();
    room.close();
    doc.destroy();
  };
  /** A refusal is over when the daemon is connected and accepts writes. */
  const settle = (): void => {
    if (writes.areTaken.value && isConnected.value) refusal.value = null;
  };
  writes.areTaken.subscribe(settle);
  return {
    ...state,
    takesWrites: writes.areTaken,
    setCursor(now) {
      cursor = now;
      room.setCursor(now);
    },
    leave() {
      writes.stop();
      hasLeft = true;
      if (isConnected.value || !hasText.value || isRefused.value) end();
    },
  };
}

/** The document, and what a view reads of the room. */
function roomState() {
  const doc = new Y.Doc();
  return {
    doc,
    hasText: signal(false),
    isConnected: signal(false),
    refusal: signal<string | null>(null),
    isRefused: signal(false),
    peers: signal<readonly RoomPeer[]>([]),
    own: signal(''),
    texts: textsOf(doc),
  };
}

/** The browser asks before it closes the tab with words that were written while the room was away, or refused. */
function guardWords({ doc, hasText, isConnected, isRefused }: ReturnType<typeof roomState>): {
  sent(): void;
  release(): void;
} {
  let isUnsent = false;
  doc.on('update', () => {
    isUnsent = hasText.value && !isConnected.value;
  });
  const sent = (): void => {
    isUnsent = false;
  };
  return { sent, release: guardUnsent(() => isUnsent || isRefused.value) };
}

function textsOf(doc: Y.Doc): Visit['texts'] {
  const texts = signal<readonly string[]>([TEXT_DEFAULT]);
  doc.on('update', () => {
    const names = [...doc.share.keys()].toSorted();
    if (names.length > 0 && names.join('\n') !== texts.value.join('\n')) texts.value = names;
  });
  return texts;
}

interface WritesWatch {
  readonly areTaken: ReadonlySignal<boolean>;
  /**
   * Checks now, and again later until two answers say that the log accepts writes; while it accepts none, with each
   * event.
   */
  ask(): Promise<void>;
  stop(): void;
}

function watchWrites(): WritesWatch {
  const areTaken = signal(true);
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [asked, answered] = [0, 0];
  const ask = async (): Promise<void> => {
    clearTimeout(timer);
    asked += 1;
    const own = asked;
    const answer = await logTakesWrites();
    const before = areTaken.value;
    // The answer to a later request is newer, even if it came first.
    if (answer !== null && own > answered) [answered, areTaken.value] = [own, answer];
    clearTimeout(timer);
    // Once more after the first good answer: the daemon reports a refusal only once until it has recorded the changes.
    if (!isOver && !(before && areTaken.value)) timer = setTimeout(() => void ask(), WRITES_ASKED_EVERY_MS);
  };
  const stopHearing = onEvents(() => {
    if (!areTaken.value) void ask();
  });
  return {
    areTaken,
    ask,
    stop() {
      isOver = true;
      clearTimeout(timer);
      stopHearing();
    },
  };
}

/** Null if the daemon does not answer. The limit of `/health` is also that of the page and of the socket. */
async function logTakesWrites(): Promise<boolean | null> {
  await roomForBackground();
  try {
    return (await api.storage.stats()).failure === null;
  } catch {
    return null;
  }
}
