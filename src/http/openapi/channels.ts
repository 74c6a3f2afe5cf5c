/** The WebSocket channels of the daemon, for the AsyncAPI document; `sockets.ts` serves them. */
import { z } from 'zod';
import { zEnvelope } from '../../events/envelope.ts';
import { zTextFrame } from '../../live/room/frames.ts';
import { zClientFrame, zServerFrame } from '../../live/voice/frames.ts';
import { zDaemonFrame } from '../../ports/delegates.ts';
import { zOwnTools, zResult } from '../acp/client-tools-socket.ts';

export interface ChannelSpec {
  readonly tag: string;
  /** `tag.operation` is the name of the channel. */
  readonly operation: string;
  readonly path: string;
  readonly summary: string;
  readonly auth: 'bearer' | 'query-token';
  readonly params?: Readonly<Record<string, string>>;
  readonly query: z.ZodType;
  readonly toClient: Frames;
  readonly fromClient: Frames;
}

interface Frames {
  /** JSON objects in text frames. Each variant of a union is a message, named after its `type`. */
  readonly text?: z.ZodType;
  /** Describes the binary frames. */
  readonly binary?: string;
}

const zToken = z.string().describe('The bearer token.');

export const CHANNELS: readonly ChannelSpec[] = [
  {
    tag: 'rooms',
    operation: 'join',
    path: '/ws/collab/{room_id}',
    summary: 'A peer of a room: updates of the shared texts, and who is there.',
    auth: 'query-token',
    params: { room_id: 'Of 1 to 200 bytes; a room that does not exist is created.' },
    query: z.object({ token: zToken, name: z.string().optional().describe('Shown to the others.') }),
    toClient: {
      text: zTextFrame,
      binary: 'A tag byte, then bytes of Yjs v1: 0 a state vector, 1 what it lacks, 2 an update. Others are passed on.',
    },
    fromClient: {
      text: zTextFrame,
      binary: 'A tag byte, then bytes of Yjs v1: 0 a state vector, 1 what it lacks, 2 an update. Others are passed on.',
    },
  },
  {
    tag: 'rooms',
    operation: 'sync',
    path: '/ws/yjs/{room_id}',
    summary: 'A peer of the same room with the y-websocket protocol, as the stock provider speaks it.',
    auth: 'query-token',
    params: { room_id: 'As for `/ws/collab/{room_id}`.' },
    query: z.object({ token: zToken, name: z.string().optional().describe('Shown to the others.') }),
    toClient: { binary: 'A message of y-websocket: a varint type, then sync or awareness.' },
    fromClient: { binary: 'A message of y-websocket: a varint type, then sync or awareness.' },
  },
  {
    tag: 'voice',
    operation: 'converse',
    path: '/ws/voice/duplex',
    summary: 'A spoken conversation: speech in, speech out, interrupted by speech.',
    auth: 'query-token',
    query: z.object({
      token: zToken,
      provider: z.string().optional().describe('With `model`: who answers.'),
      model: z.string().optional(),
      language: z.string().optional().describe('`auto`, or a code.'),
      voice: z.string().optional().describe('The id of a voice.'),
    }),
    toClient: { text: zServerFrame, binary: 'A little-endian u32 sample rate, then f32 samples.' },
    fromClient: { text: zClientFrame, binary: '16 kHz mono little-endian signed 16-bit PCM.' },
  },
  {
    tag: 'log',
    operation: 'socket',
    path: '/v1/events/ws',
    summary: 'The envelopes of the log: history, then live, without end.',
    auth: 'bearer',
    query: z.object({ after: z.int().nonnegative().default(0).describe('The position to go on after.') }),
    toClient: { text: zEnvelope },
    fromClient: {},
  },
  {
    tag: 'acp',
    operation: 'tools',
    path: '/acp/v1/sessions/{id}/tools',
    summary: 'The client carries out the named tools of a session.',
    auth: 'bearer',
    params: { id: 'The session.' },
    query: z.object({
      names: z.string().optional().describe('Names of tools, separated by commas.'),
      brings: z.enum(['tools']).optional().describe('The first frame of the client is `tools`.'),
    }),
    toClient: { text: zDaemonFrame },
    fromClient: { text: z.discriminatedUnion('type', [zOwnTools, zResult]) },
  },
];
