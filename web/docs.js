/**
 * Tries operations from the page of the interface, with the token of this tab. Requests go to this daemon only; what it
 * answers is shown as text.
 */
const TOKEN_KEY = 'daybook.token';

const SHOWN_CHARACTERS_MAX = 100_000;

let given = null;

/** The console keeps the token of a tab under the same name. */
const token = {
  get() {
    try {
      return sessionStorage.getItem(TOKEN_KEY);
    } catch {
      return given;
    }
  },
  set(value) {
    given = value;
    try {
      sessionStorage.setItem(TOKEN_KEY, value);
    } catch {
      // The browser blocks the data of sites: the page keeps it until it is left.
    }
  },
};

const session = document.getElementById('session');
const sessionState = document.getElementById('session-state');

function showSession() {
  sessionState.textContent = token.get() === null ? 'This tab has no token.' : 'This tab has a token.';
}

session.hidden = false;
showSession();
session.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = document.getElementById('token');
  if (field.value.trim() !== '') token.set(field.value.trim());
  field.value = '';
  showSession();
});

for (const details of document.querySelectorAll('details.try')) {
  details.hidden = false;
  const form = details.querySelector('form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(form);
  });
}

/** The target and the body of a form; a field that is empty is left out. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  let body;
  for (const field of form.querySelectorAll('[data-in]')) {
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.dataset.in === 'query' && field.value !== '') query.set(field.name, field.value);
    else if (field.dataset.in === 'body' && field.value.trim() !== '') body = field.value;
  }
  return { target: query.size === 0 ? path : `${path}?${query}`, body };
}

async function attempt(form) {
  const [status, output] = [form.querySelector('[role=status]'), form.querySelector('pre')];
  const stop = form.querySelector('[data-stop]');
  const controller = new AbortController();
  const { target, body } = requestOf(form);
  const bearer = token.get();
  output.textContent = '';
  output.hidden = true;
  status.textContent = 'Sent…';
  stop.hidden = false;
  stop.onclick = () => controller.abort();
  try {
    const response = await fetch(target, {
      method: form.dataset.method,
      signal: controller.signal,
      referrerPolicy: 'no-referrer',
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
    });
    status.textContent = `${response.status} ${response.statusText}`;
    await show(response, output);
  } catch (error) {
    if (controller.signal.aborted) status.textContent += ' Stopped.';
    else status.textContent = `The daemon cannot be reached: ${error.message}`;
  } finally {
    stop.hidden = true;
  }
}

/** Shows the text of a response as it comes; JSON is indented, bytes are counted. */
async function show(response, output) {
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null) return;
  output.hidden = false;
  if (!/json|text|svg/.test(type)) {
    output.textContent = `${(await response.arrayBuffer()).byteLength} bytes of ${type}`;
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text = (text + value).slice(0, SHOWN_CHARACTERS_MAX);
    output.textContent = text;
  }
  if (type.includes('json')) output.textContent = indented(text);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
