/** Starts writers, one process each, and runs them in turns. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NODE_FLAGS } from '../support/processes.ts';
import type { RoundPlan, RoundResult, WriterPlan } from './plan.ts';

export interface Writer {
  round(plan: RoundPlan): Promise<RoundResult>;
  close(): Promise<void>;
}

export async function startWriter(plan: WriterPlan): Promise<Writer> {
  const file = join(import.meta.dirname, 'writer.ts');
  const child = spawn(process.execPath, [...NODE_FLAGS, file, JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await message(child);
  return {
    round: async (given) => {
      child.send(given);
      return (await message(child)) as RoundResult;
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      if (child.connected) child.send('close');
      await ended;
    },
  };
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onEnd = (code: number | null): void => reject(new Error(`A writer ended with ${code}.`));
    child.once('exit', onEnd);
    child.once('message', (value) => {
      child.off('exit', onEnd);
      resolve(value);
    });
  });
}
