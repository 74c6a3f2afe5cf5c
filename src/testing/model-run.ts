/**
 * Model-based testing over HTTP: random steps, kills and restarts of a daemon, compared with a model of its expected
 * state. A failure is shrunk to few steps, and its error ends with one line that replays it.
 *
 * - A step sends its request to the daemon, compares the answer with the model, and updates the model.
 * - A step with `unanswered` is also interrupted by a kill during its request: the model is then updated according to
 *   whether the request took effect. Answered requests must have taken effect after a restart.
 */
import fc from 'fast-check';
import { DaybookError } from '../client/errors.ts';
import { NotRunning, startTestDaemon } from './daemon.ts';
import type { TestDaemon, TestDaemonOptions } from './test-daemon.ts';

export interface Step<Model, Input> {
  /** Names the step in errors. */
  readonly name: string;
  readonly input: fc.Arbitrary<Input>;
  /** Whether the step can be taken; default: always. */
  readonly when?: (model: Model, input: Input) => boolean;
  /** Sends the request, throws if the answer differs from the model, and updates the model. */
  readonly run: (model: Model, daemon: TestDaemon, input: Input) => Promise<void>;
  /**
   * Called after a kill before the answer, and a restart: throws unless the request took effect completely or not at
   * all, and updates the model in the first case. `run` must update the model only after the answer.
   */
  readonly unanswered?: (model: Model, daemon: TestDaemon, input: Input) => Promise<void>;
}

/** A step without its input type, so that steps with different inputs fit in one list. */
export interface AnyStep<Model extends object> {
  readonly commands: readonly fc.Arbitrary<fc.AsyncCommand<Model, Trial>>[];
}

/** One daemon under test, and the steps taken so far. */
export interface Trial {
  readonly daemon: TestDaemon;
  readonly taken: string[];
  readonly holds: () => Promise<void>;
}

export interface ModelRunOptions<Model extends object> {
  readonly model: () => Model;
  readonly steps: readonly AnyStep<Model>[];
  /** Checked after every step, kill and restart; throws if the daemon differs from the model. */
  readonly holds?: (model: Model, daemon: TestDaemon) => Promise<void>;
  readonly daemon?: TestDaemonOptions;
  /** Whether kills and restarts occur among the steps; default true. */
  readonly crashes?: boolean;
  /** Default 30. */
  readonly runs?: number;
  /** The most steps of one run; default 20. */
  readonly stepsMax?: number;
  /** Default: random. */
  readonly seed?: number;
  /** The replay line of an earlier failure; default: the environment variable DAYBOOK_REPLAY. */
  readonly replay?: string | undefined;
}

const RUNS = 30;
const STEPS_MAX = 20;
/** Changes of the disk before a kill that interrupts a request: more than a small request makes. */
const CHANGES_MAX = 8;

/** Declares a step. */
export function step<Model extends object, Input>(declared: Step<Model, Input>): AnyStep<Model> {
  const whole = declared.input.map((input) => taken(declared, input));
  if (declared.unanswered === undefined) return { commands: [whole] };
  const drawn = fc.record({ input: declared.input, change: fc.nat(CHANGES_MAX) });
  return { commands: [whole, drawn.map((cut) => cutOff(declared, cut))] };
}

/** Runs random steps; rejects with the shortest failing list of steps, and the line that replays it. */
export async function modelRun<Model extends object>(options: ModelRunOptions<Model>): Promise<void> {
  const { steps, crashes = true, runs = RUNS, stepsMax = STEPS_MAX } = options;
  const replay = replayOf(options.replay ?? process.env.DAYBOOK_REPLAY);
  const mishaps = crashes ? [fc.constant(mishap<Model>('kill')), fc.constant(mishap<Model>('restart'))] : [];
  const commands = fc.commands([...steps.flatMap((each) => each.commands), ...mishaps], {
    maxCommands: stepsMax,
    size: 'max',
    ...(replay !== null && { replayPath: replay.steps }),
  });
  let failed: readonly string[] = [];
  const property = fc.asyncProperty(commands, async (drawn) => {
    await using daemon = await startTestDaemon(options.daemon);
    const taken: string[] = [];
    const model = options.model();
    const holds = async (): Promise<void> => options.holds?.(model, daemon);
    try {
      await fc.asyncModelRun(() => ({ model, real: { daemon, taken, holds } }), drawn);
    } catch (error) {
      failed = taken;
      throw error;
    }
  });
  const place = replay === null ? {} : { seed: replay.seed, path: replay.path, endOnFailure: true };
  const seed = options.seed === undefined ? {} : { seed: options.seed };
  const outcome = await fc.check(property, { numRuns: runs, ...seed, ...place });
  if (outcome.failed) throw failureOf(outcome, failed);
}

type Taken<Model extends object> = fc.AsyncCommand<Model, Trial>;

function taken<Model extends object, Input>(declared: Step<Model, Input>, input: Input): Taken<Model> {
  const label = labelOf(declared, input);
  return {
    check: (model) => declared.when?.(model, input) ?? true,
    async run(model, { daemon, taken, holds }) {
      taken.push(label);
      await declared.run(model, daemon, input);
      await holds();
    },
    toString: () => label,
  };
}

function cutOff<Model extends object, Input>(
  declared: Step<Model, Input>,
  { input, change }: { readonly input: Input; readonly change: number },
): Taken<Model> {
  const label = `${labelOf(declared, input)}, killed at change ${change} of the disk`;
  return {
    check: (model) => declared.when?.(model, input) ?? true,
    async run(model, { daemon, taken, holds }) {
      taken.push(label);
      const answered = declared.run(model, daemon, input).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      await daemon.killAt(change, answered);
      const failed = await answered;
      await daemon.restart();
      if (failed !== null && !isUnanswered(failed.error)) throw failed.error;
      if (failed !== null) await declared.unanswered?.(model, daemon, input);
      await holds();
    },
    toString: () => label,
  };
}

function mishap<Model extends object>(kind: 'kill' | 'restart'): Taken<Model> {
  return {
    check: () => true,
    async run(_model, { daemon, taken, holds }) {
      taken.push(kind);
      if (kind === 'kill') await daemon.kill();
      await daemon.restart();
      await holds();
    },
    toString: () => kind,
  };
}

function labelOf<Model, Input>({ name }: Step<Model, Input>, input: Input): string {
  return input === undefined ? name : `${name} ${fc.stringify(input)}`;
}

/** When a connection breaks, `fetch` rejects with a TypeError and the typed client with status 0. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof DaybookError) return error.status === 0;
  return error instanceof NotRunning || error instanceof TypeError;
}

interface Replay {
  readonly seed: number;
  readonly path: string;
  readonly steps: string;
}

function replayOf(line: string | undefined): Replay | null {
  if (line === undefined || line === '') return null;
  const [seed = '', path = '', steps = ''] = line.split(',');
  if (steps === '' || !Number.isInteger(Number(seed)))
    throw new Error(`'${line}' replays nothing: it is cut or changed.`);
  return { seed: Number(seed), path, steps };
}

interface Outcome {
  readonly seed: number;
  readonly counterexample: readonly unknown[] | null;
  readonly counterexamplePath: string | null;
  readonly errorInstance: unknown;
}

function failureOf(outcome: Outcome, failed: readonly string[]): Error {
  const steps = /replayPath="([^"]*)"/.exec(String(outcome.counterexample?.[0]))?.[1] ?? '';
  const cause = outcome.errorInstance;
  const message = cause instanceof Error ? cause.message : String(cause);
  const lines = [
    `The daemon and its model part after ${failed.length} ${failed.length === 1 ? 'step' : 'steps'}:`,
    ...failed.map((label, index) => `  ${index + 1}. ${label}`),
    message,
    `Replay: DAYBOOK_REPLAY='${outcome.seed},${outcome.counterexamplePath},${steps}'`,
  ];
  return new Error(lines.join('\n'), { cause });
}
