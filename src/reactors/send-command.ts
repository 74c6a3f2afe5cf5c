/** Sends the commands of a multi-step operation on behalf of its caller. */
import type { Decider } from '../commands/decider.ts';
import type { Dispatched } from '../streams/command-handler.ts';

/** The events are the caller's in the log. Throws `Refused`. */
export type SendCommand = <Command, State>(
  decider: Decider<Command, State>,
  id: string,
  command: Command,
) => Promise<Dispatched<State>>;
