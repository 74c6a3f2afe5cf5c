/**
 * `npm run demo`: a real daemon with a temporary home runs an agent job on a real git checkout. The daemon is killed
 * with SIGKILL while a tool of a second job runs, and starts again. The demo checks that the job continues, that no
 * event is lost, that no process is left running, and that the log verifies. Exit code 0 only if every check passes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVerifier } from '../src/cli/log/verifier.ts';
import type { SseMessage } from '../src/client/server-sent-events.ts';
import type { Envelope } from '../src/events/envelope.ts';
import type { AgentEvent } from '../src/events/run/agent-event.ts';
import { verifyConsistency, verifyInclusion } from '../src/storage/merkle.ts';
import { collect, type DemoDaemon, startDaemon } from './demo/daemon.ts';
import {
  createFolders,
  createReport,
  type DemoFolders,
  eventually,
  git,
  isAlive,
  makeCheckout,
} from './demo/support.ts';

interface Job {
  readonly status: string;
  readonly steps_completed: number;
  readonly files_modified: readonly string[];
}
interface Head {
  readonly position: number;
  readonly tree_hash: string;
}
/** The state at the moment of the kill. */
interface Before {
  readonly session: string;
  readonly head: Head;
  /** The log and the run's stream as received until the connection broke. */
  readonly log: readonly SseMessage[];
  readonly run: readonly SseMessage[];
  readonly toolPids: readonly number[];
}

const FIRST_TASK = 'Read README.md, src/basket.js and TODO.md, then write REPORT.md about them.';
/**
 * The `rehearse:` lines are commands for the scripted model. The bash command starts a child that sleeps for minutes.
 */
const SECOND_TASK = `Count the stock, which takes a long time, then write DONE.md.
rehearse: read README.md
rehearse: slow 10
rehearse: bash echo started >> attempts.log; sleep 300 & echo $! $$ > pids.log; sleep 300
rehearse: slow 10
rehearse: write DONE.md The count went on after the crash.`;

const report = createReport();
const folders = createFolders();
const daemons: DemoDaemon[] = [];
try {
  await runDemo(folders);
} catch (error) {
  report.check(`the demo ran to its end (${(error as Error).message})`, false);
} finally {
  for (const daemon of daemons) await daemon.end('SIGKILL');
  folders.remove();
}
const { failures, checks } = report;
process.stdout.write(
  failures.length === 0 ? `\nAll ${checks} checks held.\n` : `\n${failures.length} of ${checks} checks failed.\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

async function runDemo(place: DemoFolders): Promise<void> {
  report.section('A daemon, a home of its own, a git checkout');
  makeCheckout(place.checkout);
  const first = await started(place);
  report.print(`${first.url}, process ${first.pid}\n${git(place.checkout, 'log', '--oneline')}`);
  const firstSession = await firstJob(first, place);
  const before = await killedInTheMiddle(first, place);

  report.section('Started again on the same home');
  const second = await started(place);
  await resumed(second, place, before);
  await verifiedLog(second, before);
  for (const id of [firstSession, before.session]) {
    const { identical, effects } = await second.get<{ identical: boolean; effects: number }>(`/jobs/${id}/replay`);
    report.check(`run ${id.slice(0, 8)} replays exactly: the same ${effects} effects in the same order`, identical);
  }
  report.check('SIGTERM stops the daemon cleanly, exit code 0', (await second.end('SIGTERM')) === 0);
}

async function started(place: DemoFolders): Promise<DemoDaemon> {
  const daemon = await startDaemon(place);
  daemons.push(daemon);
  return daemon;
}

async function startJob(daemon: DemoDaemon, task: string): Promise<string> {
  const body = { task, approval: 'full-auto' };
  return (await daemon.post<{ session_id: string }>('/agent', body)).session_id;
}

/** Runs and follows a whole job; resolves with its session id. */
async function firstJob(daemon: DemoDaemon, { checkout }: DemoFolders): Promise<string> {
  report.section('First job: an agent works in the checkout');
  const session = await startJob(daemon, FIRST_TASK);
  const events: AgentEvent[] = [];
  for await (const { data } of daemon.stream(`/stream/${session}`)) events.push(JSON.parse(data) as AgentEvent);
  report.print(events.map(line).filter(Boolean).join('\n'));
  const job = await daemon.get<Job>(`/jobs/${session}`);
  report.print(`job: ${JSON.stringify(job, ['status', 'provider', 'approval', 'steps_completed', 'files_modified'])}`);
  report.check(
    'the stream ended with complete, and the job is complete',
    events.at(-1)?.type === 'complete' && job.status === 'complete',
  );
  const written = join(checkout, 'REPORT.md');
  const quotes = existsSync(written) ? readFileSync(written, 'utf8') : '';
  report.check(
    'REPORT.md exists and quotes what was read',
    quotes.includes('> # Corner shop') && quotes.includes('> - discounts'),
  );
  report.check('git reports only that one new file', git(checkout, 'status', '--porcelain') === '?? REPORT.md');
  return session;
}

function line(event: AgentEvent): string {
  if (event.type === 'step')
    return `step ${event.step_num} ${event.tool_name} ${event.success === true ? 'ok' : 'failed'}`;
  return event.type === 'chunk' ? '' : `${event.type}: ${event.content?.split('\n')[0]?.slice(0, 100)}`;
}

async function killedInTheMiddle(daemon: DemoDaemon, { checkout }: DemoFolders): Promise<Before> {
  report.section('Second job: SIGKILL while its tool runs');
  const session = await startJob(daemon, SECOND_TASK);
  const run = collect(daemon.stream(`/stream/${session}`));
  const log = collect(daemon.stream('/v1/events/stream?after=0'));
  const pidFile = join(checkout, 'pids.log');
  const pids = (): number[] =>
    existsSync(pidFile) ? (readFileSync(pidFile, 'utf8').match(/\d+/g) ?? []).map(Number) : [];
  await eventually(() => pids().length === 2, 20);
  const head = await daemon.get<Head>('/v1/log/head');
  await eventually(() => Number(log.seen.at(-1)?.id) >= head.position, 5);
  const toolPids = pids();
  report.check(`the tool's processes run: ${toolPids.join(' and ')}`, toolPids.length === 2 && toolPids.every(isAlive));
  await daemon.end('SIGKILL');
  await Promise.all([run.ended, log.ended]);
  report.print(`daemon killed; seen until then: ${log.seen.length} events of the log, ${run.seen.length} of the run`);
  const gone = await eventually(() => !toolPids.some(isAlive), 10);
  report.check('the tool’s processes died with their daemon', gone);
  return { session, head, log: log.seen, run: run.seen, toolPids };
}

async function resumed(daemon: DemoDaemon, { checkout }: DemoFolders, before: Before): Promise<void> {
  const path = `/stream/${before.session}`;
  const rest = collect(daemon.stream(path, { lastEventId: before.run.at(-1)?.id }));
  await rest.ended;
  report.print(
    rest.seen
      .map(({ data }) => line(JSON.parse(data) as AgentEvent))
      .filter(Boolean)
      .join('\n'),
  );
  const job = await daemon.get<Job>(`/jobs/${before.session}`);
  report.check(
    `the job went on and is ${job.status}`,
    job.status === 'complete' && existsSync(join(checkout, 'DONE.md')),
  );
  const attempts = readFileSync(join(checkout, 'attempts.log'), 'utf8');
  report.check('the interrupted command was not run a second time', attempts === 'started\n');
  report.check('none of its processes is running', !before.toolPids.some(isAlive));

  const whole = await all(daemon.stream(path));
  report.check(
    `the stream before the kill and after it, joined by Last-Event-ID, is the whole stream: ${whole.length} events, ` +
      `${textOf(whole).length} characters`,
    same([...before.run, ...rest.seen], whole) && textOf([...before.run, ...rest.seen]) === textOf(whole),
  );
  const cuts = [1, Math.floor(whole.length / 3), Math.floor(whole.length / 2), whole.length - 1];
  const joined = await Promise.all(
    cuts.map(async (cut) => [
      ...whole.slice(0, cut),
      ...(await all(daemon.stream(path, { lastEventId: whole[cut - 1]!.id }))),
    ]),
  );
  report.check(
    `the same holds when it is cut after event ${cuts.join(', ')}`,
    joined.every((events) => same(events, whole)),
  );
}

/** Computes every hash from the downloaded events, with code that the daemon does not use. */
async function verifiedLog(daemon: DemoDaemon, before: Before): Promise<void> {
  report.section('The log');
  const head = await daemon.get<Head>('/v1/log/head');
  const isLast = ({ id }: SseMessage): boolean => Number(id) >= head.position;
  const events = await all(daemon.stream('/v1/events/stream?after=0', { isLast }));
  report.check(
    `all ${before.log.length} events seen before the kill are in the log, byte for byte`,
    before.log.length >= before.head.position && same(events.slice(0, before.log.length), before.log),
  );
  const verifier = createVerifier();
  const leaves: string[] = [];
  let rootBefore = '';
  for (const { data } of events) {
    const envelope = JSON.parse(data) as Envelope;
    verifier.add(envelope);
    leaves.push(envelope.leaf_hash);
    if (verifier.size === before.head.position) rootBefore = verifier.treeHash();
  }
  for (const { position, what } of verifier.problems()) report.print(`position ${position}: ${what}`);
  report.check(
    `${verifier.size} events: positions, versions and leaf hashes are right`,
    verifier.problems().length === 0,
  );
  report.check(`the tree over them is the daemon’s: ${head.tree_hash}`, verifier.treeHash() === head.tree_hash);
  report.check('the tree noted before the kill is a prefix of it', rootBefore === before.head.tree_hash);
  await verifiedProofs(daemon, { head, before: before.head, leaves });
}

async function verifiedProofs(
  daemon: DemoDaemon,
  { head, before, leaves }: { readonly head: Head; readonly before: Head; readonly leaves: readonly string[] },
): Promise<void> {
  const positions = [1, before.position, head.position];
  const proofs = await Promise.all(
    positions.map((position) =>
      daemon.get<{ path: string[] }>(`/v1/log/proof?position=${position}&size=${head.position}`),
    ),
  );
  const included = positions.every((position, at) =>
    verifyInclusion({
      index: position - 1,
      size: head.position,
      leaf: bytes(leaves[position - 1]!),
      path: proofs[at]!.path.map(bytes),
      root: bytes(head.tree_hash),
    }),
  );
  report.check(`inclusion proofs hold for positions ${positions.join(', ')}`, included);
  const { path } = await daemon.get<{ path: string[] }>(
    `/v1/log/consistency?from=${before.position}&to=${head.position}`,
  );
  const consistent = verifyConsistency({
    from: before.position,
    to: head.position,
    fromRoot: bytes(before.tree_hash),
    toRoot: bytes(head.tree_hash),
    path: path.map(bytes),
  });
  report.check(`so does the consistency proof from ${before.position} to ${head.position}`, consistent);
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

async function all(events: AsyncGenerator<SseMessage>): Promise<SseMessage[]> {
  const { seen, ended } = collect(events);
  await ended;
  return seen;
}

function same(left: readonly SseMessage[], right: readonly SseMessage[]): boolean {
  return (
    left.length === right.length &&
    left.every((event, at) => event.id === right[at]!.id && event.data === right[at]!.data)
  );
}

function textOf(events: readonly SseMessage[]): string {
  const chunks = events.map(({ data }) => JSON.parse(data) as AgentEvent).filter(({ type }) => type === 'chunk');
  return chunks.map(({ content }) => content ?? '').join('');
}
