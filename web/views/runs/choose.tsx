/** Chooses the other run of a comparison. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, type JobRecord } from '../../api.ts';
import { href } from '../../router.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { text as all } from '../../text.ts';
import { Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/time.tsx';
import { toastFailure } from '../../ui/toasts.tsx';

const SHOWN = 12;
const SEARCH_MS = 250;

export function ChooseOther({ id }: { readonly id: string }): JSX.Element {
  const query = useSignal('');
  const found = useSignal<readonly JobRecord[] | null>(null);
  useEffect(() => {
    const q = query.value.trim();
    const timer = setTimeout(() => {
      api.runs.list({ query: { limit: SHOWN + 1, ...(q !== '' && { q }) } }).then((jobs) => {
        found.value = jobs.filter(({ session_id }) => session_id !== id).slice(0, SHOWN);
      }, toastFailure);
    }, SEARCH_MS);
    return () => clearTimeout(timer);
  }, [query.value]);
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
      {found.value === null ? (
        <Skeleton />
      ) : (
        <ul class="rows">
          {found.value.map((job) => (
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
          {found.value.length === 0 && <li class="runs-choice quiet">{all.palette.empty}</li>}
        </ul>
      )}
    </>
  );
}
