/** The recorded model calls of a run: the frames of each finished call, by the hash of its request. */
import { isDeepStrictEqual } from 'node:util';
import type { DataOf } from '../../events/define.ts';
import type { HarnessSettings } from '../../events/harness.ts';
import type { Frame, RunEvent } from '../../events/run/events.ts';

type Answered = DataOf<RunEvent, 'ModelAnswered'>;

interface Finish {
  readonly type: 'finish';
  readonly reason: Answered['finish_reason'];
  readonly usage: Answered['usage'];
}

export interface Asked {
  readonly provider: string;
  readonly model: string;
  readonly settings: HarnessSettings;
}

export interface RunRecording {
  /** The distinct models and settings of the run, newest first: a resumed run may use others. */
  readonly asked: readonly Asked[];
  /** Settings of the newest call. */
  readonly settings: HarnessSettings;
  readonly answers: ReadonlyMap<string, readonly (Frame | Finish)[]>;
}

/** undefined when the run has no model call. A call with an erased event has no answer. */
export function recordingOf(events: Iterable<RunEvent & { readonly erased?: true }>): RunRecording | undefined {
  const answers = new Map<string, readonly (Frame | Finish)[]>();
  let asked: readonly Asked[] = [];
  let call: { readonly hash: string; readonly frames: Frame[] } | null = null;
  for (const event of events) {
    if (event.type === 'ModelAsked' || event.erased === true) call = null;
    if (event.erased === true) continue;
    if (event.type === 'ModelAsked') {
      const { provider, model, settings, request_hash: hash } = event.data;
      const now = { provider, model, settings };
      asked = [now, ...asked.filter((before) => !isDeepStrictEqual(before, now))];
      call = { hash, frames: [] };
    } else if (event.type === 'ModelFramesReceived') call?.frames.push(...event.data.frames);
    else if (event.type === 'ModelAnswered' && call !== null) {
      const { finish_reason: reason, usage } = event.data;
      answers.set(call.hash, [...call.frames, { type: 'finish', reason, usage }]);
    }
  }
  const [newest] = asked;
  return newest && { asked, settings: newest.settings, answers };
}
