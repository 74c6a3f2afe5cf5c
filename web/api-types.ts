/** What the daemon's routes answer, as far as the console reads it. */

export type JobStatus = 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';

export interface Job {
  readonly session_id: string;
  readonly task: string;
  readonly status: JobStatus;
  readonly provider: string;
  readonly model: string;
  readonly approval: string;
  readonly workspace: string;
  readonly tags: readonly string[];
  readonly queued_at: number;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly summary: string | null;
  readonly cancellation_reason: string | null;
  readonly steps_completed: number;
  readonly tokens_used: number;
  readonly files_modified: readonly string[];
  readonly parent_session_id: string | null;
}

export interface JobQuery {
  readonly limit?: number;
  readonly after?: string;
  readonly status?: string;
  readonly provider?: string;
  readonly goal?: string;
  readonly q?: string;
  /** Unix milliseconds of the start. */
  readonly from?: number;
  readonly to?: number;
}

export interface StartRun {
  readonly task: string;
  readonly approval: string;
  readonly interactive?: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly resume_session_id?: string;
}

export interface Replay {
  readonly session_id: string;
  readonly identical: boolean;
  readonly events: number;
  readonly effects: number;
  readonly divergence: {
    readonly position: number;
    readonly version: number;
    readonly field: string;
    readonly recorded: unknown;
    readonly replayed: unknown;
  } | null;
}

export type ApprovalStatus = 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';
export type ApprovalDecision = 'allow_once' | 'allow_run' | 'deny';

export interface Approval {
  readonly id: string;
  readonly session_id: string;
  readonly tool_name: string;
  readonly input: unknown;
  readonly requested_at: number;
  readonly expires_at: number;
  readonly status: ApprovalStatus;
  readonly decision: ApprovalDecision | null;
  readonly reason: string | null;
  readonly decided_at: number | null;
}

export interface ApprovalAnswer {
  readonly decision: ApprovalDecision;
  readonly reason?: string;
}

export interface Goal {
  readonly id: string;
  readonly title: string;
  readonly statement: string;
  readonly status: string;
  readonly workspace: string | null;
  readonly tags: readonly string[];
  readonly parent_goal_id: string | null;
  readonly updated_at: number;
}

export interface Engagement {
  readonly id: string;
  readonly name: string;
  readonly client: string;
  readonly phase: string;
  readonly status: string;
  readonly updated_at: number;
}

export interface Briefing {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
  readonly made_at: number;
}

export interface Briefings {
  readonly history: readonly Briefing[];
  readonly running: boolean;
  readonly last_error: string | null;
}

/** An event of the log. `data` is as its type says; `erased` when its payload was removed for good. */
export interface Envelope {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly id: string;
  readonly type: string;
  readonly schema: number;
  readonly at: number;
  readonly actor: string;
  readonly correlation: string | null;
  readonly causation: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly leaf_hash: string;
  readonly erased?: true;
}

export interface EventPage {
  readonly events: readonly Envelope[];
  readonly next: number | null;
  readonly head: number;
}

export interface LogHead {
  readonly position: number;
  readonly tree_hash: string;
  readonly at: number | null;
}

export interface StorageStats {
  readonly backend: string;
  readonly events: number;
  readonly tree_hash: string;
  readonly disk_bytes: number;
  readonly live_bytes: number;
  readonly wal_bytes: number;
  readonly cache_hits: number;
  readonly cache_misses: number;
  readonly failure: string | null;
}

export interface Health {
  readonly status: string;
  readonly service: string;
  readonly version: string;
  readonly uptime_seconds: number;
  readonly views: { readonly position: number; readonly unavailable: string | null };
  readonly log: { readonly position: number; readonly backend: string; readonly failure: string | null };
}
