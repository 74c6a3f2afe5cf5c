/** Serves the progress of a long first copy of the log, on the ports of the daemon and of its operations interface. */
import type { Config } from '../config.ts';
import { isLocalHost } from '../host-names.ts';
import { type CopyProgress, copyingSentence, serveStarting } from '../http/server/starting.ts';
import { startOpsServer } from '../storage/ops/server.ts';
import type { Certificate } from './listening.ts';

/** Copying fewer events takes no noticeable time. */
const EVENTS_MIN = 10_000;

interface StartingParts {
  readonly config: Pick<Config, 'host' | 'port' | 'storage_ops_port' | 'allowed_hosts' | 'allowed_origins'>;
  readonly certificate: Certificate | null;
  readonly version: string;
  readonly announce: (line: string) => void;
}

interface Listening {
  /** The port of the daemon. */
  readonly port: number;
  close(): Promise<void>;
}

export class Starting {
  readonly #parts: StartingParts;
  #progress: CopyProgress = { done: 0, total: 0 };
  #opening: Promise<Listening | null> | null = null;

  constructor(parts: StartingParts) {
    this.#parts = parts;
  }

  /** Records the progress. The first call that leaves at least `EVENTS_MIN` events to copy starts listening. */
  copied(done: number, total: number): void {
    this.#progress = { done, total };
    if (this.#opening !== null || total - done < EVENTS_MIN) return;
    // The daemon reports an address in use when it listens itself.
    this.#opening = this.#open().catch(() => null);
  }

  /** Stops listening. Resolves with the port that was used; null when nothing listened. */
  async end(): Promise<number | null> {
    const listening = (await this.#opening) ?? null;
    await listening?.close();
    return listening?.port ?? null;
  }

  async #open(): Promise<Listening> {
    const { config, certificate, version, announce } = this.#parts;
    const { host, port, allowed_hosts: allowedHosts, allowed_origins: allowedOrigins } = config;
    const progress = () => this.#progress;
    const served = { host, port, allowedHosts, allowedOrigins, tls: certificate, version, progress };
    const server = await serveStarting(served);
    const operations = await this.#openOperations().catch(() => null);
    announce(`${copyingSentence(this.#progress)} /health on port ${server.port} says how far it is.`);
    return {
      port: server.port,
      close: async () => void (await Promise.all([server.close(), operations?.close()])),
    };
  }

  async #openOperations() {
    const { config, version, announce } = this.#parts;
    const { storage_ops_port: port } = config;
    if (port === 'off' || port === 0) return null;
    return startOpsServer({
      port,
      admitsHost: isLocalHost,
      health: () => [],
      ready: () => [{ name: 'copy', problem: copyingSentence(this.#progress) }],
      about: () => ({ position: this.#progress.done, version }),
      families: () => [],
      report: announce,
    });
  }
}
