/**
 * The shell program under which every tool process runs, so that no process outlives the daemon, even a killed one.
 *
 * - Descriptor 3 is a socket whose other end only the daemon holds. The watchdog, a process of the same group, blocks
 *   reading it. When the daemon is gone the read ends, and the watchdog kills processes with the marker, then its
 *   group.
 * - The shell waits for `start`, so that the caller can read from /proc what the command may change at once.
 * - The watchdog starts before the command. If the daemon dies earlier, its first read ends at once.
 * - It is not a child of the command, so the command does not wait for it.
 * - It ignores the signals that a command may send to its group: the shell ignores them before the fork, and restores
 *   them for the command.
 * - As a member of the group it keeps the group's number from being reused while the group may be killed.
 */
import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import { TOOL_VARIABLE, WATCHDOG_VARIABLE } from './marker.ts';

/** Descriptor of the socket that the watchdog reads: the fourth entry of the child's `stdio`, a pipe. */
export const WATCHDOG_DESCRIPTOR = 3;

/** Arguments for `/bin/sh` that run a command under the watchdog, once `start` is called. */
export function underWatchdog(marker: string, command: readonly string[]): readonly string[] {
  return ['-c', PROGRAM, 'daybook-tool', marker, ...command];
}

/** Lets the command of `underWatchdog` begin. Does nothing when the process is gone. */
export function start({ stdio }: ChildProcess): void {
  const socket = stdio[WATCHDOG_DESCRIPTOR];
  // An error only means that the other side is gone.
  if (socket instanceof Writable) socket.on('error', () => undefined).write('\n');
}

const PROGRAM = `
read -r nothing <&3 || exit
marker=$1
shift
signals='HUP INT QUIT TERM USR1 USR2 PIPE ALRM TSTP TTIN TTOU'
trap '' $signals
( (
  exec </dev/null >/dev/null 2>&1
  cd /
  read -r nothing <&3
  PATH=/usr/bin:/bin:$PATH
  round=0
  while [ -r /proc/self/environ ] && [ "$round" -lt 200 ]; do
    round=$((round + 1))
    found=
    for file in $(grep -lzFxe "${TOOL_VARIABLE}=$marker" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      kill -KILL "\${pid%/environ}" && found=1
    done
    [ -n "$found" ] || break
  done
  kill -KILL 0
) & )
trap - $signals
unset ${WATCHDOG_VARIABLE}
${TOOL_VARIABLE}=$marker
export ${TOOL_VARIABLE}
exec 3<&-
exec "$@"
`;
