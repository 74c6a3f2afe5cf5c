/** Chooses the other run of a comparison. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type JobRecord } from '../../api.ts';
import { ofCategory, resources } from '../../resource.ts';
import { href } from '../../router.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { text as all } from '../../text.ts';
import { useSettled } from '../../ui/query-field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { When } from '../../ui/time.tsx';

const SHOWN = 12;
const SEARCH_MS = 250;
const KEPT = 20;

/** The newest runs with these words, and one more. */
const found = resources<readonly JobRecord[]>(KEPT, (q) => ({
  load: () => api.runs.list({ query: { limit: SHOWN + 1, ...(q !== '' && { q }) } }),
  concerns: (event) => ofCategory('run')(event) && event.type !== 'ModelFramesReceived',
}));

export function ChooseOther({ id }: { readonly id: string }): JSX.Element {
  const query = useSignal('');
  const q = useSettled(query.value.trim(), SEARCH_MS);
  return (
    <>
      <input
        type="search"
        dir="auto"
        aria-label={all.runs.compare.hint}
        placeholder={all.runs.compare.hint}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
      />
      <Loaded of={found(q)}>
        {(jobs) => <Choices of={jobs.filter(({ session_id }) => session_id !== id).slice(0, SHOWN)} id={id} />}
      </Loaded>
    </>
  );
}

function Choices({ of, id }: { readonly of: readonly JobRecord[]; readonly id: string }): JSX.Element {
  return (
    <ul class="rows">
      {of.map((job) => (
        <li key={job.session_id}>
          <a class="runs-choice" href={href(['runs', id, 'compare', job.session_id])}>
            <RunStatus of={job} />
            <span class="runs-task" dir="auto">
              {job.task}
            </span>
            <span class="quiet">
              <When at={job.started_at} />
            </span>
          </a>
        </li>
      ))}
      {of.length === 0 && <li class="runs-choice quiet">{all.palette.empty}</li>}
    </ul>
  );
}
