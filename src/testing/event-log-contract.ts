/**
 * The contract of the event log, for authors of stores: the cases that every implementation must pass.
 *
 * ```ts
 * for (const { name, run } of eventLogContract(makePlace, { persistent: true })) test(name, run);
 * ```
 */
import { appending } from './event-log-contract/appending.ts';
import type { Case, LogCapabilities, LogPlace, OpenLog } from './event-log-contract/case.ts';
import { contending } from './event-log-contract/contending.ts';
import { deciding } from './event-log-contract/deciding.ts';
import { proving } from './event-log-contract/proving.ts';
import { reading } from './event-log-contract/reading.ts';

export type { CrashingLog, LogCapabilities, LogPlace, OpenLog } from './event-log-contract/case.ts';

/** One case, for any test runner. */
export interface ContractCase {
  readonly name: string;
  /** Rejects with an `AssertionError` if the log violates the contract. */
  run(): Promise<void>;
}

const CASES: readonly Case[] = [...appending, ...deciding, ...reading, ...proving, ...contending];

/**
 * The cases of the contract that apply to a log with these capabilities. Each case makes its own place with `factory`
 * and removes it at its end.
 */
export function eventLogContract(
  factory: () => Promise<LogPlace>,
  capabilities: LogCapabilities = {},
): readonly ContractCase[] {
  return CASES.filter(({ needs }) => needs === undefined || capabilities[needs] === true).map(({ name, run }) => {
    return { name, run: () => runCase(run, factory, capabilities) };
  });
}

async function runCase(
  run: Case['run'],
  factory: () => Promise<LogPlace>,
  { persistent = false }: LogCapabilities,
): Promise<void> {
  const place = await factory();
  const others: OpenLog[] = [];
  const first = await place.open();
  let current: OpenLog | null = first;
  const close = async (): Promise<void> => {
    const open = current;
    current = null;
    await open?.close();
  };
  const subject = {
    log: first.log,
    place,
    close,
    reopen: async () => {
      if (!persistent) return first.log;
      await close();
      current = await place.open();
      return current.log;
    },
    another: async () => {
      const opened = await place.open();
      others.push(opened);
      return opened.log;
    },
  };
  try {
    await run(subject);
  } finally {
    for (const opened of others) await opened.close();
    await close();
    await place.remove();
  }
}
