/**
 * `node bench/scale/simulate.ts`: a discrete-event simulation of one sequencer and its daemons with the costs in
 * `costs.ts`, and of views by shard of streams. Prints the tables of docs/scale.md. The same seed gives the same
 * tables.
 *
 * The model: appends arrive at random at D daemons. A daemon has one batch in flight and decides the next one
 * meanwhile. A batch needs the lock of the head row. A daemon that gets it after another one is behind: it reads the
 * tail while it holds the lock, decides again and commits. Each daemon copies the events of the others and folds all
 * events.
 */
import { BYTES, COSTS } from './costs.ts';

const SECONDS = 20;
const BATCH_EVENTS_MAX = 4_096;
const WAITING_MAX = 65_536;

interface Outcome {
  readonly offered: number;
  readonly done: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of time in which the head row is locked. */
  readonly sequencer: number;
  /** The load of the busiest daemon's main thread by appending, copying and folding. */
  readonly daemon: number;
}

/** A linear congruential generator (Numerical Recipes), so that runs are reproducible. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

class Daemon {
  /** Arrival times of the waiting appends. */
  waiting: number[] = [];
  /** The position of its copy. */
  head = 0;
  /** When its main thread will have finished its current work. */
  freeAt = 0;
  busy = 0;

  work(from: number, duration: number): void {
    this.freeAt = Math.max(this.freeAt, from) + duration;
    this.busy += duration;
  }
}

/**
 * `perSecond` appends of one event each, spread evenly over the daemons; `shards`: each daemon folds one of this many
 * parts.
 */
function simulate(perSecond: number, daemons: number, shards: number): Outcome {
  const random = randomNumbers(perSecond * 31 + daemons * 7 + shards);
  const sigma = Math.log(COSTS.commitP99) / 2.326;
  const commitTime = (): number => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return COSTS.commit * Math.exp(sigma * normal);
  };
  const all = Array.from({ length: daemons }, () => new Daemon());
  const end = SECONDS * 1e6;
  const latencies: number[] = [];
  let arrival = 0;
  let now = 0;
  let locked = 0;
  let head = 0;
  let turn = 0;
  const arrive = (until: number): void => {
    for (; arrival <= until; arrival += (-Math.log(random()) * 1e6) / perSecond) {
      const daemon = all[Math.floor(random() * daemons)]!;
      if (daemon.waiting.length < WAITING_MAX) daemon.waiting.push(arrival);
    }
  };
  while (now < end) {
    arrive(now);
    const daemon = nextWith(all, { from: turn, now });
    if (daemon === null) {
      const busyUntil = all.filter(({ waiting }) => waiting.length > 0).map(({ freeAt }) => freeAt);
      now = Math.min(arrival, ...busyUntil);
      continue;
    }
    turn = all.indexOf(daemon) + 1;
    const batch = daemon.waiting.splice(0, BATCH_EVENTS_MAX);
    const missing = head - daemon.head;
    // A daemon that is behind learns so now, and reads the tail while it holds the row.
    const again = missing * COSTS.copyEvent + batch.length * COSTS.writerEvent;
    const behind = missing === 0 ? 0 : 2 * COSTS.roundTrip + again;
    const duration = behind + commitTime() + batch.length * COSTS.serverEvent;
    daemon.work(now, behind === 0 ? 0 : again);
    daemon.work(now, batch.length * COSTS.writerEvent);
    now += duration;
    locked += duration;
    head += batch.length;
    daemon.head = head;
    for (const each of all) {
      each.work(now, (batch.length * COSTS.foldEvent) / shards);
      // A daemon with nothing to append copies new events immediately.
      if (each.waiting.length > 0 || each === daemon) continue;
      each.work(now, (head - each.head) * COSTS.copyEvent);
      each.head = head;
    }
    for (const at of batch) latencies.push(now - at);
  }
  const busiest = Math.max(...all.map(({ busy }) => busy));
  const sorted = Float64Array.from(latencies).sort();
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)]! / 1_000;
  return {
    offered: perSecond,
    done: head / (now / 1e6),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    sequencer: locked / now,
    daemon: busiest / now,
  };
}

/** The next daemon in turn that has appends and a free thread; null if there is none. */
function nextWith(
  all: readonly Daemon[],
  { from, now }: { readonly from: number; readonly now: number },
): Daemon | null {
  for (let step = 0; step < all.length; step += 1) {
    const daemon = all[(from + step) % all.length]!;
    if (daemon.waiting.length > 0 && daemon.freeAt <= now) return daemon;
  }
  return null;
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [head, head.map(() => '---:'), ...rows];
  process.stdout.write(`\n${cells.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`);
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;

printTable(
  ['appends/s offered', 'daemons', 'done/s', 'p50, ms', 'p99, ms', 'head row locked', 'main thread of a daemon'],
  [100, 1_000, 5_000, 10_000, 20_000, 40_000].flatMap((offered) =>
    [1, 3, 10].map((daemons) => {
      const { done, p50Ms, p99Ms, sequencer, daemon } = simulate(offered, daemons, 1);
      return [
        whole(offered),
        whole(daemons),
        whole(done),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        percent(sequencer),
        percent(daemon),
      ];
    }),
  ),
);

printTable(
  ['shards of views', 'events/s that a daemon folds and copies whole', 'that it folds when it copies its shard only'],
  [1, 4, 16, 64, 256].map((shards) => {
    const perEvent = COSTS.foldEvent / shards;
    const leaves = COSTS.copyEvent / 10;
    return [
      whole(shards),
      whole(1e6 / (COSTS.copyEvent + perEvent)),
      whole(1e6 / (leaves + (COSTS.copyEvent + COSTS.foldEvent) / shards)),
    ];
  }),
);

const terabytes = (bytes: number): string =>
  bytes >= 1e12 ? `${(bytes / 1e12).toFixed(1)} TB` : `${(bytes / 1e9).toFixed(1)} GB`;
const duration = (seconds: number): string => {
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < 172_800 ? `${(seconds / 3_600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} days`;
};

printTable(
  ['events', 'table', 'indexes', 'each copy', 'leaves alone', 'a new copy', 'folding it', 'hashes of a proof'],
  [1e6, 1e7, 5e7, 1e9, 1e11].map((events) => [
    whole(events),
    terabytes(events * BYTES.table),
    terabytes(events * BYTES.indexes),
    terabytes(events * BYTES.copy),
    terabytes(events * BYTES.leaf),
    duration((events * COSTS.copyEvent) / 1e6),
    duration((events * COSTS.foldEvent) / 1e6),
    whole(Math.ceil(Math.log2(events))),
  ]),
);
