/** Walks a workspace and yields the files worth indexing with their text; counts the others by reason. */
import { hash } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { repositoryTop } from '../../lib/paths.ts';
import type { Skipped } from '../../ports/code-index.ts';
import { commonFolder, smallText } from '../git/layout.ts';
import { type IgnoreFile, parseIgnoreFile } from '../tools/ignore.ts';
import { openWalked, type WalkedFile, type WalkRequest, walkFiles } from '../tools/walk.ts';
import { excludedByName, generatedByAttributes, textOrReason } from './eligible.ts';

export interface ScanLimits {
  readonly filesMax: number;
  readonly fileBytesMax: number;
  readonly textBytesMax: number;
}

export interface ScannedFile {
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Scan {
  /** Files that are not excluded by name; the content may exclude more. */
  readonly total: number;
  readonly skipped: { -readonly [Reason in keyof Skipped]: number };
  files(): Generator<ScannedFile>;
}

export const SCAN_LIMITS: ScanLimits = {
  filesMax: 20_000,
  fileBytesMax: 512 * 1024,
  textBytesMax: 64 * 1024 * 1024,
};

const WALK_FILES_MAX = 500_000;
const ATTRIBUTES_BYTES_MAX = 1024 * 1024;

/**
 * Walks twice, for the count and for the files, because the path of a walked file is valid only until the walk
 * continues.
 */
export function scan(place: WalkRequest, limits: ScanLimits): Scan {
  const request: WalkRequest = { ...place, inherited: ancestorIgnores(place.root) };
  const generated = attributesOf(request.root);
  const counting = noneSkipped();
  let total = 0;
  for (const _ of candidates(request, generated, counting)) total += 1;
  const skipped = noneSkipped();
  return {
    total: Math.min(total, limits.filesMax),
    skipped,
    *files() {
      let files = 0;
      let bytes = 0;
      for (const file of candidates(request, generated, skipped)) {
        const read = readWalked(file, limits.fileBytesMax);
        if (typeof read === 'string') {
          skipped[read] += 1;
        } else if (files === limits.filesMax || bytes + read.bytes > limits.textBytesMax) {
          skipped.over_limit += 1;
        } else {
          files += 1;
          bytes += read.bytes;
          yield read;
        }
      }
    },
  };
}

function* candidates(
  request: WalkRequest,
  generated: (path: string) => boolean,
  skipped: Scan['skipped'],
): Generator<WalkedFile> {
  let seen = 0;
  for (const file of walkFiles(request)) {
    seen += 1;
    if (seen > WALK_FILES_MAX) {
      skipped.over_limit += 1;
      return;
    }
    const reason = excludedByName(file.path) ?? (generated(file.path) ? 'generated' : null);
    if (reason === null) yield file;
    else skipped[reason] += 1;
  }
}

function readWalked(walked: WalkedFile, bytesMax: number): ScannedFile | keyof Skipped {
  using file = openWalked(walked);
  if (file === undefined) return 'unreadable';
  try {
    if (fstatSync(file.fd).size > bytesMax) return 'too_large';
    const content = readFileSync(file.fd);
    const read = textOrReason(content, walked.path);
    if ('reason' in read) return read.reason;
    const sha256 = hash('sha256', content);
    return { path: walked.path, text: read.text, bytes: content.length, sha256 };
  } catch {
    return 'unreadable';
  }
}

function attributesOf(root: string): (path: string) => boolean {
  using file = openWalked({ path: '.gitattributes', at: join(root, '.gitattributes') });
  if (file === undefined || fstatSync(file.fd).size > ATTRIBUTES_BYTES_MAX) return () => false;
  return generatedByAttributes(readFileSync(file.fd, 'utf8'));
}

function noneSkipped(): Scan['skipped'] {
  return { binary: 0, generated: 0, secret: 0, too_large: 0, unreadable: 0, over_limit: 0 };
}

/**
 * Ignore rules from outside the workspace: `.gitignore` of its parent folders up to the top of the repository, and the
 * repository's `info/exclude`. Outermost first; none outside a repository.
 */
function ancestorIgnores(workspace: string): readonly IgnoreFile[] {
  const top = repositoryTop(workspace);
  if (top === undefined) return [];
  const folders: string[] = [];
  for (let folder = workspace; folder !== top; folder = dirname(folder)) folders.unshift(dirname(folder));
  const files = [
    { path: join(commonFolder(top), 'info', 'exclude'), folder: top },
    ...folders.map((folder) => ({ path: join(folder, '.gitignore'), folder })),
  ];
  return files.flatMap(({ path, folder }) => {
    const text = smallText(path);
    const inner = relative(folder, workspace).split(sep).join('/');
    return text === null ? [] : [{ ...parseIgnoreFile(text, ''), prefix: inner === '' ? '' : `${inner}/` }];
  });
}
