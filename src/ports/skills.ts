/** Skills: instructions in a workspace for recurring work, found by their trigger. */

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly webhook_trigger: string | null;
  /** The markdown after the front matter. */
  readonly text: string;
}

export interface SkillsPort {
  /** The skill whose webhook trigger equals `trigger`, or null. Reads the files on each call. */
  triggeredBy(trigger: string): Promise<Skill | null>;
}
