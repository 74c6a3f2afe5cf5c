/** The requests for approval of all runs. */
import type { JSX } from 'preact';
import type { Approval } from '../../api.ts';
import { approvals } from '../../approval.ts';
import { href } from '../../router.ts';
import { ApprovalCard, ConflictCard, conflicts } from '../../runs/approval-card.tsx';
import { text as all } from '../../text.ts';
import { Loaded } from '../../ui/states.tsx';
import { running } from './data.ts';

const text = all.now.approvals;

export function Approvals(): JSX.Element {
  return (
    // In the page before the first request: what comes together with its live region is not said by screen readers.
    <div class="now-asked" aria-live="polite" aria-relevant="additions">
      <Loaded of={approvals} lines={2}>
        {(pending) => (pending.length + conflicts.value.length === 0 ? null : <Asked pending={pending} />)}
      </Loaded>
    </div>
  );
}

function Asked({ pending }: { readonly pending: readonly Approval[] }): JSX.Element {
  return (
    <section class="now-section" aria-labelledby="now-approvals">
      <div class="section-head" aria-live="off">
        <h2 id="now-approvals">{text.title}</h2>
        <span class="badge warn">{pending.length}</span>
      </div>
      <ul class="now-stack">
        {conflicts.value.map((conflict) => (
          <li key={conflict.approval.id}>
            <ConflictCard conflict={conflict} />
          </li>
        ))}
        {pending
          .filter(({ id }) => conflicts.value.every(({ approval }) => approval.id !== id))
          .map((approval) => (
            <li key={approval.id}>
              <ApprovalCard approval={approval}>
                <a class="quiet now-cut" dir="auto" href={href(['runs', approval.session_id])}>
                  {taskOf(approval.session_id)}
                </a>
              </ApprovalCard>
            </li>
          ))}
      </ul>
    </section>
  );
}

/** The task of the run if it is known, else its id. */
function taskOf(id: string): string {
  const job = running.value.value?.find(({ session_id }) => session_id === id);
  return job?.task ?? `${text.runOf} ${id.slice(0, 12)}`;
}
