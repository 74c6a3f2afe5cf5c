/**
 * The one composition root: opens the storage, folds the views, wires commands, reactors, streams and routes, listens.
 * The only importer of integrations.
 */
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { resolveHarness } from './commands/harness-defaults.ts';
import { type RunRecording, recordingOf } from './commands/run/recording.ts';
import { requestHash } from './commands/run/request.ts';
import type { Config } from './config.ts';
import { type DiscoveryFiles, urlOf, writeDiscovery } from './discovery.ts';
import { isLocalHost, isLoopbackAddress } from './http/door.ts';
import type { House } from './http/house.ts';
import { startMemory } from './http/memory/encryption.ts';
import { createMemoryKeeper } from './http/memory/keeper.ts';
import { createMemoryVectors } from './http/memory/provider-vectors/vectors.ts';
import { allRoutes } from './http/routes.ts';
import { createServer, type HttpServer } from './http/server.ts';
import { serveSockets } from './http/sockets.ts';
import { systemAmbient } from './integrations/ambient/system.ts';
import { createCodeIndex } from './integrations/code-index/code-index.ts';
import { createEmbedders } from './integrations/embedders/embedders.ts';
import { createEvidenceFiles } from './integrations/evidence/evidence-files.ts';
import { createForge } from './integrations/forge/forge.ts';
import { createGit } from './integrations/git/git.ts';
import { createKeyring } from './integrations/keyring/keyring.ts';
import { createModels } from './integrations/models/models.ts';
import { REPLAY_PROVIDER, withReplay } from './integrations/models/replay.ts';
import { createOffice } from './integrations/office/office.ts';
import { createPdf } from './integrations/pdf/pdf.ts';
import { createSkills } from './integrations/skills/skills.ts';
import { withDelegates } from './integrations/tools/delegates.ts';
import { createTools } from './integrations/tools/tools.ts';
import { createVectorFiles } from './integrations/vectors/files.ts';
import type { Ambient } from './ports/ambient.ts';
import { approvals } from './projections/approvals.ts';
import { deliveries, pendingDeliveryIds } from './projections/deliveries.ts';
import { engagements } from './projections/engagements.ts';
import { goals } from './projections/goals.ts';
import { harness, harnessOverrides } from './projections/harness.ts';
import { buildingIndexIds, indexBuilds } from './projections/index-builds.ts';
import { activeJobIds, jobs } from './projections/jobs.ts';
import { memory } from './projections/memory/memory.ts';
import { openSealedIndex } from './projections/memory/sealed-index.ts';
import { office } from './projections/office.ts';
import { localVector } from './projections/recall/vector.ts';
import { tasks } from './projections/tasks.ts';
import { openViews, type ViewsStore } from './projections/views.ts';
import { agentRun } from './reactors/agent-run.ts';
import { forgeReview } from './reactors/forge-review.ts';
import { indexBuilding } from './reactors/index-build.ts';
import { createIndexProgress } from './reactors/index-progress.ts';
import { makeDirectories } from './storage/files.ts';
import { openStorage } from './storage/open.ts';
import { readStorageConfig, STORAGE_CONFIG_FILE } from './storage/ops/config.ts';
import { createStorageOps, type OpsOptions } from './storage/ops/ops.ts';
import { createDispatcher } from './streams/dispatch.ts';
import { createFeed } from './streams/feed.ts';
import { createProjector, type Projector } from './streams/project.ts';
import { createReactorRunner } from './streams/react.ts';
import { createTails } from './streams/tails.ts';

export interface Daemon {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Stops accepting, closes streams, lets effects record their end, flushes, frees the directory. Idempotent. */
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** A line on stderr. */
  readonly announce: (line: string) => void;
  /** Clock, ids and chance; the machine's own unless a test brings others. */
  readonly ambient?: Ambient;
}

const PROJECTIONS = [jobs, approvals, deliveries, tasks, harness, memory, goals, engagements, indexBuilds, office];
/**
 * A log is written in order and read near its end: small segments, frequent checkpoints and a small cache cost it
 * little and keep the daemon small.
 */
const LEAN_COW = { wal_buffer_size: 1_048_576, cache_bytes: 16_777_216 };
/** How long effects in flight may take to let go when the daemon stops. */
const STOP_GRACE_MS = 4_000;
/** How long answers under way may take after that. */
const ANSWERS_GRACE_MS = 2_000;
/** How often connections are closed whose last answer went out meanwhile. */
const IDLE_CLOSE_MS = 20;

export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, announce } = options;
  if (!isLoopbackAddress(config.host) && !config.allow_remote) {
    throw new Error(`Listening on ${config.host} lets other machines in; allow it with --allow-remote.`);
  }
  makePrivate(config.home);
  const parts = await openParts(options);
  const { house, status } = parts;
  const { app, door, unused } = createServer(house, allRoutes(house));
  const sockets = serveSockets(app.server, { house, door });
  const discovery = writeDiscovery(config.home);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll({ ...parts, app, unused, sockets, discovery }));
  try {
    await listen(app, config);
    status.port = (app.server.address() as AddressInfo).port;
    discovery.write({ token: house.token, host: config.host, port: status.port, startedAt: house.startedAt });
    const url = urlOf(config.host, status.port);
    announce(`token ${house.token}`);
    announce(`listening ${url}`);
    await parts.ops.start();
    await parts.foldViews();
    await startMemory(house);
    house.memoryVectors.start();
    await takeUpWork(parts, announce);
    return { url, port: status.port, token: house.token, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Everything behind the routes, opened and wired, with nothing going yet. */
async function openParts({ config, env, announce, ambient = systemAmbient }: DaemonOptions) {
  const { storage, ops } = await openLog({ config, announce, views: () => house.viewsUnavailable() });
  const { log } = ops;
  const { store, projector } = openProjector(config, { log, report: announce });
  const dispatcher = createDispatcher({ log, ambient });
  const feed = createFeed(log, projector);
  const tails = createTails({ log, views: store, feed });
  const recording = (id: string): RunRecording | undefined => recordingOf(log.readStream(`run-${id}`) as never);
  const models = withReplay(createModels({ env, provider: config.provider, model: config.model }), {
    recording,
    hash: requestHash,
  });
  const embedders = createEmbedders({
    env,
    provider: config.embedding_provider,
    model: config.embedding_model,
    dimensions: config.embedding_dimensions,
    localVector,
  });
  const { tools, delegates } = withDelegates(createTools({ home: config.home, env }));
  const secrets = createKeyring();
  const memoryKeeper = createMemoryKeeper({
    views: store,
    log,
    feed,
    secrets,
    passphrase: env.DAYBOOK_MEMORY_PASSPHRASE,
    openIndex: openSealedIndex,
    announce,
  });
  const asking = {
    models,
    ambient,
    settings: (provider: string, model: string) =>
      (provider === REPLAY_PROVIDER ? recording(model)?.settings : undefined) ??
      resolveHarness({ provider, model, overrides: harnessOverrides(store) }).effective,
    stallMs: config.model_stall_seconds * 1000,
  };
  const machine = { dispatcher, feed, report: announce };
  const runs = createReactorRunner(agentRun({ ...asking, tools, runsMax: config.runs_max }), machine);
  const forge = createForge({ hosts: config.forge_hosts, home: config.home, env });
  const reviews = createReactorRunner(forgeReview({ ...asking, forge }), machine);
  const codeIndex = createCodeIndex(config);
  const indexProgress = createIndexProgress();
  const builds = createReactorRunner(
    indexBuilding({ codeIndex, embedders, ambient, progress: indexProgress }),
    machine,
  );
  const status = { port: config.port, folding: 'The views are being opened.' as string | null };
  const folding = async (work: (progress: Progress) => Promise<void>): Promise<void> => {
    status.folding ??= 'The views are being rebuilt from the log.';
    await work((done, total) => {
      status.folding = `The views are being rebuilt from the log: ${done} of ${total} events.`;
    });
    status.folding = null;
  };
  const memoryVectors = createMemoryVectors({
    ...{ embedders, views: store, feed, memory: memoryKeeper, announce, ambient },
    viewsUnavailable: () => house.viewsUnavailable(),
    files: createVectorFiles(config.ephemeral ? null : join(config.home, 'vectors')),
  });
  const house: House = {
    config,
    version: VERSION,
    ambient,
    log,
    views: store,
    projector,
    dispatcher,
    feed,
    tails,
    models,
    embedders,
    codeIndex,
    indexProgress,
    tools,
    delegates,
    skills: createSkills(config.workspace),
    git: createGit(env),
    memory: memoryKeeper,
    memoryVectors,
    secrets,
    evidenceFiles: createEvidenceFiles({ home: config.home }),
    token: ambient.hex(16),
    startedAt: ambient.now(),
    port: () => status.port,
    viewsUnavailable: () => status.folding ?? (projector.failures.size === 0 ? null : VIEWS_BROKEN),
    rebuildViews: () => folding((progress) => projector.rebuild(progress)),
    storage: () => ({ backend: storage.backend, failure: log.failure?.message ?? null }),
    storageControl: ops.control,
    office: createOffice({ home: config.home, env, now: () => ambient.now(), ephemeral: config.ephemeral }),
    pdf: createPdf({ home: config.home }),
    announce,
  };
  const foldViews = (): Promise<void> => folding((progress) => projector.catchUp(progress));
  return { house, status, storage, ops, store, feed, tails, tools, runs, reviews, builds, foldViews };
}

/** The log, and the operations around it: metrics, probes, daily backup. */
async function openLog({
  config,
  announce,
  views,
}: Pick<DaemonOptions, 'config' | 'announce'> & Pick<OpsOptions, 'views'>) {
  const { home, ephemeral, storage_config: named } = config;
  const settings = readStorageConfig(named ?? join(home, STORAGE_CONFIG_FILE), { named: named !== undefined });
  const directory = join(home, 'data');
  const backend = config.backend ?? settings.backend;
  const storage = await openStorage({
    directory,
    ...(backend === undefined ? {} : { backend }),
    config: { ...settings.engines, cow: { ...LEAN_COW, ...settings.engines.cow } },
    ephemeral,
  });
  const ops = createStorageOps({
    storage,
    place: ephemeral ? null : { directory, home },
    config: settings,
    port: config.storage_ops_port === 'off' ? null : config.storage_ops_port,
    version: VERSION,
    admitsHost: isLocalHost,
    views,
    report: announce,
  });
  return { storage, ops };
}

type Progress = (done: number, total: number) => void;
type Parts = Awaited<ReturnType<typeof openParts>>;

async function listen(app: HttpServer['app'], config: Config): Promise<void> {
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? new Error(portTaken(config)) : error;
  }
}

/**
 * What an earlier process left: its tools’ processes end, its runs go on. A log that takes no writes is still served.
 */
async function takeUpWork(parts: Parts, announce: (line: string) => void): Promise<void> {
  const { tools, runs, reviews, builds, store } = parts;
  try {
    await tools.sweep();
    await runs.recover(activeJobIds(store), 'the daemon was restarted');
    await reviews.recover(pendingDeliveryIds(store), 'the daemon was restarted');
    await builds.recover(buildingIndexIds(store), 'the daemon was restarted');
  } catch (error) {
    announce(`Earlier runs cannot be taken up: ${(error as Error).message}`);
  }
}

/** In this order: nobody new, streams end, effects let go and are recorded, answers go out, then the floor. */
async function stopAll(
  parts: Parts & Pick<HttpServer, 'app' | 'unused'> & { sockets: { close(): void }; discovery: DiscoveryFiles },
): Promise<void> {
  const { house, app, sockets, discovery, tails, runs, reviews, builds, feed, tools, store, storage, ops } = parts;
  const closed = app.close();
  tails.close();
  house.indexProgress.close();
  sockets.close();
  await Promise.all([runs, reviews, builds].map((each) => each.stop('the daemon was stopped', STOP_GRACE_MS)));
  await Promise.all([parts.house.office.close(), parts.house.pdf.close(), parts.house.memoryVectors.rest()]);
  // Requests that wait for something to happen are answered now.
  feed.end();
  parts.unused.close();
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CLOSE_MS);
  const force = setTimeout(() => app.server.closeAllConnections(), ANSWERS_GRACE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
  feed.stop();
  parts.house.memoryVectors.close();
  parts.house.memory.stop();
  await Promise.all([tools.close(), house.git.close()]);
  await house.codeIndex.close();
  house.projector.settle();
  store.close();
  discovery.remove();
  await ops.stop();
  await storage.close();
}

const VIEWS_BROKEN = 'A view could not be folded; see the daemon’s stderr, then run: daybook log rebuild.';

/** The home is its owner's alone. One that others share (such as /tmp) is refused, never changed under them. */
function makePrivate(home: string): void {
  makeDirectories(home);
  const { mode, uid } = statSync(home);
  if ((mode & 0o077) === 0) return;
  if ((mode & 0o1000) !== 0 || (process.getuid !== undefined && uid !== process.getuid())) {
    throw new Error(`${home} is shared with other users; set DAYBOOK_HOME to a folder of your own.`);
  }
  chmodSync(home, 0o700);
}

function portTaken({ host, port }: Config): string {
  return (
    `Port ${port} on ${host} is taken, perhaps by another daemon. ` +
    'Choose another with --port or DAYBOOK_DAEMON_PORT; 0 takes any free one.'
  );
}

/** Views that cannot be opened are thrown away: they are folded again from the log. */
function openProjector(
  config: Config,
  parts: Pick<Parameters<typeof createProjector>[0], 'log' | 'report'>,
): { readonly store: ViewsStore; readonly projector: Projector } {
  const path = config.ephemeral ? null : join(config.home, 'views.db');
  const open = (): { store: ViewsStore; projector: Projector } => {
    const store = openViews(path);
    return { store, projector: createProjector({ ...parts, store, projections: PROJECTIONS }) };
  };
  try {
    return open();
  } catch (error) {
    if (path === null) throw error;
    parts.report(`The views in ${path} cannot be opened (${(error as Error).message}); they are rebuilt from the log.`);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return open();
  }
}
