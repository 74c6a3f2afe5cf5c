/** A level for each practice, from the paths that exist in a directory. */
import { PRACTICES, type PracticeSpec } from './practice-catalogue.ts';
import { LEVEL_NAMES, type PracticesReport, type Signal } from './schemas.ts';

/** A file shows that a practice exists. Only people can tell whether it is followed and improved (level 4). */
const LEVEL_MAX = 3;

export interface Sighting {
  readonly directory: string;
  readonly isBare: boolean;
  /** The candidate paths that exist. */
  readonly existing: ReadonlySet<string>;
  /** Unix seconds. */
  readonly now: number;
}

export function measurePractices({ directory, isBare, existing, now }: Sighting): PracticesReport {
  const practices = PRACTICES.map((spec) => {
    const signals = signalsOf(spec, existing);
    const found = signals.filter((signal) => signal.found).length;
    const level = Math.min(found, LEVEL_MAX);
    return {
      key: spec.key,
      title: spec.title,
      pillar: spec.pillar,
      signals,
      found,
      expected: signals.length,
      level,
      level_name: LEVEL_NAMES[level]!,
      next_step: spec.nextStep,
      ...(spec.caveat === undefined ? {} : { detection_caveat: spec.caveat }),
    };
  });
  const levels = practices.reduce((sum, { level }) => sum + level, 0);
  return {
    workspace: directory,
    generated_at: now,
    practices,
    mean_level: levels / practices.length,
    max_detectable_level: LEVEL_MAX,
    scope_note: isBare ? `${SCOPE} ${BARE}` : SCOPE,
  };
}

/** A signal names the first of its paths that exists. */
export function signalsOf({ signals }: PracticeSpec, existing: ReadonlySet<string>): Signal[] {
  return signals.map(([name, candidates]) => {
    const path = candidates.find((candidate) => existing.has(candidate));
    return path === undefined ? { name, found: false } : { name, found: true, path };
  });
}

const SCOPE =
  `Levels are detected from what exists at known paths in this directory, and end at ${LEVEL_MAX} (defined). A file ` +
  'shows that a practice is present, not that it is followed; whether it is lived and improved, people have to say. ' +
  'Only this directory itself is looked at, not the packages below it.';

const BARE = 'This is a bare repository, so the files of its HEAD were looked at.';
