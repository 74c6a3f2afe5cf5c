/**
 * SIGKILL at events of a run whose tool has a process alive, then a start on the same home. Every event that a client
 * got is in the log, byte for byte, under the same tree; no tool ran twice; no process is left; the run ends; a reader
 * of its stream gets every event; its replay is exact.
 *
 * `DAYBOOK_CRASH=long` (npm run test:crash:long) kills at every event, and adds longer runs, the other engines and
 * kills between the events.
 */
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import {
  EMPTY_FRONTIER,
  frontierHash,
  GrowingFrontier,
  leafHash,
  verifyConsistency,
} from '../../src/storage/merkle.ts';
import { byDepth } from '../support/depth.ts';
import { isTerminal, type Killed, type Moment, orphansWith, type Seen, Victim } from './victim.ts';

const LONG = process.env.DAYBOOK_CRASH === 'long';
/** No run of the sweep has more events: a boundary beyond it means that something does not end. */
const EVENTS_MAX = 200;
/** From one event at which it is killed to the next. */
const STRIDE = LONG ? 1 : byDepth({ sample: 12, dense: 3 });
const SWEEP_MS_MAX = LONG ? 1_800_000 : 240_000;

interface Scenario {
  readonly name: string;
  /** `mark` is unique to the run: it names its ledger and its sleeping child. */
  readonly task: (mark: string) => string;
  readonly tools: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** A tool that writes down that it began and keeps a child alive for a while. */
const tool = (mark: string, seconds: string): string =>
  `rehearse: bash echo began >> ${mark}.txt; (exec -a ${mark} sleep ${seconds}) & wait $!; echo ended >> ${mark}.txt`;

const SHORT: Scenario = { name: 'one tool', task: (mark) => `Crash.\n${tool(mark, '0.15')}`, tools: 1 };
const LONGER: Scenario = {
  name: 'reads, tools, an open plan',
  task: (mark) =>
    [
      'Crash.',
      'rehearse: tools 2',
      tool(`${mark}a`, '0.2'),
      'rehearse: slow 3',
      tool(`${mark}b`, '0.1'),
      'rehearse: plan x; y',
    ].join('\n'),
  tools: 2,
};
const SCENARIOS: readonly Scenario[] = LONG
  ? [
      SHORT,
      LONGER,
      { ...SHORT, name: 'one tool on cow', env: { DAYBOOK_PERSISTENCE_BACKEND: 'cow' } },
      { ...SHORT, name: 'one tool on lsm', env: { DAYBOOK_PERSISTENCE_BACKEND: 'lsm' } },
    ]
  : [SHORT];

async function victim(env: NodeJS.ProcessEnv = {}): Promise<Victim> {
  const made = new Victim(env);
  await made.start();
  return made;
}

/** Everything that must hold once the daemon is back, with the run's own end awaited in between. */
async function checkAfterRestart(of: Victim, killed: Killed, scenario: Scenario, mark: string): Promise<void> {
  const rest = await of.rest(killed.id, killed.stream);
  const all = await of.log();
  checkLog(all, killed);
  await checkTree(of, all, killed);
  checkTools(of, all, killed, scenario, mark);
  const { status } = await of.json<{ status: string }>(`/jobs/${killed.id}`);
  expect(['complete', 'partial']).toContain(status);
  const whole = await of.rest(killed.id, Buffer.alloc(0));
  expect(killed.stream.toString() + rest.toString()).toBe(whole.toString());
  expect(await of.json(`/jobs/${killed.id}/replay`)).toMatchObject({ identical: true, divergence: null });
}

/** The received events are there with the same bytes, the log is dense, and each leaf is the hash of its event. */
function checkLog(all: readonly Seen[], killed: Killed): void {
  for (const { envelope, text } of killed.seen) expect(all[envelope.position - 1]?.text).toBe(text);
  expect(all.map(({ envelope }) => envelope.position)).toEqual(all.map((_, index) => index + 1));
  for (const { envelope } of all) {
    const { leaf_hash, ...event } = envelope;
    expect(hexOf(leafHash(Buffer.from(canonicalJson({ ...event }))))).toBe(leaf_hash);
  }
  const own = all.filter(({ envelope }) => envelope.stream === `run-${killed.id}`);
  expect(own.filter(({ envelope }) => isTerminal(envelope))).toHaveLength(1);
}

interface Consistency {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
  readonly from_hash: string;
  readonly to_hash: string;
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function treeHash(leaves: readonly string[]): string {
  const tree = new GrowingFrontier(EMPTY_FRONTIER);
  for (const leaf of leaves) tree.append(bytesOf(leaf));
  return hexOf(frontierHash(tree));
}

/** The earlier tree is a prefix of the present one, by a consistency proof that this function verifies. */
async function checkTree(of: Victim, all: readonly Seen[], killed: Killed): Promise<void> {
  const leaves = all.map(({ envelope }) => envelope.leaf_hash);
  const before = killed.seen.at(-1)?.envelope.position ?? 0;
  if (before === 0) return;
  const proof = await of.json<Consistency>(`/v1/log/consistency?from=${before}&to=${all.length}`);
  expect(proof).toMatchObject({ from_hash: treeHash(leaves.slice(0, before)), to_hash: treeHash(leaves) });
  const { from, to, path, from_hash, to_hash } = proof;
  const roots = { fromRoot: bytesOf(from_hash), toRoot: bytesOf(to_hash) };
  expect(verifyConsistency({ from, to, ...roots, path: path.map(bytesOf) })).toBe(true);
}

/** A tool begins at most once, and only after its intent was recorded; one that was not interrupted ended, too. */
function checkTools(of: Victim, all: readonly Seen[], killed: Killed, scenario: Scenario, mark: string): void {
  const own = all.map(({ envelope }) => envelope).filter(({ stream }) => stream === `run-${killed.id}`);
  const bash = own.filter(({ type, data }) => type === 'ToolStarted' && JSON.stringify(data).includes('"bash"'));
  expect(bash).toHaveLength(scenario.tools);
  const names = scenario.tools === 1 ? [mark] : [`${mark}a`, `${mark}b`];
  for (const [index, name] of names.entries()) {
    const callId = (bash[index]!.data as { call: { id: string } }).call.id;
    const interrupted = own.some(
      ({ type, data, position }) =>
        type === 'ToolInterrupted' &&
        position > bash[index]!.position &&
        (data as { call_id: string }).call_id === callId,
    );
    const lines = of.lines(`${name}.txt`);
    if (interrupted) expect([0, 1, 2]).toContain(lines);
    else expect(lines).toBe(2);
  }
}

/** Kills at one moment of a fresh run; false when the run ended before the moment came. */
async function crashAt(of: Victim, scenario: Scenario, moment: Moment, mark: string): Promise<boolean> {
  const killed = await of.killDuring(scenario.task(mark), moment);
  expect(await orphansWith(mark)).toEqual([]);
  if (killed === null) return false;
  await of.start();
  await checkAfterRestart(of, killed, scenario, mark);
  expect(await orphansWith(mark)).toEqual([]);
  return true;
}

/** So many milliseconds after the run was acknowledged. */
function after(ms: number): Moment {
  let at: number | undefined;
  return () => {
    at ??= Date.now() + ms;
    return Date.now() >= at;
  };
}

describe.each(SCENARIOS)('killed during a run: $name', (scenario) => {
  it(
    `at every event by ${STRIDE}`,
    async () => {
      const of = await victim(scenario.env);
      let boundary = 1;
      while (
        await crashAt(of, scenario, ({ events }) => events.length >= boundary, `crash-${process.pid}-${boundary}`)
      ) {
        boundary += STRIDE;
        expect(boundary).toBeLessThan(EVENTS_MAX);
      }
      await of.daemon.kill('SIGKILL');
      // A run of one tool has a dozen events; fewer would mean that the sweep saw almost nothing.
      expect(boundary).toBeGreaterThan(9);
    },
    SWEEP_MS_MAX,
  );

  it(
    'while the tool’s child is alive, and right after it ended',
    async () => {
      const of = await victim(scenario.env);
      const [first] = scenario.tools === 1 ? [''] : ['a'];
      for (const lines of [1, 2]) {
        const mark = `alive-${process.pid}-${lines}`;
        const began: Moment = () => of.lines(`${mark}${first}.txt`) >= lines;
        expect(await crashAt(of, scenario, began, mark)).toBe(true);
      }
      await of.daemon.kill('SIGKILL');
    },
    SWEEP_MS_MAX,
  );
});

describe.runIf(LONG)('killed at any time', () => {
  it(
    'many times in a row, also while it recovers',
    async () => {
      const of = await victim();
      for (let round = 0; round < 60; round += 1) {
        const mark = `any-${process.pid}-${round}`;
        const killed = await of.killDuring(LONGER.task(mark), after((round * 37) % 700));
        if (killed === null) continue;
        for (let again = 0; again < round % 4; again += 1) {
          await of.start();
          await of.daemon.kill('SIGKILL');
        }
        await of.start();
        await checkAfterRestart(of, killed, LONGER, mark);
        expect(await orphansWith(mark)).toEqual([]);
      }
      await of.daemon.kill('SIGKILL');
    },
    SWEEP_MS_MAX,
  );
});
