/** What Daybook needs of skills: texts a workspace keeps for work that comes up again, found by what triggers them. */

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly webhook_trigger: string | null;
  /** The markdown after the front matter. */
  readonly text: string;
}

export interface SkillsPort {
  /**
   * The skill of the workspace with this webhook trigger, exactly as written, or null. Reads the files as they are now.
   */
  triggeredBy(trigger: string): Promise<Skill | null>;
}
