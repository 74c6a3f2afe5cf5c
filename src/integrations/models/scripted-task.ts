/**
 * Parses a task: the files that it names, the files that it asks to write, and `rehearse:` directives, by which tests
 * and the demo choose the steps. Pure; docs/models.md has the grammar.
 */
import type { Json } from '../../events/envelope.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly input: { readonly [key: string]: Json };
  /** The content consists of notes on earlier results. */
  readonly writesNotes?: true;
}

export interface ScriptedStep {
  /** Name of the step in the plan; null for a step of a directive. */
  readonly title: string | null;
  readonly says: string;
  readonly did: string;
  readonly calls: readonly ScriptedCall[];
  /** The file of a step that only reads. */
  readonly reads?: string;
  readonly slowFrames: number;
}

/** Larger numbers in a directive are lowered to these. */
const CALLS_MAX = 1_000;
const SLOW_FRAMES_MAX = 10_000;
const NAMED_FILES_MAX = 10;

const PATH = String.raw`[\w~.-]+(?:/[\w.-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}`;
const QUOTE = '["\'`“”‘’]';
const ENDS = String.raw`\s*(?:$|[,:;!?)\n]|\.(?!\w))|\s+(?:and|with|containing|saying|that|which)\s`;
/** `make main.ts faster` and `add main.ts to the index` ask for no new file: what follows the name decides. */
const NEW_FILE = String.raw`(?=\s+(?:an?|new|file)\s|\s+${QUOTE}?${PATH}${QUOTE}?(?:${ENDS}))`;
const VERB = `(?:write|create|save|generate|produce|(?:make|add)${NEW_FILE})`;
const FILLER = String.raw`(?:\s+(?:a|an|the|new|text|empty|short|file|named|called|it|into|to|as|in))*`;
const NAMED = new RegExp(`(?<![\\w/:.~-])${PATH}(?![\\w/])`, 'g');
const NEGATED = String.raw`(?<!(?:\bnot|\bnever|n['’]t)\s)`;
/** What stands before a file: its content, or a text of its own. A comment or a change may be for an existing file. */
const INTRODUCED = String.raw`(?:(?:a|an|the|exact|short|content|contents|text|line|words?)\s+)*`;
const TEXTS = '(?:summary|overview|outline|review|reports?|notes?|list|results?|findings|answers?|poem|story|letter)';
const BEFORE = String.raw`${INTRODUCED}(?:${QUOTE}[^\n]{0,200}?${QUOTE}|${TEXTS}\b[^\n,;]{0,200}?)`;
const CONTENT_FIRST = String.raw`(?:write|save|put)\s+(${BEFORE})\s+(?:to|into|as)${FILLER}`;
const WRITE = new RegExp(`${NEGATED}\\b(?:${VERB}${FILLER}|${CONTENT_FIRST})\\s+${QUOTE}?(${PATH})${QUOTE}?`, 'gi');
const SAYING = String.raw`with|containing|saying|(?:that|which)\s+(?:says|contains|reads)|:`;
const CONTENT = String.raw`^(?:\s*,)?\s*(?:and\s+)?(?:${SAYING})`;
/** One group per kind of quote; an apostrophe inside a word does not close a single quote. */
const QUOTES = String.raw`(?:"([^"]*)"|'([\s\S]*?)'(?!\w)|\x60([^\x60]*)\x60|“([^”]*)”|‘([\s\S]*?)’(?!\w))`;
const QUOTED = new RegExp(
  `${CONTENT}(?:\\s+(?:the|exact|content|contents|text|line|words?))*(?:\\s*:)?\\s*${QUOTES}`,
  'i',
);
const ONLY_QUOTED = new RegExp(`^${INTRODUCED}${QUOTES}$`, 'i');
const DIRECTIVE = /^[ \t]*rehearse:[ \t]*(\w+)(?!\S)(.*)$/gim;

export function stepsOf(task: string, tools: ReadonlySet<string>): readonly ScriptedStep[] {
  const directed = [...task.matchAll(DIRECTIVE)].flatMap((match) =>
    directive(match[1]!.toLowerCase(), match[2]!.trim()),
  );
  const steps = directed.length > 0 ? withSlowness(directed) : plainSteps(task);
  return steps.filter((step) => step.calls.every((call) => tools.has(call.name)));
}

function plainSteps(task: string): readonly ScriptedStep[] {
  const writes = writesOf(task);
  const written = new Set(writes.map((write) => write.calls[0]?.input.path));
  const names = new Set([...task.matchAll(NAMED)].map((match) => match[0]));
  const toRead = [...names].filter((name) => !written.has(name)).slice(0, NAMED_FILES_MAX);
  return [listStep('Look at the workspace'), ...toRead.map((path) => readStep(path, `Read ${path}`)), ...writes];
}

function writesOf(task: string): readonly ScriptedStep[] {
  return [...task.matchAll(WRITE)].slice(0, NAMED_FILES_MAX).map((match) => {
    const [whole, before = '', path = ''] = match;
    const quote = ONLY_QUOTED.exec(before) ?? QUOTED.exec(task.slice(match.index + whole.length));
    const content = quote?.slice(1).find((group) => group !== undefined) ?? null;
    return writeStep({ path, content, title: `Write ${path}` });
  });
}

function directive(word: string, rest: string): readonly ScriptedStep[] {
  const count = Math.max(0, Number.parseInt(rest, 10) || 0);
  const times = Math.min(count, CALLS_MAX);
  switch (word) {
    case 'bash':
      return [
        step({
          says: `Now the command: ${rest}`,
          did: `ran ${rest}`,
          calls: [{ name: 'bash', input: { command: rest } }],
        }),
      ];
    case 'read':
      return [readStep(rest, null)];
    case 'write': {
      const [, path = '', content = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
      return [writeStep({ path, content, title: null })];
    }
    case 'tools':
      return Array.from({ length: times }, () => listStep(null));
    case 'parallel':
      return [{ ...listStep(null), calls: Array.from({ length: times }, () => LIST) }];
    case 'plan':
      return [planStep(rest)];
    case 'slow':
      return [step({ says: '', did: '', calls: [], slowFrames: Math.min(count, SLOW_FRAMES_MAX) })];
    default:
      return [];
  }
}

/** Adds slow frames to the next step; after the last call they belong to the closing answer. */
function withSlowness(steps: readonly ScriptedStep[]): readonly ScriptedStep[] {
  const out: ScriptedStep[] = [];
  for (const next of steps) {
    const before = out.at(-1);
    if (before && before.calls.length === 0)
      out[out.length - 1] = { ...next, slowFrames: before.slowFrames + next.slowFrames };
    else out.push(next);
  }
  return out;
}

const LIST: ScriptedCall = { name: 'list_directory', input: { path: '.' } };

function listStep(title: string | null): ScriptedStep {
  return step({
    title,
    says: 'First a look at the workspace.',
    did: 'looked at the workspace',
    calls: [LIST],
    reads: 'Workspace',
  });
}

function readStep(path: string, title: string | null): ScriptedStep {
  const calls = [{ name: 'read_file', input: { path } }];
  return step({
    title,
    says: `The task names ${path}, so the script reads it.`,
    did: `read ${path}`,
    calls,
    reads: path,
  });
}

function writeStep(write: {
  readonly path: string;
  readonly content: string | null;
  readonly title: string | null;
}): ScriptedStep {
  const { path, content, title } = write;
  const call: ScriptedCall = { name: 'write_file', input: { path, content: content ?? '' } };
  return step({
    title,
    says: `Now the script writes ${path}.`,
    did: `wrote ${path}`,
    calls: [content === null ? { ...call, writesNotes: true } : call],
  });
}

/** A plan that the script does not carry out: the run ends as partial with these steps remaining. */
function planStep(rest: string): ScriptedStep {
  const titles = rest
    .split(';')
    .map((title) => title.trim())
    .filter(Boolean);
  const steps = titles.map((description) => ({ description, status: 'pending' }));
  return step({ says: 'Here is a plan.', did: 'made a plan', calls: [{ name: 'update_plan', input: { steps } }] });
}

function step(fields: Partial<ScriptedStep> & Pick<ScriptedStep, 'says' | 'did' | 'calls'>): ScriptedStep {
  return { title: null, slowFrames: 0, ...fields };
}
