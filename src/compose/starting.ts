/** Listens during a long first copy of the log, at the addresses of the daemon and of its operations interface. */
import type { Config } from '../config.ts';
import { isLocalHost } from '../host-names.ts';
import { type CopyProgress, copyingSentence, serveStarting } from '../http/server/starting.ts';
import { startOpsServer } from '../storage/ops/server.ts';
import type { Certificate } from './listening.ts';

/** A copy that lacks fewer is there before anybody asks. */
const EVENTS_MIN = 10_000;

export interface StartingParts {
  readonly config: Pick<Config, 'host' | 'port' | 'storage_ops_port'>;
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

  /** The copy has so many events of the database's; it listens from the first call on that leaves many to copy. */
  copied(done: number, total: number): void {
    this.#progress = { done, total };
    if (this.#opening !== null || total - done < EVENTS_MIN) return;
    // An address that is taken is told when the daemon itself wants it.
    this.#opening = this.#open().catch(() => null);
  }

  /** Frees the addresses. Resolves with the port that it listened on, null when it did not. */
  async end(): Promise<number | null> {
    const listening = (await this.#opening) ?? null;
    await listening?.close();
    return listening?.port ?? null;
  }

  async #open(): Promise<Listening> {
    const { config, certificate, version, announce } = this.#parts;
    const { host, port } = config;
    const server = await serveStarting({ host, port, tls: certificate, version, progress: () => this.#progress });
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
