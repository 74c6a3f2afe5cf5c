/** A diff as files, and the files in pieces that a model can read at once. Pure. */

export interface DiffFile {
  readonly path: string;
  readonly text: string;
}

export interface DiffPiece {
  readonly files: readonly DiffFile[];
}

export interface CutDiff {
  readonly pieces: readonly DiffPiece[];
  readonly filesTotal: number;
  /** Files of which only the beginning is in its piece. */
  readonly truncated: readonly string[];
  /** Files that are in no piece. */
  readonly skipped: readonly string[];
}

/** Limits of the diff in one model call, and of calls for one review; together about as much as a person would read. */
export const PIECE_CHARACTERS_MAX = 60_000;
export const PIECES_MAX = 8;

export function cutDiff(diff: string): CutDiff {
  const files = filesOf(diff);
  const pieces: DiffFile[][] = [];
  const truncated: string[] = [];
  const skipped: string[] = [];
  let room = 0;
  for (const file of files) {
    const fits = file.text.length <= PIECE_CHARACTERS_MAX;
    const text = fits ? file.text : wholeLines(file.text, PIECE_CHARACTERS_MAX);
    if (text.length > room) {
      if (pieces.length === PIECES_MAX) {
        skipped.push(file.path);
        continue;
      }
      pieces.push([]);
      room = PIECE_CHARACTERS_MAX;
    }
    pieces.at(-1)!.push({ path: file.path, text });
    room -= text.length;
    if (!fits) truncated.push(file.path);
  }
  return { pieces: pieces.map((list) => ({ files: list })), filesTotal: files.length, truncated, skipped };
}

/** Whether a text is a diff: it has at least one file header. */
function isDiff(text: string): boolean {
  return /^(?:diff --git |\+\+\+ |--- )/m.test(text);
}

function filesOf(diff: string): readonly DiffFile[] {
  const headed = /^diff --git /m.test(diff);
  const parts = diff.split(headed ? /^(?=diff --git )/m : /^(?=--- .*\n\+\+\+ )/m);
  return parts.filter((part) => isDiff(part)).map((text) => ({ path: pathOf(text), text }));
}

/** A path in quotation marks, or up to a tab or the end of the line. */
const PATH = String.raw`("(?:[^"\\\n]|\\.)*"|[^\t\n]+)`;
const AFTER = new RegExp(String.raw`^\+\+\+ ${PATH}`, 'm');
const BEFORE = new RegExp(`^--- ${PATH}`, 'm');
const HEADER = /^diff --git .+ (b\/[^\n]+|"b\/[^\n]+")/m;

/** The path after the change; for a deleted file the path before. */
function pathOf(text: string): string {
  const [after, before, header] = [AFTER, BEFORE, HEADER].map((pattern) => unquoted(pattern.exec(text)?.[1]));
  const names = [after?.replace(/^b\//, ''), before?.replace(/^a\//, ''), header?.replace(/^b\//, '')];
  return (names.find((name) => name !== undefined && name !== '/dev/null') ?? 'unknown').trimEnd();
}

/** Git quotes a path that is not ASCII and writes its bytes in octal. Escapes of control characters stay. */
function unquoted(path: string | undefined): string | undefined {
  if (path?.startsWith('"') !== true) return path;
  const parts = path.slice(1, -1).matchAll(/\\([2-3][0-7]{2})|\\(["\\])|\\.|[^\\]+/g);
  const bytes = [...parts].map(([whole, octal, character]) =>
    octal === undefined ? Buffer.from(character ?? whole) : Buffer.of(Number.parseInt(octal, 8)),
  );
  return Buffer.concat(bytes).toString();
}

function wholeLines(text: string, max: number): string {
  const end = text.lastIndexOf('\n', max - 1);
  return text.slice(0, end > 0 ? end + 1 : max).toWellFormed();
}
