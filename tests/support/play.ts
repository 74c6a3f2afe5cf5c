/** Dispatches the random commands of the testing kit to a command handler. */
import { Refused } from '../../src/commands/refusal.ts';
import type { CommandHandler } from '../../src/streams/command-handler.ts';
import { commandOf, type Move, sourceOf } from '../../src/testing/moves.ts';

const ORIGIN = { actor: 'owner', correlation: null };

/** Dispatches moves to a command handler; refused ones change nothing. */
export async function play(commandHandler: CommandHandler, moves: readonly Move[]): Promise<void> {
  for (const move of moves) {
    const { decider } = sourceOf(move.of);
    const command = commandOf(move, commandHandler.load(decider, move.id));
    await commandHandler.dispatch(decider, move.id, command, { origin: ORIGIN }).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
    });
  }
}
