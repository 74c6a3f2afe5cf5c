/** Finds converters: on PATH, then in the usual places of the system. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram, pathFolders } from '../../lib/programs.ts';

const NAMES: readonly string[] =
  process.platform === 'win32' ? ['soffice.exe', 'soffice.com'] : ['soffice', 'libreoffice'];

const USUAL: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    '/usr/bin/soffice',
    '/usr/lib/libreoffice/program/soffice',
    '/usr/lib64/libreoffice/program/soffice',
    '/usr/local/bin/soffice',
    '/snap/bin/libreoffice',
    '/var/lib/flatpak/exports/bin/org.libreoffice.LibreOffice',
  ],
  darwin: [
    '/Applications/LibreOffice.app/Contents/MacOS/soffice',
    '/opt/homebrew/bin/soffice',
    '/usr/local/bin/soffice',
  ],
  win32: [
    'C:\\Program Files\\LibreOffice\\program\\soffice.exe',
    'C:\\Program Files (x86)\\LibreOffice\\program\\soffice.exe',
  ],
};

/** LibreOffice's installers unpack to `/opt/libreoffice24.2/program/soffice`. */
const OPT = '/opt';

/** Executable programs, the likeliest first, each once. */
export function locate(env: NodeJS.ProcessEnv, usual: readonly string[] = usualPlaces()): readonly string[] {
  const onPath = pathFolders(env.PATH).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...new Set([...onPath, ...usual])].filter(isProgram);
}

function usualPlaces(): readonly string[] {
  const unpacked = process.platform === 'linux' ? foldersOf(OPT).filter((name) => /^libreoffice/i.test(name)) : [];
  const programs = unpacked
    .toSorted()
    .reverse()
    .map((name) => join(OPT, name, 'program', 'soffice'));
  return [...(USUAL[process.platform] ?? []), ...programs];
}

function foldersOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

export function installHint(): string {
  switch (process.platform) {
    case 'darwin':
      return 'brew install --cask libreoffice';
    case 'win32':
      return 'winget install TheDocumentFoundation.LibreOffice';
    default:
      return (
        'sudo apt-get install --no-install-recommends libreoffice-core-nogui libreoffice-writer-nogui ' +
        'libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-draw-nogui'
      );
  }
}
