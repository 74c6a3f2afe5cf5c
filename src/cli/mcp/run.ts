/**
 * `daybook mcp run <id>`: launches a connector for an MCP client, with its credentials, on the client's stdin and stdout.
 *
 * - The credentials are read from the vault at the start and are only in the server's environment and arguments.
 * - The server and its children end with this process, however it ends: clients end only the process they started.
 * - The server ends when its connector is disabled or removed.
 * - A signal is passed on. A server that does not end within `GRACE_MS`, or before the next signal, is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { vaultOwner } from '../../commands/connector/decide.ts';
import type { Config } from '../../config.ts';
import { workingDirectory } from '../../integrations/mcp/working-directory.ts';
import { carrying, killAll, TOOL_VARIABLE, WATCHDOG_VARIABLE } from '../../integrations/tools/marker.ts';
import { scrubbedEnvironment } from '../../integrations/tools/process.ts';
import { start, underWatchdog } from '../../integrations/tools/watchdog.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { launchOf } from '../../queries/connector/launch.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../errors.ts';
import type { Connector } from './servers.ts';
import { vaultOf } from './vault.ts';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const GRACE_MS = 5_000;

interface Context {
  readonly config: Pick<Config, 'home'>;
  readonly scope: WorkspaceScope;
  /** Resolves with the error to end with when the connector is disabled; null when the signal aborts. */
  readonly disabled: (signal: AbortSignal) => Promise<CommandError | null>;
}

/** Resolves with the exit code of the server. Throws a `CommandError` when the connector was disabled meanwhile. */
export async function runConnector(connector: Connector, { config, scope, disabled }: Context): Promise<number> {
  const secrets = await secretsOf(config.home, vaultOwner(scope.key, connector.id));
  const { program, cwd } = launchOf(connector, { workspace: scope.root, secrets });
  if (program === null) throw new CommandError('Daybook’s own server is started with: daybook --mcp-server');
  const marker = `mcp-run-${randomUUID()}`;
  const launchError = ({ message }: Error) =>
    new CommandError(`The connector '${connector.id}' cannot be started: ${message}`);
  const child = orThrow(launchError, () =>
    spawn('/bin/sh', underWatchdog(marker, [program.command, ...program.args]), {
      cwd: cwd ?? workingDirectory(config.home),
      env: { ...scrubbedEnvironment(process.env), ...secrets, [WATCHDOG_VARIABLE]: marker },
      detached: true,
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    }),
  );
  forwardSignals(child);
  start(child);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', (error) => reject(launchError(error)));
  child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal]));
  const over = new AbortController();
  const ended = promise.finally(() => over.abort());
  const fault = await Promise.race([disabled(over.signal), ended.then(() => null)]);
  if (fault !== null) end(child);
  const code = await ended;
  signalGroup(child.pid, 'SIGKILL');
  await killAll(carrying([TOOL_VARIABLE], (value) => value === marker));
  if (fault !== null) throw fault;
  return code;
}

function forwardSignals(child: ChildProcess): void {
  let isEnding = false;
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      end(child, isEnding ? 'SIGKILL' : signal);
      isEnding = true;
    });
  }
}

function end({ pid }: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): void {
  signalGroup(pid, signal);
  setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS).unref();
}

/** Some failures of `spawn`, such as arguments that are too long, are thrown and not emitted as an event. */
function orThrow<Result>(toError: (error: Error) => CommandError, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toError(error as Error);
  }
}

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal);
  } catch {
    // The process has ended already.
  }
}

async function secretsOf(home: string, owner: string): Promise<Readonly<Record<string, string>>> {
  try {
    return await vaultOf(home).read(owner);
  } catch (error) {
    throw error instanceof VaultTrouble ? new CommandError(error.message) : error;
  }
}

/** Without a daemon no connector is changed. */
const DAEMON_GONE_MS = 30_000;

const ENDS: Readonly<Record<string, string>> = { ConnectorDisabled: 'disabled', ConnectorRemoved: 'removed' };

interface ConfiguredConnector {
  readonly scopeKey: string;
  readonly id: string;
  /** Position of the log at which the connector was enabled. */
  readonly position: number;
}

/** Resolves with the error to end with; null when the signal aborts. */
export async function untilDisabled(
  client: Pick<Client, 'follow'>,
  { scopeKey, id, position }: ConfiguredConnector,
  signal: AbortSignal,
): Promise<CommandError | null> {
  const stream = vaultOwner(scopeKey, id);
  const options = { after: String(position), signal };
  while (!signal.aborted) {
    try {
      for await (const { data } of client.follow((api, rest) => api.log.events({ ...rest, stream }), options)) {
        const end = ENDS[data.type];
        if (end !== undefined) return new CommandError(`The connector '${id}' was ${end}.`);
      }
    } catch {
      await delay(DAEMON_GONE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
