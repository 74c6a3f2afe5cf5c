/** A converter for tests, which is a script that its input controls, and what reads a PDF again. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders.ts';

export const HAS_PDFTOTEXT = answers('pdftotext', '-v');
/** With a home of its own: soffice writes to the cache of its user, also when it tells its version. */
export function answers(program: string, argument: string): boolean {
  try {
    const env = { PATH: process.env.PATH, HOME: temporaryFolder('home') };
    execFileSync(program, [argument], { stdio: 'ignore', env });
    return true;
  } catch {
    return false;
  }
}

const SCRIPT = `#!/bin/sh
if [ "$1" = "--version" ]; then echo "LibreOffice 99.1.2.3 (test)"; exit 0; fi
while [ $# -gt 0 ]; do
  case $1 in --convert-to) to=\${2%%:*}; shift ;; --outdir) out=$2; shift ;; esac
  last=$1
  shift
done
echo run >> "$(dirname "$0")/runs"
output="$out/input.$to"
case "$(cat "$last")" in
  *HANG*) sleep 311 & sleep 311 ;;
  *SLOW*) sleep 0.3; printf '%%PDF-1.4\\n%%%%EOF\\n' > "$output" ;;
  *EMPTY*) : > "$output" ;;
  *WRONG*) echo nonsense > "$output" ;;
  *NOTHING*) exit 3 ;;
  *LOCKED*) echo 'Error: source file could not be loaded' >&2; exit 1 ;;
  *) printf '%%PDF-1.4\\n%%%%EOF\\n' > "$output" ;;
esac
`;

export interface FakeConverter {
  readonly path: string;
  /** How many conversions it was asked for. */
  runs(): number;
}

/** A converter whose input says what happens: HANG, SLOW, EMPTY, WRONG, NOTHING, LOCKED, or a PDF. */
export function fakeConverter(script = SCRIPT): FakeConverter {
  const folder = temporaryFolder('soffice');
  const path = join(folder, 'soffice');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  const runs = (): number => {
    if (!readdirSync(folder).includes('runs')) return 0;
    return readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1;
  };
  return { path, runs };
}

/** Command lines of processes that work for a home: they carry its path in their arguments or environment. */
export function processesOf(home: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        const ours = environment.includes('DAYBOOK_TOOL=') && environment.includes(home);
        return ours && command !== '' ? [command] : [];
      } catch {
        return [];
      }
    });
}

export function pdfText(path: string): string {
  return execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });
}

export function pdfPages(path: string): number {
  const info = execFileSync('pdfinfo', [path], { encoding: 'utf8' });
  return Number(/^Pages:\s+(\d+)/m.exec(info)![1]);
}
