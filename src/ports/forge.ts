/** A forge such as GitHub: fetches the diff of one pull request. */
import type { ForgeRequest } from '../events/webhook.ts';

export interface PullRequestDiff {
  readonly text: string;
  readonly source: 'diff_url' | 'git';
  /** True when the diff exceeds the limit and is cut at a line. */
  readonly cut: boolean;
}

/** There is no diff. The message may be shown to the sender of the delivery. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
}

export interface ForgePort {
  /** Fetches from allowed hosts only. Throws `ForgeError`; an abort rejects with the signal's reason. */
  diff(request: ForgeRequest, signal: AbortSignal): Promise<PullRequestDiff>;
}
