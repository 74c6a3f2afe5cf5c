/**
 * What is known of the converter: probes take turns per path, and what the last one found holds for a minute for those
 * who only want to know roughly.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OfficeStatus } from '../../ports/office.ts';
import { type ProbeParts, probeOffice, unchecked } from './probe.ts';

export interface Prober {
  /** Without waiting; starts a probe when nothing is known or it is old. */
  known(configured: string | null): OfficeStatus;
  /** A fresh look; who asks while one is under way gets that one's answer. */
  probe(configured: string | null): Promise<OfficeStatus>;
  /** A fresh look that is forgotten unless it finds a converter. */
  attempt(configured: string): Promise<OfficeStatus>;
  /** A converter that answered lately, or a fresh look. */
  lately(configured: string | null): Promise<OfficeStatus>;
  /** Resolves when no probe is under way. */
  settled(): Promise<unknown>;
}

const FRESH_MS = 60_000;

export function createProber(
  { folder, ...parts }: Omit<ProbeParts, 'folder'> & { readonly folder: () => Promise<string> },
  signal: AbortSignal,
): Prober {
  const running = new Map<string, Promise<OfficeStatus>>();
  let last: OfficeStatus | undefined;

  function probe(configured: string | null): Promise<OfficeStatus> {
    const key = configured ?? '';
    const mine = running.get(key) ?? look(configured).finally(() => running.delete(key));
    running.set(key, mine);
    return mine;
  }

  async function look(configured: string | null): Promise<OfficeStatus> {
    const own = await mkdtemp(join(await folder(), 'probe-'));
    try {
      last = await probeOffice({ ...parts, folder: own }, configured, signal);
      return last;
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  function fresh(configured: string | null): OfficeStatus | undefined {
    if (last?.checked_at == null || last.configured_path !== configured) return undefined;
    return parts.now() - last.checked_at < FRESH_MS ? last : undefined;
  }

  return {
    probe,
    known(configured) {
      const status = fresh(configured);
      if (status !== undefined) return status;
      // Not at once: whoever asks for what is known must not wait until a process is started.
      setImmediate(() => void probe(configured).catch(() => undefined));
      return last?.configured_path === configured ? last : unchecked(configured);
    },
    async attempt(configured) {
      const before = last;
      const status = await probe(configured);
      if (status.state !== 'ready') last = before;
      return status;
    },
    async lately(configured) {
      const status = fresh(configured);
      return status?.state === 'ready' ? status : probe(configured);
    },
    settled: () => Promise.allSettled(running.values()),
  };
}
