/** What a project's plugins say to a run, as part of its system prompt: rules in full, skills as a list to choose from. */
import type { Guidance } from '../../events/run/events.ts';

const RULES = `# Rules of this project

They come from plugins installed for it and hold for the whole run.`;
const SKILLS = `# Skills of this project

Read one with read_file before you do the work it is for; leave the others alone.`;

/** Parts of the prompt, none without plugins. A run that reads no files is told of no skill it would have to open. */
export function guidanceParts(guidance: Guidance | undefined, canRead: boolean): readonly string[] {
  if (guidance === undefined) return [];
  const { rules, skills } = guidance;
  const listed = skills.flatMap(({ name, description, file }) =>
    file === undefined || !canRead ? [] : [`- ${name}: ${description} (${file})`],
  );
  const told = skills.flatMap(({ name, text }) => (text === undefined ? [] : [`## Skill ${name}\n\n${text}`]));
  return [
    ...(rules.length === 0 ? [] : [RULES, ...rules.map(({ name, text }) => `## Rule ${name}\n\n${text}`)]),
    ...(listed.length === 0 ? [] : [SKILLS, listed.join('\n')]),
    ...told,
  ];
}
