/** A network namespace with one link to this machine, and faults on that link. Needs root and the program `ip`. */
import { execFileSync } from 'node:child_process';

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function isPermitted(): boolean {
  const name = `daybook-try-${process.pid}`;
  try {
    run('ip', 'netns', 'add', name);
    try {
      run('ip', 'netns', 'exec', name, 'iptables', '-L', '-n');
      return true;
    } finally {
      run('ip', 'netns', 'del', name);
    }
  } catch {
    return false;
  }
}

/** Why tests of networks are skipped, null where they are not. */
export const NO_NAMESPACES = isPermitted() ? null : 'network namespaces and iptables need root here';

export type Fault = 'in both directions' | 'to the database' | 'from the database';

export class Namespace {
  readonly name: string;
  /** The address of this machine as processes in the namespace see it. */
  readonly outside: string;
  readonly #cable: string;

  constructor() {
    this.name = `daybook-${process.pid}`;
    // A name of at most 15 characters, and a net that no other test of this machine uses.
    this.#cable = `dbk-${process.pid}`;
    const net = `10.${180 + (Math.floor(process.pid / 250) % 50)}.${process.pid % 250}`;
    this.outside = `${net}.1`;
    run('ip', 'netns', 'add', this.name);
    this.#inside('ip', 'link', 'set', 'lo', 'up');
    run('ip', 'link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'inside', 'netns', this.name);
    run('ip', 'addr', 'add', `${net}.1/30`, 'dev', this.#cable);
    run('ip', 'link', 'set', this.#cable, 'up');
    this.#inside('ip', 'addr', 'add', `${net}.2/30`, 'dev', 'inside');
    this.#inside('ip', 'link', 'set', 'inside', 'up');
  }

  /** The words before a command that is to run inside. */
  get prefix(): readonly string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  /** Drops packets without a word, as a broken cable or a firewall does. */
  cut(fault: Fault): void {
    if (fault !== 'from the database') this.#inside('iptables', '-A', 'OUTPUT', '-o', 'inside', '-j', 'DROP');
    if (fault !== 'to the database') this.#inside('iptables', '-A', 'INPUT', '-i', 'inside', '-j', 'DROP');
  }

  /** Lets 64 kbit/s out. Kernels without modules lack netem, which delays packets: see `slow-proxy.ts`. */
  narrow(): void {
    const limits = ['rate', '64kbit', 'burst', '4kb', 'latency', '400ms'];
    this.#inside('tc', 'qdisc', 'add', 'dev', 'inside', 'root', 'tbf', ...limits);
  }

  mend(): void {
    this.#inside('iptables', '-F');
    try {
      this.#inside('tc', 'qdisc', 'del', 'dev', 'inside', 'root');
    } catch {
      // The cable was not slow.
    }
  }

  remove(): void {
    run('ip', 'netns', 'del', this.name);
  }

  #inside(program: string, ...words: string[]): void {
    run('ip', 'netns', 'exec', this.name, program, ...words);
  }
}
