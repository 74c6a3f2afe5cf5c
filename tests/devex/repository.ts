/** Real repositories with given histories: every commit has a given author, time, content and parents. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createGit } from '../../src/integrations/git/git.ts';
import { type Measurement, measure } from '../../src/queries/devex/measure.ts';
import { zQuery } from '../../src/queries/devex/query.ts';
import { temporaryFolder } from '../support/folders.ts';

export const HOUR = 3_600;
export const DAY = 24 * HOUR;

export interface CommitSpec {
  readonly commit: string;
  /** Committer time, Unix seconds. */
  readonly at: number;
  /** Author time; without it the committer time. */
  readonly authored?: number;
  readonly author?: string | Buffer;
  readonly message?: string | Buffer;
  /** Names of commits; without it the one before, which for the first is none. */
  readonly parents?: readonly string[];
  readonly branch?: string;
  /** Content by path; null deletes. */
  readonly files?: Readonly<Record<string, string | null>>;
  readonly renames?: readonly (readonly [from: string, to: string])[];
}

export interface TagSpec {
  readonly tag: string;
  /** Name of a commit. */
  readonly on: string;
  /** With a time it is an annotated tag. */
  readonly at?: number;
}

export interface TestRepository {
  readonly path: string;
  /** The hash of a commit by its name. */
  hash(name: string): string;
  git(...args: readonly string[]): string;
}

export function makeRepository(steps: readonly (CommitSpec | TagSpec)[], path = temporaryFolder('devex')) {
  runGit(path, 'init', '-q', '-b', 'main');
  const marks = new Map<string, number>();
  const parts: Buffer[] = [];
  const write = (...texts: readonly (string | Buffer)[]): void => {
    parts.push(...texts.map((text) => Buffer.from(text as string)));
  };
  const mark = (name: string): string => `:${marks.get(name)!}`;
  let last: string | null = null;
  for (const step of steps) {
    if ('tag' in step) {
      if (step.at === undefined) write(`reset refs/tags/${step.tag}\nfrom ${mark(step.on)}\n\n`);
      else write(`tag ${step.tag}\nfrom ${mark(step.on)}\ntagger T <t@example.org> ${step.at} +0000\ndata 2\nt\n\n`);
      continue;
    }
    const { commit, at, author = 'Ann', message = commit, authored = at, branch = 'main' } = step;
    marks.set(commit, marks.size + 1);
    write(`commit refs/heads/${branch}\nmark ${mark(commit)}\nauthor `, author, ` <a@example.org> ${authored} +0000\n`);
    write(`committer C <c@example.org> ${at} +0000\ndata ${Buffer.byteLength(message)}\n`, message, '\n');
    const parents: readonly string[] = step.parents ?? (last === null ? [] : [last]);
    for (const [index, parent] of parents.entries()) write(`${index === 0 ? 'from' : 'merge'} ${mark(parent)}\n`);
    for (const [from, to] of step.renames ?? []) write(`R ${from} ${to}\n`);
    for (const [file, content] of Object.entries(step.files ?? {})) {
      if (content === null) write(`D ${file}\n`);
      else write(`M 100644 inline ${file}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
    }
    write('\n');
    last = commit;
  }
  const marksFile = join(path, '.git', 'marks');
  execFileSync('git', ['fast-import', '--quiet', '--force', `--export-marks=${marksFile}`], {
    cwd: path,
    input: Buffer.concat(parts),
  });
  const hashes = new Map<string, string>();
  for (const line of readFileSync(marksFile, 'utf8').split('\n')) {
    const [at, hash] = line.split(' ');
    const name = [...marks].find(([, number]) => `:${number}` === at)?.[0];
    if (name !== undefined) hashes.set(name, hash!);
  }
  return {
    path,
    hash: (name: string) => hashes.get(name)!,
    git: (...args: readonly string[]) => runGit(path, ...args),
  } satisfies TestRepository;
}

export function runGit(directory: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];
  const safe = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...safe, ...args], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** The environment in which `git` runs the script, then the real git unless the script ends before. */
export function gitInFront(script: string): NodeJS.ProcessEnv {
  const folder = temporaryFolder('devex');
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nPATH='${process.env.PATH}'\n${script}\nexec git "$@"\n`, {
    mode: 0o755,
  });
  return { PATH: `${folder}${delimiter}${process.env.PATH}` };
}

/** Asks with a reader of its own, at a moment of the test's choosing (Unix seconds). */
export async function measureAt(
  now: number,
  query: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = { PATH: process.env.PATH },
): Promise<Measurement> {
  return measure(createGit(env), zQuery.parse(query), now * 1_000);
}
