/**
 * `/ws/voice/duplex`: speech in, speech out. Binary frames in are 16 kHz mono 16-bit PCM, out a sample rate and floats;
 * text frames are JSON.
 *
 * - The modules of a conversation are loaded with the first connection.
 * - A client that does not take the sound within TAKE_MS_MAX is disconnected.
 */
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { CallerSettings, ConversationParts } from '../../live/voice/conversation.ts';
import { type ServerFrame, zClientFrame, zServerFrame } from '../../live/voice/frames.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { voiceRow } from '../../projections/voice.ts';
import { spokenLanguage } from '../../queries/voice/spoken-language.ts';
import { HttpError, retryLater } from '../server/errors.ts';
import type { SocketSpec } from '../server/sockets.ts';
import { type MessageListener, pingUntilClosed } from '../server/websocket-server.ts';

export interface Dependencies extends ConversationParts {
  readonly config: ConversationParts['config'] & { readonly voice_language: string };
  viewsUnavailable(): string | null;
}

/** Enough for a context of 32k escaped characters, or for half a minute of sound. */
const FRAME_BYTES_MAX = 1_048_576;
const CALLERS_MAX = 16;

/** How long a client may take to receive one sentence. */
const TAKE_MS_MAX = 30_000;

export function duplexSocket(deps: Dependencies): SocketSpec {
  let callers = 0;
  return {
    tag: 'voice',
    operation: 'converse',
    path: '/ws/voice/duplex',
    summary: 'A spoken conversation: speech in, speech out, interrupted by speech.',
    auth: 'query-token',
    query: z.object({
      provider: z.string().optional().describe('With `model`: who answers.'),
      model: z.string().optional(),
      language: z.string().optional().describe('`auto`, or a code.'),
      voice: z.string().optional().describe('The id of a voice.'),
    }),
    toClient: { text: zServerFrame, binary: 'A little-endian u32 sample rate, then f32 samples.' },
    fromClient: { text: zClientFrame, binary: '16 kHz mono little-endian signed 16-bit PCM.' },
    frameBytesMax: FRAME_BYTES_MAX,
    async open({ query, socket, accept }) {
      const unavailable = deps.viewsUnavailable();
      if (unavailable !== null) throw new HttpError(503, unavailable);
      if (callers >= CALLERS_MAX) throw retryLater(`At most ${CALLERS_MAX} conversations go on at once.`);
      callers += 1;
      socket.once('close', () => {
        callers -= 1;
      });
      const ready = await prepare(deps, query);
      accept((client) => converse(deps, client, ready));
    },
  };
}

type Ready = Awaited<ReturnType<typeof prepare>>;

/** Everything asynchronous happens before the handshake is answered, so that no frame of the client is missed. */
async function prepare(deps: Dependencies, query: URLSearchParams) {
  const { Conversation, answeringModel } = await import('../../live/voice/conversation.ts');
  const caller = callerOf(deps, query);
  const { asr, notice } = await recognition(deps);
  const { engine } = voiceRow(deps.views);
  const { language } = caller.speech;
  const model = answeringModel(deps, caller);
  const ready: ServerFrame = { type: 'ready', asr, tts: 'batch', engine, language, ...model };
  return { Conversation, caller, ready, notice };
}

function callerOf(deps: Dependencies, query: URLSearchParams): CallerSettings {
  const parameter = (name: string): string => query.get(name)?.trim() ?? '';
  return {
    provider: parameter('provider'),
    model: parameter('model'),
    speech: { voice: parameter('voice'), language: parameter('language') || spokenLanguage(deps), context: '' },
  };
}

async function recognition(deps: Dependencies) {
  try {
    const engine = await deps.speech.transcriber(deps.config.voice_prefer_local);
    return { asr: engine === 'cloud_asr' ? 'asr-server' : 'asr-cli', notice: null } as const;
  } catch (error) {
    if (!(error instanceof SpeechUnavailable)) throw error;
    return { asr: null, notice: error.message } as const;
  }
}

function converse(
  deps: Dependencies,
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
