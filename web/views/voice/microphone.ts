/** The microphone of this device, as pieces of sound for the daemon's socket, or the reason why there is none. */
import { text as all } from '../../text.ts';

const text = all.voice.microphone;

/** The URL of the audio thread's script, inserted by the bundler. */
declare const CAPTURE_SCRIPT: string;

export interface Microphone {
  close(): void;
}

interface Hearing {
  /** 16 kHz, mono, 16 bits: 40 ms of it. */
  onSound(samples: Int16Array<ArrayBuffer>): void;
  /** Called when the device was unplugged, or the permission was revoked. */
  onLost(): void;
}

/** Without echo cancellation the assistant would interrupt itself. */
const WANTED = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 } as const;

/** Throws an error whose message tells the user what to do. */
export async function openMicrophone({ onSound, onLost }: Hearing): Promise<Microphone> {
  const stream = await streamOf().catch((error: unknown) => {
    throw new Error(sentenceOf(error));
  });
  const context = new AudioContext();
  const close = (): void => {
    for (const track of stream.getTracks()) track.stop();
    if (context.state !== 'closed') void context.close();
  };
  try {
    await context.audioWorklet.addModule(CAPTURE_SCRIPT);
  } catch {
    close();
    throw new Error(text.failed);
  }
  const capture = new AudioWorkletNode(context, 'capture', { channelCount: 1, channelCountMode: 'explicit' });
  capture.port.onmessage = ({ data }: MessageEvent<Int16Array<ArrayBuffer>>) => onSound(data);
  // It plays silence: a node without a destination is not run.
  context.createMediaStreamSource(stream).connect(capture).connect(context.destination);
  for (const track of stream.getTracks()) track.addEventListener('ended', onLost);
  return { close };
}

async function streamOf(): Promise<MediaStream> {
  // Pages served over plain HTTP from another machine have none.
  if (!window.isSecureContext || navigator.mediaDevices === undefined) throw new Error(text.insecure);
  return navigator.mediaDevices.getUserMedia({ audio: WANTED });
}

function sentenceOf(error: unknown): string {
  const sentences: Readonly<Record<string, string>> = {
    NotAllowedError: text.denied,
    NotFoundError: text.none,
    NotReadableError: text.busy,
  };
  return error instanceof DOMException ? (sentences[error.name] ?? text.failed) : (error as Error).message;
}
