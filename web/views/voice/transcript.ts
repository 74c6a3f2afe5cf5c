/** The transcript of a conversation, folded from the frames of the socket. */

export interface Heard {
  readonly kind: 'heard';
  readonly text: string;
  /** How long the transcription took, in milliseconds. */
  readonly asrMs: number;
  /** The recognised language; empty if it was set. */
  readonly language: string;
}

export interface Reply {
  readonly kind: 'reply';
  /** The sentences spoken so far, or the whole text at the end. */
  readonly text: string;
  readonly status: 'open' | 'done' | 'interrupted';
  /** From the end of speech to the first sound; null if nothing was spoken. */
  readonly firstAudioMs: number | null;
  /** From the question to the first word of the model. */
  readonly firstWordMs: number | null;
  readonly totalMs: number | null;
}

/** Further data from the daemon. */
export interface Told {
  readonly kind: 'carried' | 'error';
  readonly text: string;
}

export type Entry = Heard | Reply | Told;

export interface Frame {
  readonly type: string;
  readonly [name: string]: unknown;
}

const EMPTY: Reply = {
  kind: 'reply',
  text: '',
  status: 'open',
  firstAudioMs: null,
  firstWordMs: null,
  totalMs: null,
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const msOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Frames that are not about the transcript leave the entries unchanged. */
export function foldFrame(entries: readonly Entry[], frame: Frame): readonly Entry[] {
  const text = textOf(frame.text);
  switch (frame.type) {
    case 'transcript':
      return [...ended(entries), { kind: 'heard', text, asrMs: msOf(frame.asr_ms) ?? 0, language: textOf(frame.lang) }];
    case 'speaking':
      return changed(entries, (reply) => ({ ...reply, text: reply.text === '' ? text : `${reply.text} ${text}` }));
    case 'latency':
      return changed(entries, (reply) => ({ ...reply, firstAudioMs: msOf(frame.first_audio_ms) }));
    case 'reply':
      return changed(entries, () => ({
        kind: 'reply',
        text,
        status: 'done',
        firstAudioMs: msOf(frame.first_audio_ms),
        firstWordMs: msOf(frame.llm_ttft_ms),
        totalMs: msOf(frame.total_ms),
      }));
    case 'flush':
      return entries.some(isOpen) ? changed(entries, (reply) => ({ ...reply, status: 'interrupted' })) : entries;
    case 'carried':
      return [...entries, { kind: 'carried', text }];
    case 'error':
      return [...entries, { kind: 'error', text: textOf(frame.message) }];
  }
  return entries;
}

function isOpen(entry: Entry): entry is Reply {
  return entry.kind === 'reply' && entry.status === 'open';
}

/** A failed answer has no last frame. */
function ended(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => (isOpen(entry) ? { ...entry, status: 'done' } : entry));
}

/** Changes the current reply; begins one if there is none. */
function changed(entries: readonly Entry[], change: (reply: Reply) => Reply): readonly Entry[] {
  if (!entries.some(isOpen)) return [...entries, change(EMPTY)];
  return entries.map((entry) => (isOpen(entry) ? change(entry) : entry));
}
