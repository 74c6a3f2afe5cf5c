/**
 * One voice conversation: the microphone's sound is sent to the daemon's socket, the received frames become the
 * transcript, and the received sound is played. Speech stops the playback (barge-in).
 *
 * - Push-to-talk: sound is sent while the button is held, followed by silence, which ends the utterance for the daemon.
 * - Hands-free: sound is sent all the time; the daemon detects the end of an utterance.
 */
import { signal } from '@preact/signals';
import { openVoice, type Voice } from '../../../src/client/voice.ts';
import { api } from '../../api.ts';
import { text as all } from '../../text.ts';
import { type Microphone, openMicrophone } from './microphone.ts';
import { Player } from './player.ts';
import { type Entry, type Frame, foldFrame } from './transcript.ts';

const text = all.voice;

export const MODES = ['push', 'free'] as const;
export type Mode = (typeof MODES)[number];

export type DuplexState = 'listening' | 'hearing' | 'thinking' | 'speaking';
const STATES: readonly DuplexState[] = ['listening', 'hearing', 'thinking', 'speaking'];

/** Longer than the silence that ends an utterance for the daemon. */
const SILENCE_SAMPLES = 12_800;
const ENTRIES_MAX = 200;
const LEVEL_MS = 100;
const LOUDEST = 0x7fff;

/** Outlives the view, so that the transcript is still there when the user returns. */
export const entries = signal<readonly Entry[]>([]);
export const phase = signal<'off' | 'starting' | 'on'>('off');
export const state = signal<DuplexState>('listening');
export const mode = signal<Mode>('push');
export const isHeld = signal(false);
/** The level of the microphone, from 0 to 1. */
export const level = signal(0);
/** The daemon's message about what it lacks. */
export const notices = signal<readonly string[]>([]);
/** Why the conversation did not begin, or ended. */
export const failure = signal<string | null>(null);

interface Open {
  voice: Voice | null;
  microphone: Microphone | null;
  readonly player: Player;
  /** Whether the daemon can transcribe speech, which it reports first. */
  hasEars: boolean;
  /** Resolves when the daemon has reported what it has and lacks. */
  readonly isTold: PromiseWithResolvers<void>;
  levelAt: number;
}

let open: Open | null = null;

export async function start(): Promise<void> {
  if (open !== null) return;
  phase.value = 'starting';
  failure.value = null;
  notices.value = [];
  const made: Open = {
    voice: null,
    microphone: null,
    player: new Player(),
    hasEars: false,
    isTold: Promise.withResolvers<void>(),
    levelAt: 0,
  };
  open = made;
  try {
    made.voice = await openVoice(api, {
      onFrame: (frame) => take(made, frame),
      onSound: (samples, rateHz) => made.player.play(samples as Float32Array<ArrayBuffer>, rateHz),
      onClose: () => end(made, made.voice === null ? text.refused : text.closed),
    });
    if (open !== made) return made.voice.close();
    await made.isTold.promise;
    if (!made.hasEars) return end(made, null);
    made.microphone = await openMicrophone({
      onSound: (samples) => hear(made, samples),
      onLost: () => end(made, text.microphone.lost),
    });
    if (open === made) phase.value = 'on';
    else made.microphone.close();
  } catch (error) {
    end(made, (error as Error).message);
  }
}

export function stop(): void {
  if (open !== null) end(open, null);
}

function end(made: Open, why: string | null): void {
  if (open !== made) return;
  open = null;
  failure.value = why;
  phase.value = 'off';
  state.value = 'listening';
  isHeld.value = false;
  level.value = 0;
  made.microphone?.close();
  made.player.close();
  made.voice?.close();
}

/** The push-to-talk button. Holding it stops the playback immediately. */
export function hold(held: boolean): void {
  if (open === null || held === isHeld.value) return;
  isHeld.value = held;
  if (held) open.player.flush();
  else open.voice?.sendSound(new Int16Array(SILENCE_SAMPLES));
}

/** A changed setting of the daemon also applies to the current conversation. */
export function tell(frame: Frame): void {
  open?.voice?.send(frame);
}

function hear(made: Open, samples: Int16Array<ArrayBuffer>): void {
  const now = performance.now();
  if (now - made.levelAt > LEVEL_MS) {
    made.levelAt = now;
    level.value = samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0) / LOUDEST;
  }
  if (mode.value === 'free' || isHeld.value) made.voice?.sendSound(samples);
}

function take(made: Open, frame: Frame): void {
  if (frame.type === 'ready') made.hasEars = frame.asr !== null;
  if (frame.type === 'notice') notices.value = [...notices.value, String(frame.message)];
  if (frame.type === 'state') {
    made.isTold.resolve();
    state.value = STATES.find((each) => each === frame.state) ?? state.value;
  }
  if (frame.type === 'flush') made.player.flush();
  entries.value = foldFrame(entries.value, frame).slice(-ENTRIES_MAX);
}
