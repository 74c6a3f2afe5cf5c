/**
 * What is known of the converter: probes take turns per path, and what the last one found holds for a minute for those
 * who only want to know roughly. It is kept by path, so a late look at a path that was set before disturbs nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OfficeStatus } from '../../ports/office.ts';
import { type ProbeParts, probeOffice, unchecked } from './probe.ts';

export interface ProbeCache {
  /** Without waiting; starts a probe when nothing is known or it is old. */
  known(configured: string | null): OfficeStatus;
  /** A fresh look; who asks while one is under way gets that one's answer. */
  probe(configured: string | null): Promise<OfficeStatus>;
  /** A converter that answered lately, or a fresh look. */
  recent(configured: string | null): Promise<OfficeStatus>;
  /** Resolves when no probe is under way. */
  settled(): Promise<unknown>;
}

const FRESH_MS = 60_000;
const KEPT_MAX = 8;

export function createProbeCache(
  { folder, ...parts }: Omit<ProbeParts, 'folder'> & { readonly folder: () => Promise<string> },
  signal: AbortSignal,
): ProbeCache {
  const running = new Map<string | null, Promise<OfficeStatus>>();
  const kept = new Map<string | null, OfficeStatus>();

  function probe(configured: string | null): Promise<OfficeStatus> {
    const mine = running.get(configured) ?? look(configured).finally(() => running.delete(configured));
    running.set(configured, mine);
    return mine;
  }

  async function look(configured: string | null): Promise<OfficeStatus> {
    const own = await mkdtemp(join(await folder(), 'probe-'));
    try {
      const status = await probeOffice({ ...parts, folder: own }, configured, signal);
      keep(status);
      return status;
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  /** The newest of a few paths; the one looked at longest ago goes first. */
  function keep(status: OfficeStatus): void {
    kept.delete(status.configured_path);
    kept.set(status.configured_path, status);
    for (const path of [...kept.keys()].slice(0, -KEPT_MAX)) kept.delete(path);
  }

  function fresh(configured: string | null): OfficeStatus | undefined {
    const status = kept.get(configured);
    if (status?.checked_at == null) return undefined;
    return parts.now() - status.checked_at < FRESH_MS ? status : undefined;
  }

  return {
    probe,
    known(configured) {
      const status = fresh(configured);
      if (status !== undefined) return status;
      // Not at once: whoever asks for what is known must not wait until a process is started.
      setImmediate(() => void probe(configured).catch(() => undefined));
      return kept.get(configured) ?? unchecked(configured);
    },
    async recent(configured) {
      const status = fresh(configured);
      return status?.state === 'ready' ? status : probe(configured);
    },
    settled: () => Promise.allSettled(running.values()),
  };
}
