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

/** undefined when the run has no model call. */
export function recordingOf(events: Iterable<RunEvent & { readonly erased?: true }>): RunRecording | undefined {
  const answers = new Map<string, readonly (Frame | Finish)[]>();
  let askedModels: readonly Asked[] = [];
  let asked: DataOf<RunEvent, 'ModelAsked'> | undefined;
  let frames: Frame[] = [];
  for (const event of events) {
    if (event.erased === true) continue;
    if (event.type === 'ModelAsked') {
      asked = event.data;
      frames = [];
      const { provider, model, settings } = asked;
      const now = { provider, model, settings };
      askedModels = [now, ...askedModels.filter((before) => !isDeepStrictEqual(before, now))];
    } else if (event.type === 'ModelFramesReceived') frames.push(...event.data.frames);
    else if (event.type === 'ModelAnswered' && asked !== undefined) {
      const { finish_reason: reason, usage } = event.data;
      answers.set(asked.request_hash, [...frames, { type: 'finish', reason, usage }]);
    }
  }
  return asked === undefined ? undefined : { asked: askedModels, settings: asked.settings, answers };
}
