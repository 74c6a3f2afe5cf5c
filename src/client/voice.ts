/** A voice conversation: sound and control frames in both directions. */
import type { Daemon } from './connection.ts';
import { DaybookError } from './errors.ts';
import { type HasDaemon, openSocket, type Socket, type SocketOptions } from './web-socket.ts';

export type { Daemon, HasDaemon, Socket, SocketOptions };

export interface VoiceOptions extends SocketOptions {
  /** Give both `provider` and `model`, or neither. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly language?: string | undefined;
  readonly voice?: string | undefined;
  /** A frame of JSON: `ready`, `state`, `transcript`, `notice` and so on, as docs/voice.md lists them. */
  readonly onFrame: (frame: { readonly type: string; readonly [name: string]: unknown }) => void;
  /** Sound to play, mono. */
  readonly onSound: (samples: Float32Array, sampleRateHz: number) => void;
  readonly onClose?: ((why: { readonly code: number; readonly reason: string }) => void) | undefined;
}

export interface Voice {
  /** 16 kHz mono, 16 bits per sample, little endian. */
  sendSound(samples: Int16Array<ArrayBuffer>): void;
  send(frame: { readonly type: string; readonly [name: string]: unknown }): void;
  close(): void;
}

/** Resolves when the connection is open. Rejects with `DaybookError`, or with the reason of the signal. */
export async function openVoice(client: HasDaemon, options: VoiceOptions): Promise<Voice> {
  const { provider, model, language, voice, signal, onFrame, onSound, onClose } = options;
  const query = { provider, model, language, voice };
  const socket = await openSocket(client, '/ws/voice/duplex', { ...options, query });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onFrame(JSON.parse(data));
    else onSound(new Float32Array(data, 4), new DataView(data).getUint32(0, true));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('close', ({ code, reason }) => {
      const error = `The conversation was refused: ${code} ${reason}`.trimEnd();
      reject(signal?.aborted === true ? signal.reason : new DaybookError({ status: 0, error }));
      onClose?.({ code, reason });
    });
  });
  // A microphone may still deliver sound while the connection is closing.
  const send = (data: string | Int16Array<ArrayBuffer>): void => {
    if (socket.readyState === 1) socket.send(data);
  };
  return { sendSound: send, send: (frame) => send(JSON.stringify(frame)), close: () => socket.close() };
}
