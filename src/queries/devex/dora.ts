/**
 * The four keys of delivery performance, computed from a history. Each is measured by a proxy and has a sample size;
 * without observations it is left out and listed as unmeasured with the reason.
 */
import { type History, REMEDIATION } from '../../ports/git.ts';
import { counted } from '../markdown.ts';
import { graphOf } from './commit-graph.ts';
import type { DoraReport, Measure, Unmeasured } from './schemas.ts';
import { failureBand, frequencyBand, leadBand, percentile, restoreBand } from './statistics.ts';
import { commitsInWindow, firstAtOrAfter, type Marker, type Question, sinceOf, WINDOW_COMMITS_MAX } from './window.ts';

/** Lead times use only the newest releases, because in a long window the old ones would hide the present. */
const RELEASES_INSPECTED_MAX = 60;
/** The newest deployments are listed; all are counted. */
const DEPLOYMENTS_LISTED_MAX = 10_000;
const HOUR_SECONDS = 3_600;

export const KEYS = [
  'deployment_frequency',
  'lead_time_for_changes',
  'change_failure_rate',
  'time_to_restore',
] as const;
export type Key = (typeof KEYS)[number];

const DESCRIPTIONS: Readonly<Record<Marker, string>> = {
  'version-tags': 'tags named like versions',
  'release-branch-merges': 'merge commits on the release branch',
};

const BAND_SOURCE =
  'Bands: the thresholds that the DORA State of DevOps reports give for elite, high, medium and low performance. ' +
  'They place a value among other teams; they are no pass mark.';

export interface Measured {
  readonly report: DoraReport;
  /** Hours from commit to release of every change counted, sorted. */
  readonly leadHours: readonly number[];
}

export function measureDora(question: Question): Measured {
  const { root, windowDays, now, marker, history } = question;
  const since = sinceOf(question);
  const all = releasesOf(question);
  const first = firstAtOrAfter(all, since, ({ at }) => at);
  const releases = all.slice(first);
  const window = commitsInWindow(question);
  const leadHours = leadTimes(question, { releases, before: all[first - 1] });
  const outcomes = followUps(question, { releases, commits: window.commits });
  const restoreHours = outcomes.flatMap(({ restoredAfter }) => restoredAfter ?? []).sort(byValue);
  const measures: Partial<Record<Key, Measure>> = {
    ...frequency(releases.length, question),
    ...leadTime(leadHours),
    ...failureRate(outcomes.length, restoreHours.length),
    ...restoreTime(restoreHours),
  };
  const report: DoraReport = {
    repo: root,
    window_days: windowDays,
    since,
    generated_at: now,
    release_marker: marker,
    release_marker_description: DESCRIPTIONS[marker],
    band_source: BAND_SOURCE,
    ...measures,
    unmeasured: KEYS.flatMap((key) => (measures[key] === undefined ? missing(key, releases.length, question) : [])),
    deployments: outcomes.slice(-DEPLOYMENTS_LISTED_MAX).map(({ release, restoredAfter }) => ({
      name: release.name,
      commit: history.hash(release.commit),
      at: release.at,
      followed_by_remediation: restoredAfter !== null,
    })),
    commits_in_window: window.commits.length,
    authors_in_window: new Set(window.commits.map((commit) => history.author[commit])).size,
    notes: notes(question, { releases, ...window }),
  };
  return { report, leadHours };
}

/** How often something is released: releases in the window ÷ its days, × 7. Unit: deployments a week. */
function frequency(releases: number, { windowDays, marker }: Question): { readonly deployment_frequency?: Measure } {
  if (releases === 0) return {};
  const perDay = releases / windowDays;
  return {
    deployment_frequency: {
      value: perDay * 7,
      unit: 'deployments/week',
      band: frequencyBand(perDay),
      sample_size: releases,
      proxy: DESCRIPTIONS[marker],
    },
  };
}

interface InWindow {
  readonly releases: readonly Release[];
  /** The newest release before the window. */
  readonly before: Release | undefined;
}

/**
 * The time from a change to its release: from the author time of each non-merge commit to the time of the release, for
 * the commits that the previous release does not contain. Unit: hours. A commit dated after its release is left out.
 */
function leadTimes({ history }: Question, { releases, before }: InWindow): readonly number[] {
  const { between } = graphOf(history);
  const skipped = Math.max(0, releases.length - RELEASES_INSPECTED_MAX);
  const hours: number[] = [];
  for (let index = skipped; index < releases.length; index += 1) {
    const { commit, at } = releases[index]!;
    const previous = index === 0 ? before : releases[index - 1];
    for (const change of between(previous?.commit ?? null, commit)) {
      const authored = history.authored[change]!;
      if (authored <= at) hours.push((at - authored) / HOUR_SECONDS);
    }
  }
  return hours.sort(byValue);
}

function leadTime(hours: readonly number[]): { readonly lead_time_for_changes?: Measure } {
  if (hours.length === 0) return {};
  const proxy = 'author time of a commit to the time of the release that brought it';
  return { lead_time_for_changes: hoursMeasure(hours, { band: leadBand, shares: [50, 75, 90], proxy }) };
}

interface Outcome {
  readonly release: Release;
  /** Hours until the first remediation before the next release; null without one. */
  readonly restoredAfter: number | null;
}

/**
 * The outcome of each release: the first remediation commit of HEAD whose committer time lies strictly between the
 * release and the next one. A release with two remediations failed once.
 */
function followUps(
  { history }: Question,
  { releases, commits }: { readonly releases: readonly Release[]; readonly commits: readonly number[] },
): readonly Outcome[] {
  const remediatedAt = commits
    .filter((commit) => (history.traits[commit]! & REMEDIATION) !== 0)
    .map((commit) => history.committed[commit]!);
  return releases.map((release, index) => {
    const next = releases[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const at = remediatedAt[firstAtOrAfter(remediatedAt, release.at + 1, (time) => time)];
    const failed = at !== undefined && at < next;
    return { release, restoredAfter: failed ? (at - release.at) / HOUR_SECONDS : null };
  });
}

/** Releases followed by a remediation ÷ all releases. Unit: percent. Without remediation the measured rate is 0. */
function failureRate(releases: number, failed: number): { readonly change_failure_rate?: Measure } {
  if (releases === 0) return {};
  return {
    change_failure_rate: {
      value: (failed / releases) * 100,
      unit: 'percent of deployments',
      band: failureBand(failed / releases),
      sample_size: releases,
      proxy: 'a deployment followed by a revert, hotfix or rollback commit before the next one',
    },
  };
}

/** The time from a release to the first remediation after it. Unit: hours. */
function restoreTime(hours: readonly number[]): { readonly time_to_restore?: Measure } {
  if (hours.length === 0) return {};
  const proxy = 'a deployment to the first revert, hotfix or rollback commit after it';
  return { time_to_restore: hoursMeasure(hours, { band: restoreBand, shares: [50, 90], proxy }) };
}

interface HoursFacts {
  readonly band: (hours: number) => Measure['band'];
  readonly proxy: string;
  /** The percentiles that are listed. */
  readonly shares: readonly number[];
}

/** The median of sorted hours, with its band and its percentiles. */
function hoursMeasure(hours: readonly number[], { band, proxy, shares }: HoursFacts): Measure {
  const value = percentile(hours, 50);
  const percentiles = shares.map((share) => ({ label: `p${share}`, value: percentile(hours, share) }));
  return { value, unit: 'hours (p50)', band: band(value), sample_size: hours.length, proxy, percentiles };
}

function missing(metric: Key, releases: number, { marker, windowDays }: Question): Unmeasured {
  if (releases === 0) {
    const reason = `No release was seen in the last ${counted(windowDays, 'day')}: there were no ${DESCRIPTIONS[marker]}. `;
    return { metric, reason: reason + WITHOUT_RELEASES[metric], to_measure_this: TO_SEE_RELEASES[marker] };
  }
  if (metric === 'lead_time_for_changes') {
    return {
      metric,
      reason: 'There were releases, but none brought a commit that the release before it had not.',
      to_measure_this: 'Mark every release at the commit that was shipped, from the pipeline that ships it.',
    };
  }
  return {
    metric,
    reason:
      `${releases === 1 ? 'The only release was not' : `None of the ${releases} releases was`} followed by a revert, ` +
      'hotfix or rollback commit, so no restoration could ' +
      'be timed. That nothing broke is not a restore time of zero.',
    to_measure_this:
      'Take the start and the end of incidents from the incident tool; git only sees what was mended in code.',
  };
}

const WITHOUT_RELEASES: Readonly<Record<Key, string>> = {
  deployment_frequency: 'The signal is absent, which is not a frequency of zero.',
  lead_time_for_changes: 'So no commit can be dated to the release that brought it.',
  change_failure_rate: 'So there is nothing that could have failed.',
  time_to_restore: 'So there is nothing that could have been restored.',
};

/** These texts are read beside the query of a URL, a command line and a form: they name the values only. */
const TO_SEE_RELEASES: Readonly<Record<Marker, string>> = {
  'version-tags':
    "Let the pipeline tag every release like v1.2.3; or measure with the marker 'merges' if merging is what deploys.",
  'release-branch-merges':
    "Name the branch that is deployed; or measure with the marker 'tags' if releases are tagged.",
};

interface Seen {
  readonly releases: readonly Release[];
  readonly commits: readonly number[];
  readonly isCut: boolean;
}

function notes({ history, marker, branch, now }: Question, { releases, commits, isCut }: Seen): string[] {
  const future =
    commits.filter((commit) => history.committed[commit]! > now).length + releases.filter(({ at }) => at > now).length;
  const candidates: readonly (readonly [applies: boolean, text: string])[] = [
    [
      marker === 'release-branch-merges',
      `Releases are the merge commits that ${branch.name} reaches; remediation is looked for in the history of HEAD.`,
    ],
    [history.isShallow, 'The clone is shallow: history before its first commits is missing, and with it lead times.'],
    [history.isCut, `Only the newest ${history.count} commits of the repository were read.`],
    [isCut, `Only the newest ${WINDOW_COMMITS_MAX} commits of the window were looked at.`],
    [
      releases.length > RELEASES_INSPECTED_MAX,
      `Lead times are those of the newest ${RELEASES_INSPECTED_MAX} of ${releases.length} releases.`,
    ],
    [
      releases.length > DEPLOYMENTS_LISTED_MAX,
      `The newest ${DEPLOYMENTS_LISTED_MAX} of ${releases.length} deployments are listed.`,
    ],
    [
      future > 0,
      future === 1
        ? '1 commit or release is dated after this report; it was counted as it stands.'
        : `${future} commits or releases are dated after this report; they were counted as they stand.`,
    ],
  ];
  return candidates.filter(([applies]) => applies).map(([, text]) => text);
}

function byValue(left: number, right: number): number {
  return left - right;
}

interface Release {
  readonly name: string;
  readonly commit: number;
  /** A tag's creator date, a merge's committer time; Unix seconds. */
  readonly at: number;
}

/** All releases of a history, oldest first; those of the same second in the order of their version names. */
function releasesOf({ history, marker, branch }: Pick<Question, 'history' | 'marker' | 'branch'>) {
  return marker === 'version-tags' ? versionTags(history) : merges(history, branch.commit);
}

const tagged = new WeakMap<History, readonly Release[]>();

function versionTags(history: History): readonly Release[] {
  const known = tagged.get(history);
  if (known !== undefined) return known;
  const releases = history.tags.filter(({ name }) => isVersion(name)).toSorted((left, right) => left.at - right.at);
  tagged.set(history, releases);
  return releases;
}

function merges(history: History, tip: number): readonly Release[] {
  return graphOf(history)
    .merges(tip)
    .map((commit) => ({
      name: history.mergeSubjects.get(commit) ?? '',
      commit,
      at: history.committed[commit]!,
    }));
}

/**
 * `v1.2.3`, `1.0`, `release-2.4.0`, `team/2024.11.1`: after leading letters, hyphens and underscores of the last path
 * segment there is a number, and the name has a dot. A bare number (a counter) and a word are not versions.
 */
export function isVersion(name: string): boolean {
  const core = name.slice(name.lastIndexOf('/') + 1).replace(/^[A-Za-z_-]+/, '');
  return core.includes('.') && /^\d+$/.test(core.split(/[.+-]/, 1)[0]!);
}
