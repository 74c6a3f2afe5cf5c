/**
 * Random histories, made by driving the real deciders: a move is a wish that is turned into a command when its turn
 * comes, so that most commands fit the state they meet, and some do not.
 */
import fc from 'fast-check';
import type { Decider } from '../../src/commands/decider.ts';
import { HARNESS_STREAM_ID, type HarnessCommand, harnessOverrides } from '../../src/commands/harness/decide.ts';
import { type PairingCommand, pairing } from '../../src/commands/pairing.ts';
import { Refused } from '../../src/commands/refusal.ts';
import { type RunCommand, run } from '../../src/commands/run/decide.ts';
import type { RunState } from '../../src/commands/run/state.ts';
import { type TaskCommand, task } from '../../src/commands/task.ts';
import type { Frame } from '../../src/events/run/events.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { IdGenerator } from '../../src/ports/id-generator.ts';
import type { CommandHandler } from '../../src/streams/command-handler.ts';
import { INPUTS, request } from '../support/run.ts';

/** A command on its way to one stream; the run's is made when its state is known. */
export type Move =
  | { readonly of: 'run'; readonly id: string; readonly make: (state: RunState) => RunCommand }
  | { readonly of: 'task'; readonly id: string; readonly command: TaskCommand }
  | { readonly of: 'harness'; readonly id: string; readonly command: HarnessCommand }
  | { readonly of: 'pairing'; readonly id: string; readonly command: PairingCommand };

// biome-ignore lint/suspicious/noExplicitAny: deciders of different types in one list; each move names its own.
type AnyDecider = Decider<any, any, any>;

export const DECIDERS: Readonly<Record<Move['of'], AnyDecider>> = { run, task, harness: harnessOverrides, pairing };

const id = (name: string): fc.Arbitrary<string> => fc.constantFrom(`${name}1`, `${name}2`);
const text = fc.string({ maxLength: 12, unit: 'grapheme' });
/** Mostly what the state waits for, sometimes the one before or after it. */
const drift = fc.constantFrom(0, 0, 0, 0, 0, -1, 1);

const frame: fc.Arbitrary<Frame> = fc.oneof(
  { weight: 2, arbitrary: text.map((said): Frame => ({ type: 'text', text: said })) },
  fc.record({ type: fc.constant('reasoning' as const), text, signature: fc.option(text) }),
  fc
    .record({
      id: fc.constantFrom('a', 'b', 'c', ''),
      name: fc.constantFrom('read_file', 'write_file', 'bash', 'update_plan', 'finish', 'unheard_of'),
      input: fc.constantFrom(
        {},
        { path: 'x' },
        { summary: 'done' },
        { steps: [{ description: 'one', status: 'pending' as const }] },
        { steps: [{ description: 'one', status: 'done' as const }] },
      ),
    })
    .map((call): Frame => ({ type: 'tool_call', call })),
);

const wanted = fc
  .record({
    approval: fc.constantFrom('suggest', 'auto-edit', 'full-auto', 'chat-only'),
    max_steps: fc.constantFrom(0, 2, 50),
    max_step_extensions: fc.constantFrom(0, 1),
    continuations_max: fc.constantFrom(0, 3),
    task: fc.constantFrom('look around', 'look again', ' '),
  } as const)
  .chain((changes) =>
    fc
      .constantFrom(
        {},
        { interactive: { approval_prefix: 'apr', timeout_ms: 1 } },
        { interactive: { approval_prefix: 'apr', timeout_ms: 1_000_000 } },
      )
      .map((asked) => request({ ...changes, ...asked } as Parameters<typeof request>[0])),
  );

const answer = { finish_reason: 'stop', usage: { input_tokens: 3, output_tokens: 4 } } as const;
const failure = fc.record({
  kind: fc.constantFrom('transient', 'fatal', 'unconfigured' as const),
  message: text,
  status: fc.option(fc.constantFrom(429, 500)),
  retry_after_ms: fc.option(fc.nat(90_000)),
  jitter: fc.constantFrom(0, 0.5, 1),
} as const);

type Make = (state: RunState) => RunCommand;

/** What the state waits for, so that histories come far. */
const fitting: fc.Arbitrary<Make> = fc.tuple(wanted, fc.array(frame, { maxLength: 3 }), fc.boolean()).map(
  ([of, frames, success]): Make =>
    (state) => {
      const { phase, call, status, draft } = state;
      if (status === 'none') return { type: 'RequestRun', request: of, notes: [], fork: null };
      if (status === 'queued') return { type: 'BeginRun' };
      if (status !== 'running') return { type: 'ResumeRun', request: of, notes: [] };
      switch (phase.name) {
        case 'idle':
        case 'asking':
          return { type: 'StartModelCall', inputs: INPUTS };
        case 'asked':
          if (draft.length === 0) return { type: 'RecordFrames', call, frames };
          return {
            type: 'RecordAnswer',
            call,
            answer: success ? answer : { ...answer, finish_reason: 'length' },
            jitter: 0.5,
          };
        case 'backing_off':
          return { type: 'EndBackoff', call };
        case 'tool_due':
          return { type: 'StartTool', call_id: state.pending[0]?.id ?? '' };
        case 'tool_started': {
          const report = { success, output: 'seen', files_modified: success ? ['a.txt'] : [], duration_ms: 1 };
          return { type: 'RecordTool', call_id: phase.call.id, report };
        }
        case 'awaiting_approval': {
          const decision = frames.length > 2 ? 'allow_run' : success ? 'allow_once' : 'deny';
          return { type: 'AnswerApproval', approval: phase.approval, decision, reason: null };
        }
      }
    },
);

const runCommand: fc.Arbitrary<Make> = fc.oneof(
  { weight: 60, arbitrary: fitting },
  {
    weight: 3,
    arbitrary: fc.tuple(wanted, fc.array(text, { maxLength: 2 })).map(([of, notes]): Make => {
      return () => ({ type: 'RequestRun', request: of, notes, fork: null });
    }),
  },
  { weight: 4, arbitrary: fc.constant<Make>(() => ({ type: 'BeginRun' })) },
  { weight: 6, arbitrary: fc.constant<Make>(() => ({ type: 'StartModelCall', inputs: INPUTS })) },
  {
    weight: 8,
    arbitrary: fc.tuple(drift, fc.array(frame, { maxLength: 4 })).map(([off, frames]): Make => {
      return ({ call }) => ({ type: 'RecordFrames', call: call + off, frames });
    }),
  },
  {
    weight: 6,
    arbitrary: drift.map(
      (off): Make =>
        ({ call }) => ({ type: 'RecordAnswer', call: call + off, answer, jitter: 0.5 }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(drift, failure).map(([off, what]): Make => {
      return ({ call }) => ({ type: 'RecordModelFailure', call: call + off, failure: what });
    }),
  },
  {
    weight: 2,
    arbitrary: drift.map(
      (off): Make =>
        ({ call }) => ({ type: 'EndBackoff', call: call + off }),
    ),
  },
  {
    weight: 6,
    arbitrary: drift.map(
      (off): Make =>
        ({ pending }) => ({ type: 'StartTool', call_id: pending[Math.abs(off)]?.id ?? 'none' }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.boolean(), text).map(([success, output]): Make => {
      const report = { success, output, files_modified: success ? [`${output}.txt`] : [], duration_ms: 1 };
      return ({ phase }) => ({
        type: 'RecordTool',
        call_id: phase.name === 'tool_started' ? phase.call.id : 'a',
        report,
      });
    }),
  },
  {
    weight: 1,
    arbitrary: text.map(
      (reason): Make =>
        () => ({ type: 'CancelRun', reason }),
    ),
  },
  {
    weight: 2,
    arbitrary: text.map(
      (reason): Make =>
        () => ({ type: 'RecoverRun', reason }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constant<Make>(({ phase }) => ({
      type: 'ExpireApproval',
      approval: phase.name === 'awaiting_approval' ? phase.approval : 'apr-1',
    })),
  },
  {
    weight: 1,
    arbitrary: text.map(
      (message): Make =>
        () => ({ type: 'FailRun', message }),
    ),
  },
  {
    weight: 2,
    arbitrary: wanted.map(
      (of): Make =>
        () => ({ type: 'ResumeRun', request: of, notes: [] }),
    ),
  },
);

const taskCommand: fc.Arbitrary<TaskCommand> = fc.oneof(
  fc.record({
    type: fc.constant('CreateTask' as const),
    title: text,
    provider: text,
    model: text,
    project_path: fc.constant('/work'),
  }),
  fc.record(
    {
      type: fc.constant('ChangeTask' as const),
      title: text,
      status: fc.constantFrom('draft', 'queued', 'running', 'failed' as const),
      session_id: id('run-of-'),
    },
    { requiredKeys: ['type'] },
  ) as fc.Arbitrary<TaskCommand>,
);

const patch = fc.record(
  { temperature: fc.constantFrom(0, 1), prompt_cache: fc.boolean(), tool_transport: fc.constant('prose' as const) },
  { requiredKeys: [] },
);
const harnessCommand: fc.Arbitrary<HarnessCommand> = fc.oneof(
  fc.record({
    type: fc.constant('SetHarnessOverride' as const),
    key: id('openai/'),
    patch,
  }) as fc.Arbitrary<HarnessCommand>,
  fc.record({ type: fc.constant('RemoveHarnessOverride' as const), key: id('openai/') }),
);

const pairingCommand: fc.Arbitrary<PairingCommand> = fc.oneof(
  fc.record({ type: fc.constant('OfferPairing' as const), peer: text }),
  fc.record({
    type: fc.constant('ExchangePairing' as const),
    peer: text,
    local: fc.boolean(),
    code: fc.constantFrom('right', 'wrong', null),
  } as const) as fc.Arbitrary<PairingCommand>,
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ of: fc.constant('run' as const), id: id('run-of-'), make: runCommand }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constant('task' as const), id: id('t'), command: taskCommand }) },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant('harness' as const),
      id: fc.constant(HARNESS_STREAM_ID),
      command: harnessCommand,
    }),
  },
  { weight: 1, arbitrary: fc.record({ of: fc.constant('pairing' as const), id: id('p'), command: pairingCommand }) },
);

export const moves = (max: number): fc.Arbitrary<readonly Move[]> => fc.array(move, { maxLength: max, size: 'max' });

export function commandOf(of: Move, state: unknown): unknown {
  return of.of === 'run' ? of.make(state as RunState) : of.command;
}

const ORIGIN = { actor: 'owner', correlation: null };

/** Plays moves through a command handler; refused ones change nothing. */
export async function play(commandHandler: CommandHandler, moves: readonly Move[]): Promise<void> {
  for (const each of moves) {
    const decider = DECIDERS[each.of];
    const command = commandOf(each, commandHandler.load(decider, each.id));
    await commandHandler.dispatch(decider, each.id, command, { origin: ORIGIN }).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
    });
  }
}

/** A clock and ids without randomness: the same moves make the same log. */
export function steadySystem(): { readonly clock: Clock; readonly ids: IdGenerator } {
  let count = 0;
  const next = (): number => (count += 1);
  return {
    clock: { now: () => 1_700_000_000_000 + next() },
    ids: {
      uuid: () => `01900000-0000-7000-8000-${next().toString(16).padStart(12, '0')}`,
      hex: (bytes) =>
        next()
          .toString(16)
          .padStart(bytes * 2, '0'),
    },
  };
}
