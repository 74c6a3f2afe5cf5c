/**
 * `/ws/voice/duplex`: speech in, speech out. Binary frames in are 16 kHz mono 16-bit PCM, out a sample rate and floats;
 * text frames are JSON.
 *
 * - What a conversation needs is loaded when somebody calls.
 * - A caller that does not take what is said to it is hung up on: nothing waits for it without end.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Caller, Line } from '../../live/voice/conversation.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { voiceRow } from '../../projections/voice.ts';
import type { House } from '../house.ts';
import { refuseUpgrade } from '../server/connections.ts';
import { HttpError } from '../server/errors.ts';
import { closeWebSockets, createWebSocketServer } from '../server/websocket-server.ts';
import { spokenLanguage } from './transcribe.ts';

const PATH = '/ws/voice/duplex';
/** A context of 32k characters, however it is escaped, or half a minute of sound. */
const FRAME_BYTES_MAX = 1_048_576;
/** Conversations at once, in all. */
const CALLERS_MAX = 16;
const PING_MS = 15_000;
/** How long a caller may take for one sentence. */
const TAKE_MS_MAX = 30_000;
const BUSY = { 'retry-after': '5' };

export interface DuplexSockets {
  /** Takes the handshake when it is one of these; the caller has let it in. Throws `HttpError` for a bad one. */
  upgrade(url: URL, request: IncomingMessage, connection: { socket: Duplex; head: Buffer }): boolean;
  close(): void;
}

export function duplexSockets(house: House): DuplexSockets {
  const sockets = createWebSocketServer(FRAME_BYTES_MAX);
  let callers = 0;
  return {
    upgrade(url, request, { socket, head }) {
      if (url.pathname !== PATH) return false;
      const unavailable = house.viewsUnavailable();
      if (unavailable !== null) throw new HttpError(503, unavailable);
      if (callers >= CALLERS_MAX) throw new HttpError(503, `At most ${CALLERS_MAX} conversations go on at once.`, BUSY);
      callers += 1;
      socket.once('close', () => {
        callers -= 1;
      });
      prepare(house, url.searchParams)
        .then((ready) => sockets.handleUpgrade(request, socket, head, (client) => talk(house, client, ready)))
        .catch((error: unknown) => refuseUpgrade(socket, error));
      return true;
    },
    close() {
      closeWebSockets(sockets);
    },
  };
}

type Ready = Awaited<ReturnType<typeof prepare>>;

/** All that has to be waited for: when the handshake is answered, the first frame is heard. */
async function prepare(house: House, query: URLSearchParams) {
  const { converse, answeringModel } = await import('../../live/voice/conversation.ts');
  const caller = callerOf(house, query);
  const { asr, notice } = await recogniser(house);
  const { engine } = voiceRow(house.views);
  const { language } = caller.manners;
  const ready = { type: 'ready', asr, tts: 'batch', engine, language, ...answeringModel(house, caller) } as const;
  return { converse, caller, ready, notice };
}

function callerOf(house: House, query: URLSearchParams): Caller {
  const given = (name: string): string => query.get(name)?.trim() ?? '';
  return {
    provider: given('provider'),
    model: given('model'),
    manners: { voice: given('voice'), language: given('language') || spokenLanguage(house), context: '' },
  };
}

async function recogniser(house: House) {
  try {
    const engine = await house.speech.transcriber(house.config.voice_prefer_local);
    return { asr: engine === 'cloud_asr' ? 'asr-server' : 'asr-cli', notice: null } as const;
  } catch (error) {
    if (!(error instanceof SpeechUnavailable)) throw error;
    return { asr: 'asr-cli', notice: error.message } as const;
  }
}

function talk(house: House, client: WebSocket, { converse, caller, ready, notice }: Ready): void {
  const send = (frame: object): void => client.send(JSON.stringify(frame));
  const line: Line = { send, sendAudio: (frames) => taken(client, frames) };
  send(ready);
  if (notice !== null) send({ type: 'notice', message: notice });
  send({ type: 'state', state: 'listening' });
  const conversation = converse(house, line, caller);
  const ping = setInterval(() => client.ping(), PING_MS).unref();
  client.on('message', (data: Buffer, binary: boolean) => {
    if (binary) conversation.sound(data);
    else conversation.control(data.toString('utf8'));
  });
  client.on('error', () => client.terminate());
  client.on('close', () => {
    clearInterval(ping);
    conversation.end();
  });
}

async function taken(client: WebSocket, frames: readonly Buffer[]): Promise<void> {
  const last = frames.length - 1;
  const late = setTimeout(() => client.terminate(), TAKE_MS_MAX);
  try {
    await new Promise<void>((done) => {
      if (last < 0) done();
      frames.forEach((frame, at) => void client.send(frame, at === last ? () => done() : undefined));
    });
  } finally {
    clearTimeout(late);
  }
}
