/**
 * Starts and stops the daemon: it listens, folds the views, resumes the work of the previous process, and shuts down in
 * a fixed order. `compose` creates its parts.
 */
import { chmodSync, realpathSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { isAbsolute, relative, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { agreeOnKeys, compareOnceThere } from './compose/agreed-keys.ts';
import { checkAddress, readCertificate, readToken } from './compose/listening.ts';
import { Starting } from './compose/starting.ts';
import { compose, type DaemonOptions, type Parts } from './compose.ts';
import type { Config } from './config.ts';
import { type DiscoveryFiles, urlOf, writeDiscovery } from './discovery.ts';
import { withDocuments } from './http/openapi/routes.ts';
import { createServer, type HttpServer } from './http/server/server.ts';
import { createSockets, serveSockets } from './http/server/sockets.ts';
import { homeDirectory } from './lib/home-directory.ts';
import { putBackPlugins } from './reactors/plugin/installer.ts';
import type { EventLog } from './storage/event-log.ts';
import { makeDirectories } from './storage/files.ts';
import { VERSION } from './version.ts';

export interface Daemon {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** The Fastify server, for requests without a socket: `app.inject`. */
  readonly app: HttpServer['app'];
  readonly log: EventLog;
  /** Closes the server and its streams, waits until effects have recorded their outcome, closes the log. Idempotent. */
  stop(): Promise<void>;
}

export interface StartOptions extends DaemonOptions {
  /** The daemon ends with the program that started it. The discovery file tells clients. */
  readonly leashed?: boolean;
  /** Aborts the start: it rejects with the signal's reason, and no earlier work is resumed. */
  readonly until?: AbortSignal;
}

/** Time for effects in flight to end when the daemon stops. */
const STOP_GRACE_MS = 4_000;
/** Time for responses in progress after the effects have ended. */
const RESPONSE_GRACE_MS = 2_000;
/** Time to send the error that ends a response after its grace. */
const ERROR_GRACE_MS = 500;
/** Interval at which idle connections are closed. */
const IDLE_CLOSE_MS = 20;

export async function startDaemon({ leashed = false, until, ...options }: StartOptions): Promise<Daemon> {
  const { config, announce } = options;
  checkAddress(config);
  const certificate = readCertificate(config, announce);
  const ownToken = readToken(config);
  makePrivate(config.home);
  const starting = new Starting({ config, certificate, announce, version: VERSION });
  const copying = (done: number, total: number): void => starting.copied(done, total);
  const composing = compose({ ...options, ownToken, copying });
  // Frees the address, also after a failure. With port 0 the daemon takes the port that the system has chosen here.
  const startingPort = await composing.then(
    () => starting.end(),
    () => starting.end(),
  );
  const parts = await composing;
  const { services, served } = parts;
  const tls = certificate ?? undefined;
  const routes = parts.allResources.map((resource) => resource.routes(services));
  const specs = parts.allResources.flatMap((resource) => resource.sockets?.(services) ?? []);
  const described = withDocuments({ version: services.version, sockets: specs }, routes);
  const { app, guard, connections } = createServer({ ...services, tls }, described);
  const sockets = createSockets(specs, announce);
  serveSockets(app.server, { sockets, guard });
  const discovery = writeDiscovery(config.home);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll({ ...parts, app, connections, sockets, discovery }));
  // Ends the catch-up of the views, which can take long.
  until?.addEventListener('abort', () => services.projector.close(), { once: true });
  try {
    until?.throwIfAborted();
    await listen(app, { ...config, port: startingPort ?? config.port });
    served.port = (app.server.address() as AddressInfo).port;
    const { token, startedAt } = services;
    const url = urlOf(certificate?.host ?? config.host, served.port, certificate !== null);
    discovery.write({ token, host: config.host, port: served.port, startedAt, leashed, certificate });
    // Lets requests be answered between the steps that follow.
    await nextTurn();
    await parts.ops.start();
    announce(`token ${services.token}`);
    announce(`listening ${url}`);
    await parts.foldViews();
    until?.throwIfAborted();
    await services.encryptionProcess.start();
    until?.throwIfAborted();
    services.memoryVectors.start();
    services.metricsHistory.start();
    await parts.cluster.start();
    await compareKeys(parts, { vaultPassphrase: options.env.DAYBOOK_VAULT_PASSPHRASE, stop });
    await takeUpWork(parts, announce);
    await parts.cluster.appear();
    await services.checkpoints.start();
    void services.cosigning.start();
    return { url, port: served.port, token: services.token, app, log: services.log, stop };
  } catch (error) {
    await stop();
    until?.throwIfAborted();
    throw error;
  }
}

async function listen(app: HttpServer['app'], config: Config): Promise<void> {
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    throw new Error(cannotListen(config, error as NodeJS.ErrnoException));
  }
}

/** Compares the keys with those of the other daemons on a shared log. A difference stops the daemon. */
async function compareKeys(
  { cluster: { tables, leases }, services }: Parts,
  { vaultPassphrase, stop }: { readonly vaultPassphrase: string | undefined; readonly stop: () => Promise<void> },
): Promise<void> {
  if (tables === null) return;
  await compareOnceThere({
    compare: () => agreeOnKeys({ ...services, vaultPassphrase, table: tables.nodes }),
    leases,
    announce: services.announce,
    differ: () => void stop(),
  });
}

/**
 * Ends the tool processes of an earlier daemon process and resumes its work. A failure is announced and does not end
 * the daemon, so that a log that accepts no writes is still served.
 */
async function takeUpWork(parts: Parts, announce: (line: string) => void): Promise<void> {
  const { services, reactors, routine } = parts;
  const restarted = 'the daemon was restarted';
  const work: readonly (() => Promise<unknown>)[] = [
    async () => services.tools.sweep(),
    async () => putBackPlugins(services),
    ...reactors.map(
      ({ runner, unfinished }) =>
        async () =>
          runner.recover(unfinished(), restarted),
    ),
    async () => routine.start(),
  ];
  for (const each of work) {
    await nextTurn();
    await each().catch((error: Error) => announce(`Earlier work cannot be taken up: ${error.message}`));
  }
}

/**
 * In this order: no new connections, the home names no daemon, streams end, effects end and are recorded, responses are
 * sent, storage closes.
 */
async function stopAll(
  parts: Parts & Pick<HttpServer, 'app' | 'connections'> & { sockets: { close(): void }; discovery: DiscoveryFiles },
): Promise<void> {
  const { services, closing, app, connections, sockets, discovery, reactors, routine, views, storage, ops } = parts;
  const { committed, subscriptions, tools, git, codeIndex, encryption, memoryVectors, projector } = services;
  const closed = app.close();
  discovery.remove();
  subscriptions.close();
  services.indexProgress.close();
  await services.mcpSessions.close();
  sockets.close();
  const working = [...reactors.map(({ runner }) => runner), routine];
  await Promise.all(working.map((each) => each.stop('the daemon was stopped', STOP_GRACE_MS)));
  await parts.cluster.stop();
  const { office, pdf, speech, mcp, rooms } = services;
  await Promise.all([office.close(), pdf.close(), speech.close(), mcp.close(), memoryVectors.stop(), rooms.close()]);
  // Answers long polls.
  committed.complete();
  connections.closeUnused();
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CLOSE_MS);
  const late = setTimeout(() => closing.abort(new Error('The daemon was stopped.')), RESPONSE_GRACE_MS);
  const force = setTimeout(() => app.server.closeAllConnections(), RESPONSE_GRACE_MS + ERROR_GRACE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
  clearTimeout(force);
  committed.stop();
  services.metricsHistory.stop();
  services.cosigning.stop();
  services.checkpoints.stop();
  memoryVectors.close();
  encryption.stop();
  await Promise.all([tools.close(), git.close()]);
  await codeIndex.close();
  projector.close();
  views.close();
  await ops.stop();
  await storage.close();
}

/**
 * Creates the home and makes it private to its owner. Throws for a folder that other users share (such as /tmp) or that
 * contains the user's home directory or this program (such as /); the mode of such a folder is never changed.
 */
function makePrivate(home: string): void {
  try {
    makeDirectories(home);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(`The home ${home} is no folder and cannot be made one (${code}); set DAYBOOK_HOME to another.`);
  }
  const { mode, uid } = statSync(home);
  if ((mode & 0o077) === 0) return;
  if ((mode & 0o1000) !== 0 || (process.getuid !== undefined && uid !== process.getuid())) {
    throw new Error(`${home} is shared with other users; set DAYBOOK_HOME to a folder of your own.`);
  }
  if (containsForeignFiles(home)) {
    throw new Error(`${home} contains your home directory or this program; set DAYBOOK_HOME to a folder of its own.`);
  }
  chmodSync(home, 0o700);
}

function containsForeignFiles(home: string): boolean {
  const folder = realpathSync(home);
  const paths = [homeDirectory() ?? [], process.execPath, import.meta.filename].flat();
  return paths
    .map((path) => relative(folder, path))
    .some((path) => path !== '' && path.split(sep, 1)[0] !== '..' && !isAbsolute(path));
}

function cannotListen({ host, port }: Config, { code, message }: NodeJS.ErrnoException): string {
  const another = 'Choose another with --port or DAYBOOK_DAEMON_PORT; 0 takes any free one.';
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken, perhaps by another daemon. ${another}`;
    case 'EACCES':
      return `This user may not listen on port ${port} of ${host}. ${another}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `The host ${host} is no address of this machine; see --host and DAYBOOK_HOST.`;
    default:
      return `Cannot listen on ${host}, port ${port}: ${message}`;
  }
}
