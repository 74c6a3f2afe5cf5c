/** Support for the demo: temporary folders, a git checkout, and a report that counts passed and failed checks. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DemoFolders {
  readonly home: string;
  readonly checkout: string;
  remove(): void;
}

export function createFolders(): DemoFolders {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-demo-'));
  const checkout = join(folder, 'shop');
  mkdirSync(checkout);
  return {
    home: join(folder, 'home'),
    checkout,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

const COMMITS: readonly { readonly message: string; readonly files: Readonly<Record<string, string>> }[] = [
  {
    message: 'A shop that can add up',
    files: {
      'README.md': '# Corner shop\n\nCounts what is in the basket.\n\n    node src/basket.js 3 4\n',
      'src/basket.js':
        'const prices = process.argv.slice(2).map(Number);\nconsole.log(prices.reduce((sum, price) => sum + price, 0));\n',
    },
  },
  {
    message: 'Say what is still to do',
    files: { 'TODO.md': '- discounts\n- an empty basket prints 0, say so in the README\n' },
  },
  {
    message: 'Ignore what is made',
    files: { '.gitignore': 'node_modules/\n*.log\n' },
  },
];

/** A repository with a few files and commits. */
export function makeCheckout(folder: string): void {
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (const { message, files } of COMMITS) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    git(folder, 'add', '--all');
    git(folder, '-c', 'user.name=Demo', '-c', 'user.email=demo@localhost', 'commit', '--quiet', '--message', message);
  }
}

export function git(folder: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trimEnd();
}

export interface Report {
  section(title: string): void;
  print(text: string): void;
  /** Records a check; the demo fails at its end if one does not hold. */
  check(what: string, holds: boolean): void;
  readonly failures: readonly string[];
  readonly checks: number;
}

export function createReport(): Report {
  const began = Date.now();
  const failures: string[] = [];
  let checks = 0;
  const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);
  return {
    section: (title) => writeLine(`\n${title}  (${((Date.now() - began) / 1000).toFixed(1)} s)`),
    print: (text) => writeLine(text.trimEnd().replaceAll(/^/gm, '    ')),
    check(what, holds) {
      checks += 1;
      if (!holds) failures.push(what);
      writeLine(`  ${holds ? '✓' : '✗'} ${what}`);
    },
    failures,
    get checks() {
      return checks;
    },
  };
}

/** Polls until the condition holds; false if it does not in time. */
export async function eventually(holds: () => boolean, secondsMax: number): Promise<boolean> {
  for (const end = Date.now() + secondsMax * 1_000; Date.now() < end; await sleep(50)) if (holds()) return true;
  return holds();
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** Whether the process has ended without its parent having waited for it. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
