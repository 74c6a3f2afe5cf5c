/** The demo's stage: folders that go away, a real git checkout, and a report that counts what held. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Stage {
  readonly home: string;
  readonly checkout: string;
  remove(): void;
}

export function buildStage(): Stage {
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
  chapter(title: string): void;
  tell(text: string): void;
  /** Something that has to hold; the demo fails at its end when it does not. */
  check(what: string, holds: boolean): void;
  readonly failures: readonly string[];
  readonly checks: number;
}

export function createReport(): Report {
  const began = Date.now();
  const failures: string[] = [];
  let checks = 0;
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  return {
    chapter: (title) => say(`\n${title}  (${((Date.now() - began) / 1000).toFixed(1)} s)`),
    tell: (text) => say(text.trimEnd().replaceAll(/^/gm, '    ')),
    check(what, holds) {
      checks += 1;
      if (!holds) failures.push(what);
      say(`  ${holds ? '✓' : '✗'} ${what}`);
    },
    failures,
    get checks() {
      return checks;
    },
  };
}

/** Looks again and again until it holds; false when it never did. */
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
  return !isUncollected(pid);
}

/** Dead, but its parent has not asked for its end yet. */
function isUncollected(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
