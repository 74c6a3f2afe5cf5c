/**
 * Random commands for the streams of every decider of the daemon. A move is a draft for one stream, turned into a
 * command when the state of the stream is known, so that most commands are accepted and some are not.
 */
import fc from 'fast-check';
import { briefingCommands } from './commands/briefing.ts';
import { daemonCommands } from './commands/daemon.ts';
import { engagementCommands } from './commands/engagement.ts';
import { goalCommands } from './commands/goal.ts';
import { memoryCommands } from './commands/memory.ts';
import type { CommandSource, Wish } from './commands/parts.ts';
import { runCommands } from './commands/run.ts';
import { tlogCommands } from './commands/tlog.ts';
import { workspaceCommands } from './commands/workspace.ts';

/** Sources of commands by the name of the decider. */
export const SOURCES: Readonly<Record<string, CommandSource>> = {
  ...runCommands,
  ...daemonCommands,
  ...briefingCommands,
  ...engagementCommands,
  ...goalCommands,
  ...memoryCommands,
  ...tlogCommands,
  ...workspaceCommands,
};

/** A wish for the stream of one decider. */
export interface Move {
  /** The name of the decider in `SOURCES`. */
  readonly of: string;
  readonly id: string;
  readonly wish: Wish;
}

/** Up to `max` moves of the named deciders; by default of all. */
export function moves(max: number, names: readonly string[] = Object.keys(SOURCES)): fc.Arbitrary<readonly Move[]> {
  const each = names.map((name) => {
    const { ids, command, weight = 1 } = sourceOf(name);
    return { weight, arbitrary: fc.record({ of: fc.constant(name), id: ids, wish: command }) };
  });
  return fc.array(fc.oneof(...each), { maxLength: max, size: 'max' });
}

/** The command of a move in this state. */
export function commandOf({ of, wish }: Move, state: unknown): Wish {
  return sourceOf(of).fitted?.(wish, state) ?? wish;
}

export function sourceOf(name: string): CommandSource {
  const source = SOURCES[name];
  if (source === undefined)
    throw new Error(`There is no decider ${name}; there are ${Object.keys(SOURCES).join(', ')}.`);
  return source;
}
