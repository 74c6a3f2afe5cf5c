/**
 * A daemon whose signer can be paused: `hold` delays short timers, `release` lets them run. Of the daemon's timers,
 * only the signer's are short as long as only tasks are written. It runs as a process with an IPC channel to its
 * parent, to which it sends its port and token.
 */
import { loadConfig } from '../../src/config/load.ts';
import { startDaemon } from '../../src/daemon.ts';
import { systemTimers, type Timers } from '../../src/lib/timers.ts';
import { CHECKPOINT_MS_MIN } from '../../src/reactors/tlog/checkpoints.ts';

const held: (() => void)[] = [];
let isHeld = false;

const timers: Timers = {
  after: (milliseconds, callback) =>
    systemTimers.after(milliseconds, () => {
      if (isHeld && milliseconds <= CHECKPOINT_MS_MIN) held.push(callback);
      else callback();
    }),
};

const home = process.argv[2]!;
const rates = { DAYBOOK_RATE_AUTHENTICATED: '1000000000', DAYBOOK_RATE_PUBLIC: '1000000000' };
const env = { PATH: process.env.PATH, ...rates };
const config = loadConfig(env, { port: 0, storage_ops_port: 'off', home, workspace: home }, home);
const daemon = await startDaemon({ config, env, timers, announce: () => undefined });

process.on('message', (message) => {
  isHeld = message === 'hold';
  if (!isHeld) for (const callback of held.splice(0)) callback();
  process.send!('done');
});
process.once('disconnect', () => void daemon.stop().then(() => process.exit()));
process.send!({ port: daemon.port, token: daemon.token });
