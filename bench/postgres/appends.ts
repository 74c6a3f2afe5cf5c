/**
 * Appends: many in flight and one at a time, compared with emmett and with plain INSERTs, in short alternating rounds.
 */
import { join } from 'node:path';
import type { Cluster } from '../../tests/support/postgres.ts';
import { median } from '../storage/timing.ts';
import { removeFolder, temporaryFolder } from '../support/processes.ts';
import { type Row, thousands } from '../support/report.ts';
import { installEmmett } from './emmett.ts';
import { IN_FLIGHT, type RoundResult, type Scale, SUBJECTS, type SubjectName } from './plan.ts';
import { newDatabase, serverCpuSeconds } from './server.ts';
import { startWriter, type Writer } from './writers.ts';

const WARM_MS = 500;

interface Round extends RoundResult {
  readonly serverCpuSeconds: number;
}
type Measured = readonly Round[];

/** 64 in flight. */
export function appendsInFlight(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  return appends({
    server,
    scale,
    inFlight: IN_FLIGHT,
    name: `append, ${IN_FLIGHT} in flight`,
    goals: GOALS_IN_FLIGHT,
  });
}

/** One at a time. */
export function appendsAlone(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  return appends({ server, scale, inFlight: 1, name: 'append, one at a time', goals: GOALS_ALONE });
}

const NAMES: Readonly<Record<SubjectName, string>> = {
  daybook: 'the log',
  emmett: 'emmett',
  bare: 'INSERTs of the same bytes (key and bytes)',
  'bare-table': 'INSERTs of the same rows and indexes',
};
/** Goals: the rate of the log as a multiple of the rate of the peer. */
const GOALS_IN_FLIGHT: Partial<Record<SubjectName, number>> = { emmett: 3, bare: 0.5 };
const GOALS_ALONE: Partial<Record<SubjectName, number>> = { bare: 0.8 };

interface Comparison {
  readonly server: Cluster;
  readonly scale: Scale;
  readonly inFlight: number;
  readonly name: string;
  readonly goals: Partial<Record<SubjectName, number>>;
}

async function appends({ server, scale, inFlight, name, goals }: Comparison): Promise<readonly Row[]> {
  installEmmett();
  const folder = temporaryFolder('postgres');
  const writers = new Map<SubjectName, Writer>();
  try {
    for (const subject of SUBJECTS) {
      const url = subject === 'daybook' ? await server.newLog() : await newDatabase(server, subject.replace('-', '_'));
      writers.set(subject, await startWriter({ subject, url, folder: join(folder, subject) }));
    }
    const measured = await inTurns({ server, writers, scale, inFlight });
    const ours = measured.get('daybook')!;
    return SUBJECTS.slice(1).map((subject) =>
      compared(`${name}, beside ${NAMES[subject]}`, {
        ours,
        peer: measured.get(subject)!,
        goal: goals[subject] ?? null,
      }),
    );
  } finally {
    await Promise.all([...writers.values()].map((writer) => writer.close()));
    removeFolder(folder);
  }
}

interface Turns {
  readonly server: Cluster;
  readonly writers: ReadonlyMap<SubjectName, Writer>;
  readonly scale: Scale;
  readonly inFlight: number;
}

async function inTurns({ server, writers, scale, inFlight }: Turns): Promise<ReadonlyMap<SubjectName, Measured>> {
  const measured = new Map<SubjectName, Round[]>();
  for (const [subject, writer] of writers) {
    await writer.round({ inFlight, ms: WARM_MS, profile: false });
    measured.set(subject, []);
  }
  for (let done = 0; done < scale.rounds; done += 1) {
    for (const [subject, writer] of writers) {
      const before = serverCpuSeconds(server);
      const result = await writer.round({ inFlight, ms: scale.roundMs, profile: false });
      measured.get(subject)?.push({ ...result, serverCpuSeconds: serverCpuSeconds(server) - before });
    }
  }
  return measured;
}

function compared(
  name: string,
  { ours, peer, goal }: { readonly ours: Measured; readonly peer: Measured; readonly goal: number | null },
): Row {
  const ratio = rate(ours) / rate(peer);
  return {
    name,
    ours: told(ours),
    peer: told(peer),
    ratio: `${(ratio * 100).toFixed(0)} %`,
    goal: goal === null ? 'printed' : `≥ ${goal * 100} %`,
    met: goal === null ? null : ratio >= goal,
  };
}

function rate(rounds: Measured): number {
  return median(rounds.map(({ perSecond }) => perSecond));
}

function told(rounds: Measured): string {
  const of = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const micros = (pick: (round: Round) => number): string =>
    `${of((round) => (pick(round) / round.events) * 1e6).toFixed(0)} µs`;
  const times = `p50 ${of(({ p50Ms }) => p50Ms).toFixed(2)} ms, p99 ${of(({ p99Ms }) => p99Ms).toFixed(2)} ms`;
  const cost = `${micros((round) => round.cpuSeconds)} client, ${micros((round) => round.serverCpuSeconds)} server`;
  return `${thousands(rate(rounds))}/s (${times}; CPU an event ${cost})`;
}
