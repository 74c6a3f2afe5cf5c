/** The elements of the console: the list of jobs, and the output of one job. */
const LINES_MAX = 2_000;
const TERMINAL = new Set(['complete', 'partial', 'error']);

/** The list of jobs, updated in place, so that a changed row keeps its focus. */
export function jobList(root, onSelect) {
  const rows = new Map();

  root.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...root.querySelectorAll('button')];
    const next = buttons[buttons.indexOf(document.activeElement) + step];
    if (next === undefined) return;
    next.focus();
    event.preventDefault();
  });

  return {
    /** Shows records, newest first. */
    show(records, selected) {
      const wanted = new Set(records.map((record) => record.session_id));
      for (const [id, row] of rows) {
        if (wanted.has(id)) continue;
        row.remove();
        rows.delete(id);
      }
      for (const [index, record] of records.entries()) {
        const row = rows.get(record.session_id) ?? made(record.session_id);
        fill(row, record, record.session_id === selected);
        if (root.children[index] !== row) root.insertBefore(row, root.children[index] ?? null);
      }
    },
  };

  function made(id) {
    const row = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.append(span('what'), span('badge'), ' ', span('quiet'));
    button.addEventListener('click', () => onSelect(id));
    row.append(button);
    rows.set(id, row);
    return row;
  }
}

function fill(row, record, isSelected) {
  const button = row.firstElementChild;
  const [what, badge, quiet] = button.querySelectorAll('span');
  set(what, record.task.length > 100 ? `${record.task.slice(0, 100)}…` : record.task);
  set(badge, record.status);
  badge.className = `badge ${record.status}`;
  set(quiet, `${clock(record.started_at)} · ${steps(record.steps_completed)} · ${record.provider}`);
  button.setAttribute('aria-current', String(isSelected));
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function span(name) {
  const element = document.createElement('span');
  element.className = name;
  return element;
}

export function steps(count) {
  return `${count} ${count === 1 ? 'step' : 'steps'}`;
}

export function clock(at) {
  return new Date(at).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' });
}

/** The output of one job: consecutive chunks become one text, every other event a line. */
export function outputView(root) {
  let growing = null;
  let isSettling = false;

  /** Lines are added in batches: a layout per line of a long history takes seconds. */
  function append(element) {
    if (!isSettling) {
      isSettling = true;
      const following = root.scrollHeight - root.scrollTop - root.clientHeight < 40;
      setTimeout(() => {
        isSettling = false;
        if (following) root.scrollTop = root.scrollHeight;
      });
    }
    if (element !== null) root.append(element);
    while (root.childElementCount > LINES_MAX) root.firstElementChild.remove();
  }

  return {
    clear() {
      growing = null;
      root.replaceChildren();
    },
    /** Shows an AgentEvent; returns whether it was the last one. Unknown types are ignored. */
    show(event) {
      if (event.type === 'chunk') {
        const isNew = growing === null;
        growing ??= line('assistant', '');
        growing.append(event.content);
        append(isNew ? growing : null);
        return false;
      }
      growing = null;
      const element = lineOf(event);
      if (element !== null) append(element);
      return TERMINAL.has(event.type);
    },
  };
}

function lineOf(event) {
  switch (event.type) {
    case 'step':
      return line('call', `#${event.step_num} ${event.tool_name} — ${event.success ? 'ok' : 'failed'}`);
    case 'system':
      return line('system', event.content);
    case 'retry': {
      const { attempt, max_attempts, backoff_ms, content } = event;
      return line(
        'retry',
        `Retry ${attempt + 1} of ${max_attempts} in ${(backoff_ms / 1_000).toFixed(1)} s: ${content}`,
      );
    }
    case 'complete':
      return line('end complete', `Complete\n${event.content}`);
    case 'partial':
      return line('end partial', `Stopped with work left\n${event.content}`);
    case 'error':
      return line('end failed', `Failed\n${event.content}`);
    default:
      return null;
  }
}

function line(name, text) {
  const element = document.createElement('div');
  element.className = name;
  element.textContent = text;
  return element;
}

/** Pairs of name and text as a list. */
export function showFacts(root, pairs) {
  const rows = pairs.map(([name, text]) => {
    const row = document.createElement('div');
    const term = document.createElement('dt');
    const fact = document.createElement('dd');
    term.textContent = name;
    fact.textContent = text;
    row.append(term, fact);
    return row;
  });
  root.replaceChildren(...rows);
}
