/** A minimal desktop session with a real keyring: a message bus and gnome-keyring on a folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';

const PROGRAMS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'];

/** What of it this machine lacks; Debian has them in dbus-daemon, dbus-bin and gnome-keyring. */
export const MISSING = PROGRAMS.filter((name) => !(process.env.PATH ?? '').split(':').some((path) => has(path, name)));

function has(path: string, name: string): boolean {
  try {
    accessSync(join(path, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How a process finds the keyring. */
export const KEYRING_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'] as const;

export interface KeyringSession {
  /** For a daemon that is to find the keyring. */
  readonly env: NodeJS.ProcessEnv;
  end(): Promise<void>;
}

/** With a password the keyring is open (and made, if it is the first session); without one it is as after a login. */
export async function keyringSession(folder: string, password?: string): Promise<KeyringSession> {
  const base = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder };
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(bus.stdout, 'data')) as [Buffer];
  const env = { ...base, DBUS_SESSION_BUS_ADDRESS: line.toString().trim() };
  const unlock = password === undefined ? [] : ['--unlock'];
  const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--components=secrets', ...unlock], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keyring.stdin.end(password ?? '');
  await until(() => isServed(env));
  return {
    env,
    async end() {
      await ended(keyring);
      await ended(bus);
    },
  };
}

function isServed(env: NodeJS.ProcessEnv): boolean {
  const call = ['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets'];
  const words = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', ...call];
  return execFileSync('dbus-send', words, { env, encoding: 'utf8' }).includes('boolean true');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
