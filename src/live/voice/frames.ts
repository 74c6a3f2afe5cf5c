/** The text frames of a conversation's socket: one JSON object each, with its `type`. */
import { z } from 'zod';

/** From the client. */
export const zClientFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('set_voice'), id: z.string() }),
  z.object({ type: z.literal('set_language'), lang: z.string().nullish() }),
  z.object({ type: z.literal('set_context'), context: z.string() }),
]);

const zDuplexState = z.enum(['listening', 'hearing', 'thinking', 'speaking']);
export type DuplexState = z.infer<typeof zDuplexState>;

const zMs = z.int().nonnegative();

/** To the client, in the course of the turns. */
const zTurnFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: zDuplexState }),
  z.object({ type: z.literal('transcript'), text: z.string(), asr_ms: zMs, lang: z.string().nullable() }),
  z.object({ type: z.literal('speaking'), text: z.string() }),
  z.object({ type: z.literal('flush') }),
  z.object({ type: z.literal('carried'), text: z.string() }),
  z.object({ type: z.literal('latency'), first_audio_ms: zMs }),
  z.object({
    type: z.literal('reply'),
    text: z.string(),
    asr_ms: zMs,
    first_audio_ms: zMs.nullable(),
    llm_ttft_ms: zMs,
    total_ms: zMs,
  }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);
export type TurnFrame = Readonly<z.infer<typeof zTurnFrame>>;

const zNotice = z.object({ type: z.literal('notice'), message: z.string() });

const zReady = z.object({
  type: z.literal('ready'),
  asr: z
    .enum(['asr-cli', 'asr-server'])
    .nullable()
    .describe('null: nothing here can write speech down, and a `notice` says what to install.'),
  tts: z.enum(['batch', 'streaming']),
  engine: z.string(),
  language: z.string(),
  provider: z.string(),
  model: z.string(),
});

/** To the client: `ready` first. */
export const zServerFrame = z.discriminatedUnion('type', [zReady, zNotice, ...zTurnFrame.options]);
export type ServerFrame = Readonly<z.infer<typeof zServerFrame>>;
