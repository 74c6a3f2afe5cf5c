/**
 * Model-based testing over HTTP: random steps, kills and restarts of a daemon beside a model of what it should hold. A
 * failure is shrunk to few steps, and its error ends with one line that replays it.
 *
 * - A step sends its request to the daemon and compares the answer with the model, which it changes.
 * - A step with `unanswered` is also cut off by a kill while its request is under way: the model then learns whether it
 *   took effect. Whatever was answered must be there after a restart.
 */
import fc from 'fast-check';
import { DaybookError } from '../client/errors.ts';
import { NotRunning, startTestDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';

export interface Step<Model, Input> {
  /** For the list of steps in an error. */
  readonly name: string;
  readonly input: fc.Arbitrary<Input>;
  /** Whether the step can be taken; default: always. */
  readonly when?: (model: Model, input: Input) => boolean;
  /** Sends the request, throws when the answer is not what the model says, and changes the model. */
  readonly run: (model: Model, daemon: TestDaemon, input: Input) => Promise<void>;
  /**
   * After a kill before the answer came, and a restart: throws unless the request took effect wholly or not at all, and
   * changes the model in the first case. `run` must change the model only after the answer.
   */
  readonly unanswered?: (model: Model, daemon: TestDaemon, input: Input) => Promise<void>;
}

/** A step of a model with its input kept inside, so that steps of different inputs stand in one list. */
export interface AnyStep<Model extends object> {
  readonly commands: readonly fc.Arbitrary<fc.AsyncCommand<Model, Trial>>[];
}

/** One daemon under test, and what was done to it. */
export interface Trial {
  readonly daemon: TestDaemon;
  readonly taken: string[];
  readonly holds: () => Promise<void>;
}

export interface ModelRunOptions<Model extends object> {
  readonly model: () => Model;
  readonly steps: readonly AnyStep<Model>[];
  /** What must be true after every step, kill and restart; throws when it is not. */
  readonly holds?: (model: Model, daemon: TestDaemon) => Promise<void>;
  readonly daemon?: TestDaemonOptions;
  /** Kills and restarts among the steps; default true. */
  readonly crashes?: boolean;
  /** Default 30. */
  readonly runs?: number;
  /** Steps of one run at most; default 20. */
  readonly stepsMax?: number;
  /** Default: another one each time. */
  readonly seed?: number;
  /** The replay of an earlier failure; default: the environment variable DAYBOOK_REPLAY. */
  readonly replay?: string | undefined;
}

const RUNS = 30;
const STEPS_MAX = 20;
/** Changes of the disk before a kill that cuts a request off: more than a small request makes. */
const CHANGES_MAX = 8;

/** Declares a step. */
export function step<Model extends object, Input>(declared: Step<Model, Input>): AnyStep<Model> {
  const whole = declared.input.map((input) => taken(declared, input));
  if (declared.unanswered === undefined) return { commands: [whole] };
  const drawn = fc.record({ input: declared.input, change: fc.nat(CHANGES_MAX) });
  return { commands: [whole, drawn.map((cut) => cutOff(declared, cut))] };
}

/** Runs random steps; rejects with a shrunk list of steps that fails, and the line that replays it. */
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
  const told = toldOf(declared, input);
  return {
    check: (model) => declared.when?.(model, input) ?? true,
    async run(model, { daemon, taken, holds }) {
      taken.push(told);
      await declared.run(model, daemon, input);
      await holds();
    },
    toString: () => told,
  };
}

function cutOff<Model extends object, Input>(
  declared: Step<Model, Input>,
  { input, change }: { readonly input: Input; readonly change: number },
): Taken<Model> {
  const told = `${toldOf(declared, input)}, killed at change ${change} of the disk`;
  return {
    check: (model) => declared.when?.(model, input) ?? true,
    async run(model, { daemon, taken, holds }) {
      taken.push(told);
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
    toString: () => told,
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

function toldOf<Model, Input>({ name }: Step<Model, Input>, input: Input): string {
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

/** What fast-check tells of a failure. */
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
    ...failed.map((told, index) => `  ${index + 1}. ${told}`),
    message,
    `Replay: DAYBOOK_REPLAY='${outcome.seed},${outcome.counterexamplePath},${steps}'`,
  ];
  return new Error(lines.join('\n'), { cause });
}
