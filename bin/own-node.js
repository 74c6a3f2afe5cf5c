// Runs the program with the Node that the package includes, from a Node that is too old. Works in Node 18 and newer.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('daybook.js', import.meta.url));
/** Signals that a terminal sends to every process in its foreground. */
const FROM_TERMINAL = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

/** The Node of the package for this platform; null if npm installed none. */
export function ownNode() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  } catch {
    return null;
  }
}

/** Runs this program again with the package's Node, forwards signals, and exits with its exit code or signal. */
export function handOver(majorMin) {
  const node = ownNode();
  if (node === null) {
    const { node: version } = process.versions;
    process.stderr.write(
      `Daybook needs Node ${majorMin} or newer; this is ${version}. The package brings one for Linux and Windows, ` +
        `unless it was installed with --omit=optional. Install Node ${majorMin}, or the package without that option.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [...process.execArgv, PROGRAM, ...process.argv.slice(2)], {
    stdio: 'inherit',
    // A daemon stops when this process is gone (see serve.ts).
    env: { ...process.env, DAYBOOK_PARENT: String(process.pid) },
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  for (const signal of FROM_TERMINAL) process.on(signal, () => process.stdin.isTTY || child.kill(signal));
  child.on('error', ({ message }) => {
    process.stderr.write(`Daybook cannot run its own Node, ${node}: ${message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Ends by the same signal, so that a shell or systemd sees it.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1_000);
  });
}
