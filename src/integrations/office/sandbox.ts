/**
 * The sandbox of a converter's process, made with `unshare` where an ordinary user may do that.
 *
 * - `files_and_network`: no network, and a root with the system's programs, the suite and the job's folder. Only for a
 *   real installation: a wrapper script may need files beside it.
 * - `network`: no network. `settings_only`: neither is possible, so only the profile protects.
 * - In all cases a file may have `FILE_BYTES_MAX` and the process `MEMORY_BYTES_MAX` of address space.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OfficeIsolation } from '../../ports/office.ts';

export const FILE_BYTES_MAX = 512 * 1024 * 1024;
const MEMORY_BYTES_MAX = 8 * 1024 * 1024 * 1024;

export interface Sandboxed {
  readonly isolation: OfficeIsolation;
  /** The job's folder, the only writable place. */
  readonly folder: string;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
}

export function sandboxed({ isolation, folder, command }: Sandboxed): readonly string[] {
  const limited = ['/bin/sh', '-c', LIMITS, 'limits', ...command];
  switch (isolation) {
    case 'settings_only':
      return limited;
    case 'network':
      return ['unshare', ...NAMESPACES, '--', ...limited];
    case 'files_and_network': {
      const script = ['/bin/sh', '-c', OWN_ROOT, 'own-root', folder, installation(command[0]) ?? ''];
      return ['unshare', ...NAMESPACES, '--mount', '--', ...script, ...limited];
    }
  }
}

/** Isolations to try for a program, the strongest first. */
export function isolationsFor(program: string): readonly OfficeIsolation[] {
  if (process.platform !== 'linux') return ['settings_only'];
  const all: readonly OfficeIsolation[] = ['files_and_network', 'network', 'settings_only'];
  return installation(program) === undefined ? all.slice(1) : all;
}

/** Installation folder of a program, two levels above its real path; undefined for other programs. */
function installation(program: string): string | undefined {
  try {
    const folder = dirname(realpathSync(program));
    return existsSync(join(folder, 'soffice.bin')) ? dirname(folder) : undefined;
  } catch {
    return undefined;
  }
}

// In its own process namespace, all processes end with the first.
const NAMESPACES = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child'];

// `ulimit -f` counts 512 bytes, `-v` counts 1024. A limit that may not be set is ignored.
const LIMITS = `
ulimit -c 0 2>/dev/null
ulimit -f ${FILE_BYTES_MAX / 512} 2>/dev/null
ulimit -v ${MEMORY_BYTES_MAX / 1024} 2>/dev/null
"$@"
exit $?
`;

const OWN_ROOT = `
set -e
job=$1
suite=$2
shift 2
root=$job/root
mkdir -p "$root"
mount -t tmpfs -o size=64m,mode=755 tmpfs "$root"
for name in usr lib lib32 lib64 bin sbin etc/fonts etc/libreoffice etc/alternatives; do
  if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"
  elif [ -d "/$name" ]; then
    mkdir -p "$root/$name"
    mount --rbind "/$name" "$root/$name"
  fi
done
if [ -n "$suite" ] && [ ! -d "$root$suite" ]; then
  mkdir -p "$root$suite"
  mount --rbind "$suite" "$root$suite"
fi
for name in etc/passwd etc/group etc/ld.so.cache etc/localtime; do
  if [ -f "/$name" ]; then cp -L "/$name" "$root/$name"; fi
done
mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root$job"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$job" "$root$job"
cd /
exec chroot "$root" "$@"
`;
