/**
 * Gathers what a briefing rests on: reads the log of the period, looks at git, the index and the store, and folds it.
 *
 * - The last events and the views are read in one go, without a pause: the views are then just what the log is up to
 *   `to_position`.
 * - A long night is read in slices, so that requests are answered meanwhile.
 */
import { zoneOf } from '../../commands/briefing/schedule.ts';
import type { Config } from '../../config.ts';
import type { BriefingRequest, BriefingSettings } from '../../events/briefing/events.ts';
import type { BriefingFacts, RepositoryFacts, StorageFacts } from '../../events/briefing/facts.ts';
import { isSameModel } from '../../http/embedding/health.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddersPort } from '../../ports/embedder.ts';
import { EmbedderError } from '../../ports/embedder.ts';
import type { GitPort } from '../../ports/git.ts';
import { GitError, MERGE, REMEDIATION } from '../../ports/git.ts';
import { lastWritten } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { StorageControl } from '../../storage/ops/control.ts';
import { isCredentialFolder } from '../run/workspace.ts';
import { factsOf } from './facts.ts';
import { briefingText } from './markdown.ts';
import { ITEMS_MAX, type Observed, shortened } from './material.ts';
import { emptyTally, tallyEvent } from './tally.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly views: Views;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
  readonly git: GitPort;
  viewsUnavailable(): string | null;
  readonly storageControl: StorageControl;
}

export type GatherParts = Pick<
  Dependencies,
  'log' | 'views' | 'viewsUnavailable' | 'git' | 'embedders' | 'codeIndex' | 'storageControl' | 'config' | 'clock'
>;

const HOUR_MS = 3_600_000;
const FIRST_HOURS = 24;
const SLICE_EVENTS = 500;
/** Events of one briefing; of more the newest are read. */
export const EVENTS_MAX = 500_000;

export async function gather(parts: GatherParts, request: BriefingRequest, signal: AbortSignal) {
  const { log, views, clock } = parts;
  const { settings, scheduled_for } = request;
  const wants = new Set(settings.sections);
  requireViews(parts);
  const to = clock.now();
  const start = startOf(parts, settings, to);
  const repositories = wants.has('repositories') ? await observedRepositories(parts, settings, { ...start, to }) : [];
  const index = wants.has('index') ? await observedIndex(parts) : NO_INDEX;
  const tally = emptyTally();
  let read = start.from_position - 1;
  for (let left = log.head().position - read; left > SLICE_EVENTS; left = log.head().position - read) {
    for (const event of log.readAll({ after: read, limit: SLICE_EVENTS })) tallyEvent(tally, event);
    read += SLICE_EVENTS;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  requireViews(parts);
  for (const event of log.readAll({ after: read })) tallyEvent(tally, event);
  const { position: to_position, treeHash: tree_hash } = log.head();
  const observed: Observed = { storage: observedStorage(parts, to), repositories, index };
  const facts = factsOf({
    tally,
    views,
    settings,
    observed,
    frame: {
      period: { ...start, to_position, tree_hash, to },
      timezone: zoneOf(settings),
      scheduled_for,
      late_minutes: scheduled_for === null ? 0 : Math.max(0, Math.floor((to - scheduled_for) / 60_000)),
    },
  });
  return { facts, ...briefingText(facts, settings.length) };
}

function requireViews({ viewsUnavailable }: GatherParts): void {
  const why = viewsUnavailable();
  if (why !== null) throw new Error(why);
}

/** Where the period begins: so many hours ago, or behind the briefing before, or for the first one a day ago. */
export function startOf(
  { log, views }: Pick<GatherParts, 'log' | 'views'>,
  { hours }: Pick<BriefingSettings, 'hours'>,
  now: number,
): Omit<BriefingFacts['period'], 'to_position' | 'tree_hash' | 'to'> {
  const head = log.head().position;
  const previous = hours === null ? lastWritten(views) : undefined;
  const since = now - (hours ?? FIRST_HOURS) * HOUR_MS;
  const wanted = previous === undefined ? positionAt(log, since) : previous.to_position + 1;
  const from_position = Math.max(wanted, head - EVENTS_MAX + 1);
  return {
    from_position,
    from: previous === undefined ? since : (log.at(previous.to_position)?.at ?? since),
    previous: previous?.id ?? null,
    is_cut: from_position > wanted,
  };
}

/** The first event that is not before a moment; one more than the last when all are. */
function positionAt(log: EventLog, moment: number): number {
  let low = 1;
  let high = log.head().position + 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((log.at(middle)?.at ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

function observedStorage({ log, storageControl }: GatherParts, at: number): StorageFacts {
  const { backend, events, disk_bytes, failure } = storageControl.stats();
  const backups = storageControl.backups();
  const last = backups?.last ?? null;
  return {
    ...{ backend, events, disk_bytes, failure },
    keeps_backups: backups !== null,
    begun_at: log.at(1)?.at ?? null,
    backup: last && { made_at: last.madeAt, verified_at: last.verifiedAt, position: last.position },
    backup_failure: backups?.failure ?? null,
    observed_at: at,
  };
}

const NO_INDEX = { provider: null, model: null, chunks: null, files: null, built_at: null, error: null };

async function observedIndex({ embedders, codeIndex }: GatherParts): Promise<Observed['index']> {
  try {
    const { available } = await codeIndex.list();
    const selected = embedders.selected();
    const { provider, model } = selected;
    const current = available.find((each) => isSameModel(each.model, selected));
    const built_at = current?.built_at == null ? null : current.built_at * 1000;
    const counts = { chunks: current?.chunk_count ?? null, files: current?.file_count ?? null };
    return { provider, model, ...counts, built_at, error: null };
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    return { ...NO_INDEX, error: error.message };
  }
}

type Window = { readonly from: number; readonly to: number };

/** Of those that were named each; unnamed, that of the workspace, if there is one around it. */
async function observedRepositories(
  parts: GatherParts,
  { repositories, workspace }: BriefingSettings,
  window: Window,
): Promise<readonly RepositoryFacts[]> {
  const isNamed = repositories.length > 0;
  const found: RepositoryFacts[] = [];
  for (const path of isNamed ? repositories : [workspace ?? parts.config.workspace]) {
    try {
      if (isNamed && isCredentialFolder(path, parts.config.home)) {
        throw new GitError('bad_path', 'It holds credentials or settings.');
      }
      found.push(await observedRepository(parts, path, window));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const unread = { commits: 0, merges: 0, authors: 0, remediations: 0, tags: [], head: null };
      if (isNamed || error.fault !== 'bad_path') found.push({ path, ...unread, error: error.message });
    }
  }
  return found;
}

async function observedRepository({ git }: GatherParts, path: string, window: Window): Promise<RepositoryFacts> {
  const { history } = await git.open(path);
  const [from, to] = [window.from / 1000, window.to / 1000];
  const isIn = (at: number): boolean => at > from && at <= to;
  const commits = Array.from({ length: history.count }, (_, commit) => commit).filter((commit) =>
    isIn(history.committed[commit]!),
  );
  const having = (trait: number) => commits.filter((commit) => (history.traits[commit]! & trait) !== 0).length;
  return {
    path,
    commits: commits.length,
    merges: having(MERGE),
    authors: new Set(commits.map((commit) => history.author[commit])).size,
    remediations: having(REMEDIATION),
    tags: history.tags
      .filter(({ at }) => isIn(at))
      .map(({ name }) => shortened(name, 100))
      .slice(0, ITEMS_MAX),
    head: history.head < 0 ? null : history.hash(history.head),
    error: null,
  };
}
