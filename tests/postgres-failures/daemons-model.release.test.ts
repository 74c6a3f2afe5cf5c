/**
 * Three daemons on one PostgreSQL compared with one sequential model: random commands of several resources at random
 * daemons, some at two daemons at once or repeated later with the same key, while daemons and the database are killed.
 *
 * - Acknowledged events are in the log exactly once; the model knows the expected answers.
 * - A trial has its own titles and workspaces, so all trials share the daemons, and a failure shrinks by itself.
 * - `DAYBOOK_SEED` and `DAYBOOK_PATH` replay what fast-check reports. `DAYBOOK_TRIALS` sets the number of trials.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json, lines, type NodeDaemon, runEvents } from '../nodes/support.ts';
import { IS_LONG } from '../support/depth.ts';
import { type Cluster, withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { DAEMONS, Nodes, type Sending } from './nodes.ts';
import { expectWhole } from './support.ts';

const TRIALS = Number(process.env.DAYBOOK_TRIALS ?? (IS_LONG ? 150 : 3));
const COMMANDS_MAX = IS_LONG ? 25 : 12;
const TIMEOUT_MS = IS_LONG ? 5_400_000 : 120_000;
const { DAYBOOK_PATH: PATH } = process.env;
const RUN_ENDS = new Set(['RunCompleted', 'RunStopped', 'RunFailed', 'RunCancelled']);

/** How a command reaches the daemons. */
const way = fc.record({
  at: fc.nat(DAEMONS - 1),
  /** The same request at the next daemon at the same time. */
  twice: fc.boolean(),
  mishap: fc.oneof(
    { weight: 14, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.constant('kill' as const) },
    { weight: 1, arbitrary: fc.constant('stop' as const) },
    { weight: 1, arbitrary: fc.constant('database' as const) },
  ),
  /** Milliseconds from the request to the mishap. */
  after: fc.nat(40),
});
type Way = typeof way extends fc.Arbitrary<infer Value> ? Value : never;

const pick = fc.nat(9);
const name = fc.constantFrom('one', 'two', 'three');
const wishes = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create-goal' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('race-goal' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename-goal' as const), pick, name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-goal' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pin' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpin' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open-engagement' as const), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add-gate' as const), pick, name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove-engagement' as const), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tell-fact' as const), pick: fc.nat(1), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start-run' as const), asks: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer-approval' as const),
      pick,
      decision: fc.constantFrom('allow_once' as const, 'deny' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const), pick }) },
);
type Wish = typeof wishes extends fc.Arbitrary<infer Value> ? Value : never;

interface Goal {
  readonly id: string;
  title: string;
}

interface Engagement {
  readonly id: string;
  readonly name: string;
  readonly gates: string[];
}

interface Run {
  readonly id: string;
  readonly mark: string;
  readonly asks: boolean;
  decision: 'allow_once' | 'deny' | null;
}

/** What the daemons must hold of one trial: the answered commands, one after the other. */
class Model {
  goals: Goal[] = [];
  goalsMade = 0;
  pinned: string | null = null;
  engagements: Engagement[] = [];
  engagementsMade = 0;
  /** Objects that hold, by predicate. */
  readonly facts = new Map<string, string>();
  factsTold = 0;
  readonly runs: Run[] = [];
  readonly sent: { readonly sending: Sending; readonly status: number; readonly text: string }[] = [];

  goalOf(n: number): Goal | undefined {
    return this.goals[n % Math.max(1, this.goals.length)];
  }

  isTitle(title: string): boolean {
    return this.goals.some((goal) => goal.title === title);
  }
}

class Trial {
  readonly #nodes: Nodes;
  readonly #cluster: Cluster;
  readonly #name: string;
  readonly #model = new Model();
  #keys = 0;
  /** `Daybook-Position` of the newest answer. */
  #seen = '0';

  constructor(cluster: Cluster, nodes: Nodes, name: string) {
    this.#cluster = cluster;
    this.#nodes = nodes;
    this.#name = name;
  }

  async run(commands: readonly { readonly wish: Wish; readonly way: Way }[]): Promise<void> {
    for (const { wish, way: how } of commands) await this.#do(wish, how);
    await this.#nodes.settled();
    await this.#compare();
  }

  async #do(wish: Wish, how: Way): Promise<void> {
    switch (wish.kind) {
      case 'create-goal':
        return this.#createGoal(wish.name, how);
      case 'race-goal':
        return this.#raceGoal(wish.name, how);
      case 'rename-goal':
        return this.#renameGoal(wish, how);
      case 'delete-goal':
        return this.#deleteGoal(wish.pick, how);
      case 'pin':
        return this.#pin(wish.pick, how);
      case 'unpin': {
        const { removed } = await this.#sent<{ removed: boolean }>(how, 'DELETE', this.#slot('/v1/goals/current'));
        expect(removed).toBe(this.#model.pinned !== null);
        this.#model.pinned = null;
        return;
      }
      case 'open-engagement':
      case 'add-gate':
      case 'remove-engagement':
        return this.#engage(wish, how);
      case 'tell-fact':
        return this.#tell(wish, how);
      case 'start-run':
        return this.#startRun(wish.asks, how);
      case 'answer-approval':
        return this.#answerApproval(wish, how);
      case 'repeat':
        return this.#repeat(wish.pick, how);
    }
  }

  async #createGoal(title: string, how: Way): Promise<void> {
    const full = this.#titled(title);
    const isTaken = this.#model.isTitle(full);
    const body = { title: full, workspace: this.#workspace };
    const made = await this.#sent<{ id: string }>(how, 'POST', '/v1/goals', body, isTaken ? 409 : 201);
    if (isTaken) return;
    this.#model.goals.push({ id: made.id, title: full });
    this.#model.goalsMade += 1;
    const read = await this.#nodes.send(how.at + 1, { method: 'GET', path: `/v1/goals/${made.id}`, from: this.#seen });
    expect(JSON.parse(read.text)).toMatchObject({ goal: { id: made.id, title: full } });
  }

  /** Two daemons get the same title under two keys at once: one goal comes of it. */
  async #raceGoal(title: string, { at }: Way): Promise<void> {
    const full = this.#titled(title);
    if (this.#model.isTitle(full)) return;
    const body = { title: full, workspace: this.#workspace };
    const both = [0, 1].map((n) =>
      this.#nodes.send(at + n, { method: 'POST', path: '/v1/goals', body, key: this.#key() }),
    );
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const { id } = JSON.parse(answers.find(({ status }) => status === 201)!.text) as { id: string };
    this.#model.goals.push({ id, title: full });
    this.#model.goalsMade += 1;
  }

  async #renameGoal({ pick: which, name: title }: { pick: number; name: string }, how: Way): Promise<void> {
    const goal = this.#model.goalOf(which);
    if (goal === undefined) return;
    const full = this.#titled(title);
    const isTaken = goal.title !== full && this.#model.isTitle(full);
    await this.#sent(how, 'PATCH', `/v1/goals/${goal.id}`, { title: full }, isTaken ? 409 : 200);
    if (!isTaken) goal.title = full;
  }

  async #deleteGoal(which: number, how: Way): Promise<void> {
    const goal = this.#model.goalOf(which);
    if (goal === undefined) return;
    await this.#sent(how, 'DELETE', `/v1/goals/${goal.id}`, undefined, 204);
    this.#model.goals = this.#model.goals.filter((each) => each !== goal);
    if (this.#model.pinned === goal.id) this.#model.pinned = null;
  }

  async #pin(which: number, how: Way): Promise<void> {
    const goal = this.#model.goalOf(which);
    if (goal === undefined) return;
    const body = { goal_id: goal.id, workspace: this.#workspace };
    await this.#sent({ ...how, twice: false }, 'PUT', '/v1/goals/current', body);
    this.#model.pinned = goal.id;
  }

  async #engage(
    wish: Extract<Wish, { kind: 'open-engagement' | 'add-gate' | 'remove-engagement' }>,
    how: Way,
  ): Promise<void> {
    const { engagements } = this.#model;
    if (wish.kind === 'open-engagement') {
      const body = { name: this.#titled(wish.name) };
      const { engagement } = await this.#sent<{ engagement: { id: string } }>(how, 'POST', ENGAGEMENTS, body);
      engagements.push({ id: engagement.id, name: body.name, gates: [] });
      this.#model.engagementsMade += 1;
      return;
    }
    const engagement = engagements[wish.pick % Math.max(1, engagements.length)];
    if (engagement === undefined) return;
    const path = `${ENGAGEMENTS}/${engagement.id}`;
    if (wish.kind === 'add-gate') {
      const body = { title: wish.name, phase: 'discover', measurement: 'count them', criterion: 'a number' };
      await this.#sent(how, 'POST', `${path}/gates`, body);
      engagement.gates.push(wish.name);
      return;
    }
    await this.#sent(how, 'DELETE', path);
    this.#model.engagements = engagements.filter((each) => each !== engagement);
  }

  async #tell({ pick: which, name: object }: { pick: number; name: string }, how: Way): Promise<void> {
    const fact = { subject: this.#name, predicate: `property ${which}`, object };
    const isKnown = this.#model.facts.get(fact.predicate) === object;
    await this.#sent(how, 'POST', '/memory/fact', fact, isKnown ? 200 : 201);
    if (isKnown) return;
    this.#model.facts.set(fact.predicate, object);
    this.#model.factsTold += 1;
  }

  async #startRun(asks: boolean, how: Way): Promise<void> {
    const mark = `${this.#name}-${this.#model.runs.length}`;
    const task = `Work.\nrehearse: bash echo did >> ${mark}.txt`;
    const body = asks ? { task, approval: 'suggest', interactive: true } : { task, approval: 'full-auto' };
    const { session_id: id } = await this.#sent<{ session_id: string }>(how, 'POST', '/agent', body);
    this.#model.runs.push({ id, mark, asks, decision: null });
  }

  /** The first answer holds, at whichever daemon it was given. */
  async #answerApproval(wish: Extract<Wish, { kind: 'answer-approval' }>, how: Way): Promise<void> {
    const asking = this.#model.runs.filter((run) => run.asks);
    const run = asking[wish.pick % Math.max(1, asking.length)];
    if (run === undefined) return;
    const path = `/approvals/${await this.#approvalOf(run)}`;
    await this.#sent(how, 'POST', path, { decision: wish.decision }, run.decision === null ? 200 : 409);
    run.decision ??= wish.decision;
  }

  /** Its id, once it is asked for and all daemons know it. */
  async #approvalOf({ id }: Run): Promise<string> {
    let approval: string | undefined;
    const isKnown = async (): Promise<boolean> => {
      const known = this.#nodes.all.map((daemon) => approvalIn(daemon, id));
      const ids = await Promise.all(known.map((each) => each.catch(() => 'a daemon that is away')));
      approval = ids[0];
      return approval !== undefined && ids.every((each) => each === approval);
    };
    await until(isKnown, `run ${id} asks`);
    return approval!;
  }

  /** A request that was answered, once more: its first answer comes back. */
  async #repeat(which: number, { at }: Way): Promise<void> {
    const { sent } = this.#model;
    const before = sent[which % Math.max(1, sent.length)];
    if (before === undefined) return;
    const { status, text } = await this.#nodes.send(at, before.sending);
    expect({ status, text }).toEqual({ status: before.status, text: before.text });
  }

  /** Sends a command as `how` says, and expects the status. Answers the parsed body. */
  async #sent<Body>(how: Way, method: string, path: string, body?: unknown, status = 200): Promise<Body> {
    const key = method === 'PUT' ? undefined : this.#key();
    const sending = { method, path, ...(body !== undefined && { body }), ...(key !== undefined && { key }) };
    const ats = how.twice ? [how.at, how.at + 1] : [how.at];
    const answering = Promise.all(ats.map((at) => this.#nodes.send(at, sending)));
    // A failure is told below, after the mishap.
    answering.catch(() => undefined);
    await this.#mishap(how);
    const [answer, second = answer] = await answering;
    expect([answer!.status, answer!.text]).toEqual([status, expect.any(String)]);
    expect([second!.status, second!.text]).toEqual([answer!.status, answer!.text]);
    this.#seen = answer!.position;
    if (key !== undefined) this.#model.sent.push({ sending, status, text: answer!.text });
    return (answer!.text === '' ? null : JSON.parse(answer!.text)) as Body;
  }

  async #mishap({ mishap, at, after }: Way): Promise<void> {
    if (mishap === 'none') return;
    await sleep(after);
    if (mishap === 'kill') await this.#nodes.endOne(at, 'SIGKILL');
    if (mishap === 'stop') await this.#nodes.endOne(at, 'SIGTERM');
    if (mishap === 'database') {
      await this.#cluster.stop('SIGKILL');
      await this.#cluster.start();
    }
  }

  async #compare(): Promise<void> {
    const { goals, pinned, engagements, facts, runs } = this.#model;
    for (const run of runs.filter(({ asks, decision }) => asks && decision === null)) {
      await this.#nodes.send(0, {
        method: 'POST',
        path: `/approvals/${await this.#approvalOf(run)}`,
        body: { decision: 'deny' },
      });
    }
    for (const run of runs) await this.#expectEndedOnce(run);
    const first = this.#nodes.at(0);
    for (const path of [this.#slot('/v1/goals'), this.#slot('/v1/goals/current'), ENGAGEMENTS, FACTS, '/jobs'])
      await this.#nodes.expectEqual(path);
    for (const { id } of engagements) {
      for (const part of ['gates', 'deliverables', 'history']) {
        await this.#nodes.expectEqual(`${ENGAGEMENTS}/${id}/${part}`);
      }
    }
    const listed = await json<{ goals: Goal[] }>(first, this.#slot('/v1/goals'));
    expect(listed.goals.map(({ id, title }) => `${id} ${title}`).sort()).toEqual(
      goals.map(({ id, title }) => `${id} ${title}`).sort(),
    );
    expect(await json(first, this.#slot('/v1/goals/current'))).toMatchObject({ goal_id: pinned });
    const opened = await json<{ engagements: Engagement[] }>(first, ENGAGEMENTS);
    const own = opened.engagements.filter((each) => each.name.startsWith(`${this.#name} `));
    expect(own.map(({ id }) => id).sort()).toEqual(engagements.map(({ id }) => id).sort());
    for (const { id, gates } of engagements) {
      const held = await json<{ gates: { title: string; criterion: string }[] }>(first, `${ENGAGEMENTS}/${id}/gates`);
      const added = held.gates.filter((gate) => gate.criterion === 'a number').map(({ title }) => title);
      expect(added).toEqual(gates);
    }
    const told = await json<{
      facts: { subject: string; predicate: string; object: string; valid_to: number | null }[];
    }>(first, FACTS);
    const mine = told.facts.filter(({ subject }) => subject === this.#name);
    expect(mine).toHaveLength(this.#model.factsTold);
    const holding = mine.filter(({ valid_to }) => valid_to === null);
    expect(new Map(holding.map(({ predicate, object }) => [predicate, object]))).toEqual(facts);
  }

  /** A tool ran at most once, and once where a person allowed it and nothing interrupted it. */
  async #expectEndedOnce({ id, mark, asks, decision }: Run): Promise<void> {
    let types: readonly string[] = [];
    await until(async () => {
      types = (await runEvents(this.#nodes.at(0), id)).map(({ type }) => type);
      return types.some((type) => RUN_ENDS.has(type));
    }, `run ${id} ends`);
    expect(types.filter((type) => RUN_ENDS.has(type))).toHaveLength(1);
    const did = lines(this.#nodes.workspace, `${mark}.txt`).length;
    if (asks && decision !== 'allow_once') expect(did).toBe(0);
    else if (types.includes('ToolFinished')) expect(did).toBe(1);
    else expect(did).toBeLessThanOrEqual(1);
  }

  get #workspace(): string {
    return `/trials/${this.#name}`;
  }

  #slot(path: string): string {
    return `${path}?workspace=${encodeURIComponent(this.#workspace)}`;
  }

  #titled(title: string): string {
    return `${this.#name} ${title}`;
  }

  #key(): string {
    this.#keys += 1;
    return `${this.#name} ${this.#keys}`;
  }
}

const ENGAGEMENTS = '/engagements';
const FACTS = '/memory/facts?limit=10000';

/** The id of the approval that a run has asked for. */
async function approvalIn(daemon: NodeDaemon, run: string): Promise<string | undefined> {
  const { approvals } = await json<{ approvals: { id: string }[] }>(daemon, `/approvals?session_id=${run}`);
  return approvals[0]?.id;
}

withPostgres('three daemons on one database', (cluster) => {
  test(
    'agree with a sequential model after random commands, repetitions and kills',
    async () => {
      const url = await cluster().newLog('connect_timeout_ms=1000&poll_ms=100');
      const nodes = new Nodes(url);
      await nodes.start();
      let trials = 0;
      const commands = fc.array(fc.record({ wish: wishes, way }), {
        minLength: 4,
        maxLength: COMMANDS_MAX,
        size: 'max',
      });
      const property = fc.asyncProperty(commands, async (drawn) => {
        trials += 1;
        await nodes.settled();
        await new Trial(cluster(), nodes, `trial${trials}`).run(drawn);
      });
      await fc.assert(property, {
        numRuns: TRIALS,
        ...(PATH !== undefined && { path: PATH }),
      });
      await expectWhole(url, new Map());
    },
    TIMEOUT_MS,
  );
});
