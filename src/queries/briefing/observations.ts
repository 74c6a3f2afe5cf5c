/**
 * The facts of a briefing that are not in the log: the state of the store, of the code index and of git repositories.
 */
import type { BriefingSettings } from '../../events/briefing/events.ts';
import type { IndexFacts, RepositoryFacts, StorageFacts } from '../../events/briefing/facts.ts';
import { characterCount, withEllipsis } from '../../lib/characters.ts';
import { isInside } from '../../lib/paths.ts';
import type { CodeIndexPort } from '../../ports/code-index.ts';
import { EmbedderError, type EmbeddersPort } from '../../ports/embedder.ts';
import { GitError, type GitPort, MERGE, REMEDIATION } from '../../ports/git.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { isSameModel } from '../embedding/choice.ts';
import { type DaemonFolders, isCredentialFolder } from '../run/workspace.ts';

export interface Observations {
  readonly storage: StorageFacts;
  readonly repositories: readonly RepositoryFacts[];
  readonly index: Pick<IndexFacts, 'provider' | 'model' | 'chunks' | 'files' | 'built_at' | 'error'>;
}

/** The parts of the store that a briefing reads. */
export interface StorageStatus {
  stats(): Pick<StorageFacts, 'backend' | 'events' | 'disk_bytes' | 'failure'>;
  /** Null when backups are disabled. */
  backups(): {
    readonly last: { readonly madeAt: number; readonly verifiedAt: number; readonly position: number } | null;
    readonly failure: string | null;
  } | null;
}

export interface ObservedParts {
  readonly config: DaemonFolders;
  readonly log: Pick<EventLog, 'at'>;
  readonly embedders: Pick<EmbeddersPort, 'selected'>;
  readonly codeIndex: Pick<CodeIndexPort, 'list'>;
  readonly git: Pick<GitPort, 'open'>;
  readonly storageControl: StorageStatus;
}

/** `now` in Unix milliseconds. */
export function storageObserved(
  { log, storageControl }: Pick<ObservedParts, 'log' | 'storageControl'>,
  now: number,
): StorageFacts {
  const { backend, events, disk_bytes, failure } = storageControl.stats();
  const backups = storageControl.backups();
  const last = backups?.last ?? null;
  return {
    backend,
    events,
    disk_bytes,
    failure,
    keeps_backups: backups !== null,
    begun_at: log.at(1)?.at ?? null,
    backup: last && { made_at: last.madeAt, verified_at: last.verifiedAt, position: last.position },
    backup_failure: backups?.failure ?? null,
    observed_at: now,
  };
}

export const NO_INDEX = { provider: null, model: null, chunks: null, files: null, built_at: null, error: null };

export async function indexObserved({
  embedders,
  codeIndex,
}: Pick<ObservedParts, 'embedders' | 'codeIndex'>): Promise<Observations['index']> {
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

/** Unix milliseconds; `to` is included. */
type Window = { readonly from: number; readonly to: number };

/** The repositories in the settings; without any, the repository around the workspace if there is one. */
export async function repositoriesObserved(
  { config, git }: Pick<ObservedParts, 'config' | 'git'>,
  { repositories, workspace }: Pick<BriefingSettings, 'repositories' | 'workspace'>,
  window: Window,
): Promise<readonly RepositoryFacts[]> {
  const isNamed = repositories.length > 0;
  const observed: RepositoryFacts[] = [];
  for (const path of isNamed ? repositories : [workspace ?? config.workspace]) {
    try {
      if (isNamed && isCredentialFolder(path, config.home)) {
        throw new GitError('bad_path', 'It holds credentials or settings.');
      }
      observed.push(await repositoryObserved(git, path, window));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const unread = { commits: 0, merges: 0, authors: 0, remediations: 0, tags: [], head: null };
      if (isNamed || error.fault !== 'bad_path') observed.push({ path, ...unread, error: error.message });
    }
  }
  return observed;
}

async function repositoryObserved(git: ObservedParts['git'], path: string, window: Window): Promise<RepositoryFacts> {
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

/** Limit of the recorded entries of one list. */
const ITEMS_MAX = 50;
const TEXT_CHARACTERS_MAX = 300;

/** Whether a folder belongs to the workspace of the briefing. */
export type WorkspaceFilter = (folder: string | null | undefined) => boolean;

/** Accepts the workspace and every folder in it, or without a workspace every folder. */
export function workspaceFilter(workspace: string | null): WorkspaceFilter {
  if (workspace === null) return () => true;
  return (folder) => folder != null && isInside(workspace, folder);
}

/** The first entries of a list, and how many more there are. */
export function listed<Item>(items: readonly Item[]): { items: Item[]; more: number } {
  return { items: items.slice(0, ITEMS_MAX), more: Math.max(0, items.length - ITEMS_MAX) };
}

/** Newest position first. */
export function newestFirst<Item extends { readonly position: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => b.position - a.position);
}

/** One line of at most `max` characters. */
export function shortened(text: string, max = TEXT_CHARACTERS_MAX): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return (characterCount(flat) <= max ? flat : withEllipsis(flat, max - 1)).toWellFormed();
}
