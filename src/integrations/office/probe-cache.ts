/**
 * Caches the status of converters for a minute, by configured path, so that a late probe of an earlier path has no
 * effect on the current one. A status whose program is gone is stale. Concurrent probes of a path are shared.
 */
import { isProgram } from '../../lib/programs.ts';
import type { ScratchFolders } from '../../lib/scratch-folders.ts';
import type { OfficeStatus } from '../../ports/office.ts';
import { type ProbeParts, probeOffice, unchecked } from './probe.ts';

export interface ProbeCache {
  /** The cached status, without waiting; starts a probe when it is missing or stale. */
  known(configured: string | null): OfficeStatus;
  /** Starts a probe, or joins the running one. */
  probe(configured: string | null): Promise<OfficeStatus>;
  /** A cached `ready` status, or a new probe. */
  recent(configured: string | null): Promise<OfficeStatus>;
  /** Resolves when no probe runs. */
  settled(): Promise<unknown>;
}

const FRESH_MS = 60_000;
const KEPT_MAX = 8;

export function createProbeCache(
  { folders, ...parts }: Omit<ProbeParts, 'folder'> & { readonly folders: ScratchFolders },
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
    const status = await folders.use((folder) => probeOffice({ ...parts, folder }, configured, signal));
    keep(status);
    return status;
  }

  /** Keeps the status of `KEPT_MAX` paths; drops the least recently probed. */
  function keep(status: OfficeStatus): void {
    kept.delete(status.configured_path);
    kept.set(status.configured_path, status);
    for (const path of [...kept.keys()].slice(0, -KEPT_MAX)) kept.delete(path);
  }

  function fresh(configured: string | null): OfficeStatus | undefined {
    const status = kept.get(configured);
    if (status?.checked_at == null) return undefined;
    if (status.state === 'ready' && (status.path === null || !isProgram(status.path))) return undefined;
    return parts.now() - status.checked_at < FRESH_MS ? status : undefined;
  }

  return {
    probe,
    known(configured) {
      const status = fresh(configured);
      if (status !== undefined) return status;
      // Deferred, because starting a process blocks and the caller must not wait.
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
