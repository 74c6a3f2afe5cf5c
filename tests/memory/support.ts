/** A daemon, and short calls of its memory routes. */
import { onTestFinished } from 'vitest';
import { type Asked, ask, type Reply as JsonReply } from '../support/asking.ts';
import { killableDaemon, type TestDaemon, type TestDaemonOptions, testDaemon } from '../support/daemon.ts';
import { shared } from '../support/shared.ts';

/** Entries as they come in any of the answers. */
export interface Entry {
  /** Terms of the score of a result, each from 0 to 1. */
  readonly lexical: number;
  readonly vector: number;
  readonly id: string;
  readonly content: string;
  readonly sector: string;
  readonly salience: number;
  readonly score: number;
  readonly similarity: number;
  readonly recency: number;
  readonly waypoint: number;
  readonly sector_match: number;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly created_at: number;
  readonly start: number;
  readonly text_id: string;
  readonly index: number;
  readonly duplicate_of: string | null;
  readonly source: string;
}

export interface Fact {
  readonly id: string;
  readonly subject: string;
  readonly object: string;
  readonly valid_from: number;
  readonly valid_to: number | null;
}

interface Counted {
  readonly count: number;
  readonly exact: number;
  readonly near: number;
  readonly samples: readonly { readonly ids: readonly string[]; readonly id: string }[];
}

/** Every field any memory route answers with; a test reads those of its route. */
export interface Body extends Entry {
  readonly error: string;
  readonly ok: boolean;
  readonly weight: number;
  readonly recognised: string;
  readonly results: readonly Entry[];
  readonly memories: readonly Entry[];
  readonly drawers: readonly Entry[];
  readonly facts: readonly Fact[];
  readonly count: number;
  readonly total: number;
  readonly next: number | null;
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly purged: number;
  readonly remaining: number;
  readonly consolidated: number;
  readonly reflections_created: number;
  readonly imported: number;
  readonly renamed: readonly { readonly index: number; readonly id: string }[];
  readonly total_memories: number;
  readonly total_drawers: number;
  readonly total_waypoints: number;
  readonly total_facts: number;
  readonly encryption: boolean;
  readonly enabled: boolean;
  readonly locked: boolean;
  readonly sectors: readonly {
    readonly sector: string;
    readonly count: number;
    readonly avg_salience: number;
    readonly pinned_count: number;
  }[];
  readonly embedding_dim: number;
  readonly embedding_compression_ratio: number;
  readonly embedding_backend: string;
  readonly skipped: readonly { readonly index: number }[];
  readonly errors: readonly { readonly index: number; readonly error: string }[];
  readonly format_used: string;
  readonly format_detected: string;
  readonly chunks_created: number;
  readonly dedup_hit_rate: number;
  readonly dedup: { readonly chunks_offered: number; readonly hits: number };
  readonly chunks: number;
  readonly duplicates: number;
  readonly wings: readonly { readonly wing: string; readonly count: number }[];
  readonly rooms: readonly { readonly room: string; readonly count: number }[];
  readonly created: boolean;
  readonly tunnels_created: number;
  readonly threshold: number;
  readonly probes: number;
  readonly hits_cognitive: number;
  readonly recall_cognitive: number;
  readonly recall_verbatim: number;
  readonly recall_combined: number;
  readonly cases: readonly { readonly found_cognitive: boolean }[];
  readonly context: string;
  readonly l1_essential_story: readonly string[];
  readonly l2_scoped: readonly Entry[];
  readonly l3_deep: readonly Entry[];
  readonly l3_drawers: readonly Entry[];
  readonly events: readonly { readonly type: string; readonly data: unknown; readonly erased?: true }[];
  readonly waypoints: readonly { readonly dst_id: string; readonly weight: number; readonly kind: string }[];
  readonly exact_duplicates: Counted;
  readonly near_duplicates: Counted;
  readonly recall_loops: Counted;
  readonly stale: Counted;
  readonly never_recalled: Counted;
  readonly metadata: Readonly<Record<string, string>>;
  readonly memory: {
    readonly total_memories: number;
    readonly drawer_count: number;
    readonly encryption_enabled: boolean;
    readonly status?: string;
  };
}

export type Reply = JsonReply<Body>;

export interface MemoryClient {
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Adds a memory and answers its id. */
  add(content: string, more?: Record<string, unknown>): Promise<string>;
}

export function memoryClient(daemon: Asked): MemoryClient {
  const post: MemoryClient['post'] = (path, body, headers) => ask(daemon, 'POST', path, body, headers);
  return {
    get: (path) => ask(daemon, 'GET', path),
    post,
    add: async (content, more = {}) => (await post('/memory/add', { content, ...more })).body.id,
  };
}

export async function memoryDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon & MemoryClient> {
  const daemon = await testDaemon(options);
  return { ...daemon, ...memoryClient(daemon) };
}

/** The same for the test that starts it: it stops when the test ends. */
export async function memoryDaemonHere(options: TestDaemonOptions = {}): Promise<TestDaemon & MemoryClient> {
  const daemon = await memoryDaemon(options);
  onTestFinished(() => daemon.stop());
  return daemon;
}

/** The same, to be killed. */
export async function killableMemoryDaemon(options: TestDaemonOptions) {
  const daemon = await killableDaemon(options);
  onTestFinished(async () => void (await daemon.kill('SIGKILL')));
  return { ...daemon, ...memoryClient(daemon) };
}

/** A daemon for the tests of one file, or of one `describe`. */
export function sharedMemoryDaemon(options: TestDaemonOptions = {}): TestDaemon & MemoryClient {
  return shared(
    () => memoryDaemon(options),
    (daemon) => daemon.stop(),
  );
}
