/**
 * The console: a live list of jobs. The log's event stream names the job that changed; the job is then read again, and the
 * selected job's own stream shows its output. While a stream is down the page says so.
 */
import { ask, askText, follow, freshKey, Refused, reason, token } from './client.js';
import { clock, jobList, outputView, showFacts } from './view.js';

const PAGE_JOBS = 100;
/** Minimum time between two reads of changed jobs: the daemon admits 60 requests a minute. */
const READ_EVERY_MS = 2_500;
const HIDDEN_MS_MAX = 30_000;
/** Events of a run that do not change its record. */
const RECORD_UNCHANGED = new Set([
  'ModelAsked',
  'ModelFramesReceived',
  'AnswerContinued',
  'SystemNoted',
  'ToolStarted',
  'HealthChanged',
]);
const GOING = new Set(['queued', 'running']);

const $ = (id) => document.getElementById(id);
const jobs = new Map();
const moved = new Set();
const list = jobList($('jobs'), (id) => {
  select(id);
  if (matchMedia('(max-width: 50rem)').matches) $('detail').scrollIntoView();
});
const output = outputView($('output'));
let selected = null;
let position = 0;
let lastOutput = 0;
let ended = false;
let following = null;
let watching = null;
let isReading = false;

function connection(state, text) {
  const words = {
    idle: 'Not connected',
    connecting: 'Connecting…',
    live: 'Live',
    paused: 'Paused while this tab is hidden',
  };
  $('connection').dataset.state = state;
  $('connection').textContent = text || words[state];
}

function notice(text) {
  $('notice').textContent = text;
  $('notice').hidden = text === '';
}

/** Runs an action of the user; shows a refusal, and the sign-in form for an unknown token. */
async function attempt(work) {
  notice('');
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused && error.status === 401 && token.get() !== null)
      disconnect('The daemon does not know this token: it makes a new one at every start.');
    else notice(reason(error));
    return undefined;
  }
}

function show(isConnected) {
  $('connect').hidden = isConnected;
  for (const id of ['start', 'work', 'forget']) $(id).hidden = !isConnected;
}

function disconnect(why) {
  token.forget();
  stopStreams();
  jobs.clear();
  show(false);
  connection('idle', '');
  notice(why);
}

async function connect() {
  connection('connecting', '');
  await attempt(async () => {
    const head = await ask('/v1/log/head');
    position = head.position;
    await readPage();
    show(true);
    select(jobs.has(location.hash.slice(1)) ? location.hash.slice(1) : (newestFirst()[0]?.session_id ?? null));
    followLog();
  });
  if (following === null && token.get() !== null) connection('waiting', 'Not connected. Reload the page to try again.');
  if (token.get() === null) show(false);
}

async function readPage(after) {
  const page = await ask(`/jobs?limit=${PAGE_JOBS}${after === undefined ? '' : `&after=${after}`}`);
  for (const record of page) jobs.set(record.session_id, record);
  $('older').hidden = page.length < PAGE_JOBS;
  render();
}

function followLog() {
  following = new AbortController();
  const { signal } = following;
  follow('/v1/events/stream', {
    after: position,
    signal,
    over: () => false,
    onState: connection,
    onMessage({ id, data }) {
      position = id;
      const { stream, type } = JSON.parse(data);
      if (!stream.startsWith('run-') || RECORD_UNCHANGED.has(type)) return;
      const run = stream.slice('run-'.length);
      moved.add(run);
      if (type === 'RunResumed' && run === selected) {
        ended = false;
        watch();
      }
      readSoon();
    },
  }).catch((error) => disconnect(reason(error)));
}

/** Reads all jobs that changed meanwhile at once. */
function readSoon() {
  if (isReading) return;
  isReading = true;
  setTimeout(async () => {
    const ids = [...moved];
    moved.clear();
    try {
      if (ids.length === 1) jobs.set(ids[0], await ask(`/jobs/${ids[0]}`));
      else if (ids.length > 1) await readPage();
      render();
    } catch {
      for (const id of ids) moved.add(id);
    }
    setTimeout(() => {
      isReading = false;
      if (moved.size > 0) readSoon();
    }, READ_EVERY_MS);
  }, 100);
}

function newestFirst() {
  return [...jobs.values()].sort((one, other) => other.started_at - one.started_at);
}

function render() {
  const records = newestFirst();
  list.show(records, selected);
  $('no-jobs').hidden = records.length > 0;
  const job = jobs.get(selected);
  $('detail').hidden = job === undefined;
  if (job === undefined) return;
  $('detail-title').textContent = job.task;
  $('cancel').disabled = !GOING.has(job.status);
  const end = job.finished_at === null ? 'in progress' : clock(job.finished_at);
  showFacts($('facts'), [
    ['Status', job.cancellation_reason === null ? job.status : `${job.status} (${job.cancellation_reason})`],
    ['Model', `${job.provider} / ${job.model || 'default'}`],
    ['Time', `${clock(job.started_at)} – ${end}`],
    ['Approval', job.approval],
    ['Steps', String(job.steps_completed)],
    ['Session', job.session_id],
  ]);
}

function select(id) {
  selected = id;
  if (id !== null) history.replaceState(null, '', `#${id}`);
  output.clear();
  lastOutput = 0;
  ended = false;
  watch();
  render();
}

/** Follows the selected job's output after the last event shown. */
function watch() {
  watching?.abort();
  if (selected === null || ended) return;
  watching = new AbortController();
  const { signal } = watching;
  const id = selected;
  const words = { connecting: 'Opening the stream…', live: 'Following live' };
  follow(`/stream/${id}?after=0`, {
    after: lastOutput,
    signal,
    over: () => ended || !GOING.has(jobs.get(id)?.status),
    onState: (state, text) => {
      $('stream-state').textContent = text || words[state];
    },
    onMessage(message) {
      lastOutput = message.id;
      ended = output.show(JSON.parse(message.data)) || ended;
    },
  }).then(
    () => {
      if (!signal.aborted) $('stream-state').textContent = 'The stream has ended.';
    },
    (error) => {
      $('stream-state').textContent = reason(error);
    },
  );
}

function stopStreams() {
  following?.abort();
  watching?.abort();
  following = null;
}

$('pair').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(async () => {
    const code = $('code').value.trim();
    const offer = offered ?? (await ask('/pair'));
    offered = null;
    try {
      const { token: bearer } = await ask('/pair', {
        method: 'POST',
        body: { token: offer.token, ...(code && { code }) },
      });
      token.set(bearer);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 403)) throw error;
      offered = offer;
      $('code-field').hidden = false;
      $('code').focus();
      throw error;
    }
    await connect();
  });
});
let offered = null;

$('paste').addEventListener('submit', (event) => {
  event.preventDefault();
  token.set($('token').value.trim());
  $('token').value = '';
  connect();
});

$('forget').addEventListener('click', () => disconnect(''));

/** The same key until the daemon has answered, so that Start after a broken connection starts no second run. */
let startKey = freshKey();
$('start').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(async () => {
    const body = { task: $('task').value, approval: $('approval').value };
    try {
      const { session_id } = await ask('/agent', { method: 'POST', body, headers: { 'idempotency-key': startKey } });
      jobs.set(session_id, await ask(`/jobs/${session_id}`));
      select(session_id);
      $('task').value = '';
      startKey = freshKey();
    } catch (error) {
      if (error instanceof Refused) startKey = freshKey();
      throw error;
    }
  });
});
$('task').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) $('start').requestSubmit();
});

$('cancel').addEventListener('click', () =>
  attempt(async () => {
    jobs.set(selected, await ask(`/jobs/${selected}/cancel`, { method: 'POST' }));
    render();
  }),
);

$('save').addEventListener('click', () =>
  attempt(async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([await askText(`/share/${selected}`)], { type: 'text/html' }));
    link.download = `session-${selected}.html`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }),
);

$('older').addEventListener('click', () => attempt(() => readPage(newestFirst().at(-1)?.session_id)));

/** A hidden tab closes its connections: a browser has only six for a host. Streams resume without gaps. */
let hiding;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (!document.hidden) {
    if (following !== null || token.get() === null || $('work').hidden) return;
    followLog();
    watch();
  } else {
    hiding = setTimeout(() => {
      if (following === null) return;
      stopStreams();
      connection('paused', '');
    }, HIDDEN_MS_MAX);
  }
});

if (token.get() === null) show(false);
else connect();
