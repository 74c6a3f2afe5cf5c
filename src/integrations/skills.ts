/**
 * Skills: markdown files with front matter (name, description, webhook_trigger) below `.daybook/skills` of the
 * workspace. Callers name a trigger, not a path.
 *
 * - Only regular files are read and no links are followed. Files that are too large, too deep or unreadable are
 *   skipped.
 * - Of several skills with one trigger, the first by path is used.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Skill, SkillsPort } from '../ports/skills.ts';
import { NO_FOLLOW, NON_BLOCKING } from './tools/confine.ts';

const SKILLS_MAX = 500;
export const SKILL_BYTES_MAX = 262_144;
const DEPTH_MAX = 4;
const ENTRIES_MAX = 10_000;
const NAME_CHARACTERS_MAX = 100;

const zLine = z
  .string()
  .transform((text) => text.trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(NAME_CHARACTERS_MAX)
      .regex(/^[^\p{Cc}\p{Cs}]+$/u),
  );

const zFront = z.object({
  name: zLine,
  description: z.unknown().optional(),
  webhook_trigger: z.preprocess((trigger) => (NOTHING.has(trigger) ? undefined : trigger), zLine.optional()),
});

const NOTHING: ReadonlySet<unknown> = new Set(['', '~', 'null', 'Null', 'NULL']);

export function createSkills(workspace: string): SkillsPort {
  return {
    async triggeredBy(trigger) {
      for (const path of await skillFiles(workspace)) {
        const skill = await readSkill(path);
        if (skill?.webhook_trigger === trigger) return skill;
      }
      return null;
    },
  };
}

interface Walk {
  readonly found: string[];
  entriesLeft: number;
}

/** Paths of markdown files below the skills folder, in a fixed order. */
async function skillFiles(workspace: string): Promise<readonly string[]> {
  const own = join(workspace, '.daybook');
  const walk: Walk = { found: [], entriesLeft: ENTRIES_MAX };
  if (await isFolder(own)) await walkFolder(join(own, 'skills'), 1, walk);
  return walk.found;
}

async function walkFolder(folder: string, depth: number, walk: Walk): Promise<void> {
  if (depth > DEPTH_MAX || !(await isFolder(folder))) return;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    walk.entriesLeft -= 1;
    if (walk.entriesLeft < 0 || walk.found.length >= SKILLS_MAX) return;
    const path = join(folder, entry.name);
    if (entry.isFile() && entry.name.toLowerCase().endsWith('.md')) walk.found.push(path);
    else if (entry.isDirectory()) await walkFolder(path, depth + 1, walk);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function readSkill(path: string): Promise<Skill | null> {
  const text = await readText(path);
  const parts = text === null ? null : /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (parts === null) return null;
  const front = zFront.safeParse(await frontMatter(parts[1] ?? ''));
  if (!front.success) return null;
  const { name, description, webhook_trigger } = front.data;
  return {
    name,
    description: typeof description === 'string' ? description.trim().toWellFormed() : '',
    webhook_trigger: webhook_trigger ?? null,
    text: (parts[2] ?? '').trim().toWellFormed(),
  };
}

/** null for anything but a regular file within the size limit. */
async function readText(path: string): Promise<string | null> {
  try {
    await using handle = await open(path, constants.O_RDONLY | NO_FOLLOW | NON_BLOCKING);
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= SKILL_BYTES_MAX ? await handle.readFile('utf8') : null;
  } catch {
    return null;
  }
}

/**
 * Parses front matter with all values as strings, so that the trigger `042` is not a number. Loads the parser at its
 * first use.
 */
async function frontMatter(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { schema: 'failsafe', logLevel: 'silent' });
  if (document.errors.length > 0) return plainLines(text);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return null;
  }
}

/** Parses `key: text` lines. A description such as `Use when: it fails` is invalid YAML. */
function plainLines(text: string): Readonly<Record<string, string>> {
  const lines = text.matchAll(/^(\w+):(.*)$/gm);
  return Object.fromEntries([...lines].map(([, key, value = '']) => [key, unquoted(value.trim())]));
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}
