/** One session as a document of bounded size: head, task, summary, tool calls, conversation. */
import { type AgentEvent, isTerminalAgentEvent } from '../../events/run/agent-event.ts';
import { characterCount, cut, withEllipsis } from '../../lib/characters.ts';
import { type JobRow, type StepRow, steps } from '../../projections/run/job-rows.ts';
import { output } from '../../projections/run/output.ts';
import type { Views } from '../../projections/views.ts';
import { retryText } from '../../queries/run/conversation.ts';
import { type Markup, markup, moment } from '../html.ts';

const CONTENT_CHARACTERS_MAX = 4_000;
const INPUT_SUMMARY_CHARACTERS_MAX = 160;
/** Limits of one page. Of a longer run, the page shows how many are missing. */
const MESSAGES_MAX = 1_000;
const TOOL_CALLS_MAX = 1_000;
const PAGE_ROWS = 1_000;

/** A line of the conversation: the words of one role, or a tool call. */
type Line =
  | { readonly kind: 'message'; readonly role: 'user' | 'assistant' | 'system'; text: string; characters: number }
  | { readonly kind: 'step'; readonly event: AgentEvent };

export function sessionDocument(views: Views, row: JobRow, now: number): Markup {
  const calls = steps(views, row.session_id);
  const { lines, left } = conversation(views, row);
  return markup`<header>
<p class="quiet"><a href="/sessions">← Sessions</a></p>
<h1>${cut(row.task.trim().split('\n', 1)[0]!, 120).text}</h1>
${head(row, now)}
</header>
<section><h2>Task</h2>${pre('text prose', markup`${row.task}`)}</section>
${row.summary === null ? null : markup`<section><h2>Summary</h2>${pre('text prose', markup`${row.summary}`)}</section>`}
<section><h2>Tool calls</h2>
${calls.length === 0 ? markup`<p class="quiet">None.</p>` : calls.slice(0, TOOL_CALLS_MAX).map(toolCall)}
${remainder(calls.length - TOOL_CALLS_MAX, 'tool calls')}
</section>
<section><h2>Conversation</h2>
${lines.length === 0 ? markup`<p class="quiet">Nothing was said yet.</p>` : lines.map(line)}
${remainder(left, 'entries')}
</section>
<footer><a href="/sessions">All sessions</a></footer>`;
}

function head(row: JobRow, now: number): Markup {
  const end = row.finished_at === null ? 'in progress' : moment(row.finished_at);
  const seconds = (row.took_ms + (row.finished_at === null ? now - row.started_at : 0)) / 1000;
  const parent = row.parent_session_id;
  const facts: (readonly [string, Markup | string])[] = [
    ['Status', markup`<span class="badge ${row.status}">${row.status}</span>`],
    ['Model', `${row.provider} / ${row.model === '' ? 'default' : row.model}`],
    ['Time', markup`${moment(row.first_started_at)} – ${end}`],
    ['Duration', `${Math.max(0, seconds).toFixed(1)} s`],
    ['Steps', String(row.steps_completed)],
    ['Tokens', String(row.tokens_used)],
    ['Session', markup`<code>${row.session_id}</code>`],
  ];
  if (parent !== null) {
    facts.push(['Forked from', markup`<a href="/view/${encodeURIComponent(parent)}"><code>${parent}</code></a>`]);
  }
  const items = facts.map(([name, fact]) => markup`<div><dt>${name}</dt><dd>${fact}</dd></div>`);
  return markup`<dl class="facts">${items}</dl>`;
}

function toolCall(step: StepRow): Markup {
  const verdict = step.success === null ? 'unfinished' : step.success === 1 ? 'ok' : 'fail';
  return markup`<details class="call" id="step-${step.step_num}">
<summary><span class="num">#${step.step_num}</span> <strong>${step.tool_name}</strong>
<span class="verdict ${verdict}">${verdict}</span>
<span class="quiet">${inputSummary(step.input)}</span></summary>
${pre('text', content(step.output ?? 'No output was recorded.'))}
</details>
`;
}

/** A tool's input in one line: `path: notes.md, content: hello…`. */
function inputSummary(input: string): string {
  if (input === '') return '';
  const parsed: unknown = JSON.parse(input);
  const parts =
    typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? Object.entries(parsed).map(
          ([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`,
        )
      : [input];
  return withEllipsis(parts.join(', ').replace(/\s+/g, ' '), INPUT_SUMMARY_CHARACTERS_MAX);
}

/** The output of a run as lines. Consecutive chunks form one message, of which only the shown part is kept. */
function conversation(
  views: Views,
  { session_id: id, summary }: JobRow,
): { readonly lines: readonly Line[]; readonly left: number } {
  const lines: Line[] = [];
  let left = 0;
  let after = 0;
  for (;;) {
    const rows = output(views, id, { after, limit: PAGE_ROWS, withUser: true });
    for (const row of rows) if (!add(lines, JSON.parse(row.json) as AgentEvent, summary)) left += 1;
    if (rows.length < PAGE_ROWS) return { lines, left };
    after = rows.at(-1)!.seq;
  }
}

function add(lines: Line[], event: AgentEvent, summary: string | null): boolean {
  const text = event.content ?? '';
  const last = lines.at(-1);
  if (event.type === 'chunk' && last?.kind === 'message' && last.role === 'assistant') {
    if (last.text.length <= 2 * CONTENT_CHARACTERS_MAX) last.text += text;
    last.characters += characterCount(text);
    return true;
  }
  if (lines.length >= MESSAGES_MAX) return false;
  if (event.type === 'step') lines.push({ kind: 'step', event });
  else {
    const words = textOf(event, summary);
    lines.push({ kind: 'message', role: roleOf(event.type), text: words, characters: characterCount(words) });
  }
  return true;
}

function roleOf(type: AgentEvent['type']): 'user' | 'assistant' | 'system' {
  if (type === 'user') return 'user';
  return type === 'chunk' ? 'assistant' : 'system';
}

/** The end of a run is shown as one word when the summary above contains its text. */
function textOf(event: AgentEvent, summary: string | null): string {
  const { type, content: text = '' } = event;
  if (type === 'retry') return retryText(event);
  if (!isTerminalAgentEvent(type)) return text;
  return text === summary ? `The run ended: ${type}.` : `The run ended: ${type}.\n${text}`;
}

function line(of: Line): Markup {
  if (of.kind === 'step') {
    const { step_num, tool_name, success } = of.event;
    const verdict = success === true ? 'ok' : 'fail';
    return markup`<p class="step"><a href="#step-${step_num ?? 0}">#${step_num ?? 0} ${tool_name ?? ''}</a>
<span class="verdict ${verdict}">${verdict}</span></p>
`;
  }
  const words = content(of.text, of.characters);
  return markup`<article class="message ${of.role}"><h3>${of.role}</h3>${pre('text', words)}</article>
`;
}

/** A line end right after the tag is not shown, so a text that begins with one gets another. */
function pre(classes: string, text: Markup): Markup {
  return markup`<pre class="${classes}">${/^[\r\n]/.test(text.markup) ? '\n' : null}${text}</pre>`;
}

function content(text: string, characters = characterCount(text)): Markup {
  const shown = cut(text, CONTENT_CHARACTERS_MAX).text;
  const left = characters - characterCount(shown);
  return left === 0
    ? markup`${shown}`
    : markup`${shown}<span class="cut">\n[truncated: ${left} more characters]</span>`;
}

function remainder(count: number, of: string): Markup | null {
  return count <= 0 ? null : markup`<p class="quiet">${count} more ${of} are not shown here; the log has them.</p>`;
}
