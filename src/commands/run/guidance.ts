/** The part of a run's system prompt that comes from the plugins of its project: rules in full, skills as a list. */
import type { Guidance } from '../../events/run/events.ts';

const RULES = `# Rules of this project

They come from plugins installed for it and hold for the whole run.`;
const SKILLS = `# Skills of this project

Read one with read_file before you do the work it is for; leave the others alone.`;

/**
 * The parts of the prompt; none without plugins. Skills that are files are listed only for a run that can read files.
 */
export function guidanceParts(guidance: Guidance | undefined, canRead: boolean): readonly string[] {
  if (guidance === undefined) return [];
  const { rules, skills } = guidance;
  const listed = skills.flatMap(({ name, description, file }) =>
    file === undefined || !canRead ? [] : [`- ${name}: ${description} (${file})`],
  );
  const included = skills.flatMap(({ name, text }) => (text === undefined ? [] : [`## Skill ${name}\n\n${text}`]));
  return [
    ...(rules.length === 0 ? [] : [RULES, ...rules.map(({ name, text }) => `## Rule ${name}\n\n${text}`)]),
    ...(listed.length === 0 ? [] : [SKILLS, listed.join('\n')]),
    ...included,
  ];
}
