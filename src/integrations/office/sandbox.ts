/**
 * What a converter's process may see and use, made with `unshare` where the system lets an ordinary user do that.
 *
 * - `files_and_network`: a root of its own that holds the system's programs, the suite and the job's folder, and no
 *   network. Only for a real installation: a script of the owner's may need what lies beside it.
 * - `network`: no network. `settings_only`: neither can be had; then the profile's settings are what protects.
 * - In every case one file may have `FILE_BYTES_MAX` and the process `MEMORY_BYTES_MAX` of address space.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OfficeIsolation } from '../../ports/office.ts';

export const FILE_BYTES_MAX = 512 * 1024 * 1024;
const MEMORY_BYTES_MAX = 8 * 1024 * 1024 * 1024;

export interface Sandboxed {
  readonly isolation: OfficeIsolation;
  /** The job's folder, the only place that can be written. */
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

/** The folder of the suite a program belongs to: two above the real program, when that is one. */
function installation(program: string): string | undefined {
  try {
    const folder = dirname(realpathSync(program));
    return existsSync(join(folder, 'soffice.bin')) ? dirname(folder) : undefined;
  } catch {
    return undefined;
  }
}

// In a process namespace of their own all end with the first of them, and the kernel collects them.
const NAMESPACES = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child'];

// The unit of `ulimit -f` is 512 bytes, that of `-v` 1024. A limit that may not be set is no reason to fail.
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
