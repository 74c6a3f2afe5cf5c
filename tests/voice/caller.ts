/** A client of the duplex socket: it sends tones as speech, records every frame, and waits for expected ones. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { TestDaemon } from '../support/daemon.ts';
import { bytesOf, silence, tone } from './sound.ts';

export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Sound is kept as a frame of its own kind. */
export interface Audio extends Frame {
  readonly type: 'audio';
  readonly rate: number;
  readonly samples: Float32Array;
}

export interface DuplexCaller {
  readonly frames: Frame[];
  readonly socket: WebSocket;
  /** Types of what came so far; states by their name, neighbouring sounds as one. */
  types(): readonly string[];
  of(type: string): readonly Frame[];
  /** Resolves with the next frame of a type after those that were waited for before. */
  next(type: string, state?: string): Promise<Frame>;
  /** Half a second of a tone and silence enough to end it. */
  say(hertz: number): void;
  sound(samples: Int16Array): void;
  send(frame: unknown): void;
}

export async function call(daemon: TestDaemon, query: Record<string, string> = {}): Promise<DuplexCaller> {
  const { searchParams } = new URL('http://x');
  for (const [name, text] of Object.entries({ token: daemon.token, ...query })) searchParams.set(name, text);
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/ws/voice/duplex?${searchParams}`);
  const frames: Frame[] = [];
  let came = Promise.withResolvers<void>();
  let looked = 0;
  socket.on('message', (data: Buffer, binary: boolean) => {
    frames.push(binary ? audioOf(data) : (JSON.parse(String(data)) as Frame));
    came.resolve();
    came = Promise.withResolvers();
  });
  await once(socket, 'open');
  const caller: DuplexCaller = {
    frames,
    socket,
    types: () =>
      frames
        .map((frame) => (frame.type === 'state' ? `[${frame.state}]` : frame.type))
        .filter((type, at, all) => type !== 'audio' || all[at - 1] !== 'audio'),
    of: (type) => frames.filter((frame) => frame.type === type),
    async next(type, state) {
      for (;;) {
        for (; looked < frames.length; looked += 1) {
          const frame = frames[looked]!;
          if (frame.type !== type || (state !== undefined && frame.state !== state)) continue;
          looked += 1;
          return frame;
        }
        await came.promise;
      }
    },
    say(hertz) {
      caller.sound(tone(500, { hertz }));
      caller.sound(silence(620));
    },
    sound(samples) {
      const bytes = bytesOf(samples);
      // Cut anywhere, as clients do.
      for (let at = 0; at < bytes.length; at += 3_001) socket.send(bytes.subarray(at, at + 3_001));
    },
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
  };
  await caller.next('state', 'listening');
  return caller;
}

function audioOf(data: Buffer): Audio {
  const samples = new Float32Array((data.length - 4) / 4);
  for (let at = 0; at < samples.length; at += 1) samples[at] = data.readFloatLE(4 + at * 4);
  return { type: 'audio', rate: data.readUInt32LE(0), samples };
}
