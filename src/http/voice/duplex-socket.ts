/**
 * `/ws/voice/duplex`: speech in, speech out. Binary frames in are 16 kHz mono 16-bit PCM, out a sample rate and floats;
 * text frames are JSON.
 *
 * - The modules of a conversation are loaded with the first connection.
 * - A client that does not take the sound within TAKE_MS_MAX is disconnected.
 */
import type { WebSocket } from 'ws';
import type { CallerSettings, ConversationParts } from '../../live/voice/conversation.ts';
import type { ServerFrame } from '../../live/voice/frames.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { voiceRow } from '../../projections/voice.ts';
import { spokenLanguage } from '../../queries/voice/spoken-language.ts';
import { refuseUpgrade } from '../server/connections.ts';
import { errorReply, HttpError, retryLater } from '../server/errors.ts';
import {
  createWebSockets,
  type MessageListener,
  pingUntilClosed,
  type WebSocketHandler,
} from '../server/websocket-server.ts';

export interface DuplexSocketDependencies extends ConversationParts {
  readonly config: ConversationParts['config'] & { readonly voice_language: string };
  viewsUnavailable(): string | null;
  announce(line: string): void;
}

const PATH = '/ws/voice/duplex';
/** Enough for a context of 32k escaped characters, or for half a minute of sound. */
const FRAME_BYTES_MAX = 1_048_576;
const CALLERS_MAX = 16;

/** How long a client may take to receive one sentence. */
const TAKE_MS_MAX = 30_000;

export function duplexSockets(deps: DuplexSocketDependencies): WebSocketHandler {
  const sockets = createWebSockets({ frameBytesMax: FRAME_BYTES_MAX, announce: deps.announce });
  let callers = 0;
  return {
    upgrade(url, handshake) {
      if (url.pathname !== PATH) return false;
      const unavailable = deps.viewsUnavailable();
      if (unavailable !== null) throw new HttpError(503, unavailable);
      if (callers >= CALLERS_MAX) throw retryLater(`At most ${CALLERS_MAX} conversations go on at once.`);
      const { socket } = handshake;
      callers += 1;
      socket.once('close', () => {
        callers -= 1;
      });
      prepare(deps, url.searchParams).then(
        (ready) => sockets.accept(handshake, (client) => converse(deps, client, ready)),
        (error: unknown) => {
          const { internal } = errorReply(error);
          if (internal !== null) deps.announce(`error: ${internal}`);
          refuseUpgrade(socket, error);
        },
      );
      return true;
    },
    close: () => sockets.close(),
  };
}

type Ready = Awaited<ReturnType<typeof prepare>>;

/** Everything asynchronous happens before the handshake is answered, so that no frame of the client is missed. */
async function prepare(deps: DuplexSocketDependencies, query: URLSearchParams) {
  const { Conversation, answeringModel } = await import('../../live/voice/conversation.ts');
  const caller = callerOf(deps, query);
  const { asr, notice } = await recognition(deps);
  const { engine } = voiceRow(deps.views);
  const { language } = caller.speech;
  const model = answeringModel(deps, caller);
  const ready: ServerFrame = { type: 'ready', asr, tts: 'batch', engine, language, ...model };
  return { Conversation, caller, ready, notice };
}

function callerOf(deps: DuplexSocketDependencies, query: URLSearchParams): CallerSettings {
  const parameter = (name: string): string => query.get(name)?.trim() ?? '';
  return {
    provider: parameter('provider'),
    model: parameter('model'),
    speech: { voice: parameter('voice'), language: parameter('language') || spokenLanguage(deps), context: '' },
  };
}

async function recognition(deps: DuplexSocketDependencies) {
  try {
    const engine = await deps.speech.transcriber(deps.config.voice_prefer_local);
    return { asr: engine === 'cloud_asr' ? 'asr-server' : 'asr-cli', notice: null } as const;
  } catch (error) {
    if (!(error instanceof SpeechUnavailable)) throw error;
    return { asr: null, notice: error.message } as const;
  }
}

function converse(
  deps: DuplexSocketDependencies,
  client: WebSocket,
  { Conversation, caller, ready, notice }: Ready,
): MessageListener {
  const send = (frame: ServerFrame): void => client.send(JSON.stringify(frame));
  send(ready);
  if (notice !== null) send({ type: 'notice', message: notice });
  send({ type: 'state', state: 'listening' });
  const conversation = new Conversation(deps, { send, sendAudio: (frames) => sendAudio(client, frames) }, caller);
  client.on('error', () => client.terminate());
  pingUntilClosed(client, () => conversation.end());
  return (data, isBinary) => {
    if (isBinary) conversation.acceptSound(data);
    else conversation.acceptControl(data.toString('utf8'));
  };
}

async function sendAudio(client: WebSocket, frames: readonly Buffer[]): Promise<void> {
  const last = frames.length - 1;
  using _late = setTimeout(() => client.terminate(), TAKE_MS_MAX);
  await new Promise<void>((done) => {
    if (last < 0) done();
    frames.forEach((frame, at) => void client.send(frame, at === last ? () => done() : undefined));
  });
}
