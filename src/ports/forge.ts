/** What Daybook needs of a forge: the diff of one pull request, and nothing else of the network. */
import type { ForgeRequest } from '../events/webhook.ts';

export interface PullRequestDiff {
  readonly text: string;
  readonly source: 'diff_url' | 'git';
  /** It was longer than what is read of one. */
  readonly cut: boolean;
}

/** Why there is no diff, in words that the sender of the delivery may read. */
export class ForgeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ForgeError';
  }
}

export interface ForgePort {
  /** Only from hosts that are allowed. Throws `ForgeError`; an abort rejects with the signal's reason. */
  diff(request: ForgeRequest, signal: AbortSignal): Promise<PullRequestDiff>;
}
