/** The results of a goal, in a dialog. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, type Goal, type GoalsRecapAnswer } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';

const text = all.goals.recap;

export function RecapButton({ goal }: { readonly goal: Goal }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="button" onClick={() => (isOpen.value = true)}>
        {all.goals.actions.recap}
      </button>
      <Dialog title={text.title} isOpen={isOpen.value} onClose={() => (isOpen.value = false)}>
        <Making goal={goal} />
      </Dialog>
    </>
  );
}

/** Asks for a recap when it is shown. */
function Making({ goal }: { readonly goal: Goal }): JSX.Element {
  const recap = useSignal<GoalsRecapAnswer | null>(null);
  const failure = useSignal<Error | null>(null);
  const make = async (): Promise<void> => {
    failure.value = null;
    try {
      recap.value = await api.goals.recap(goal.id);
    } catch (error) {
      failure.value = error as Error;
    }
  };
  useEffect(() => void make(), []);
  if (failure.value !== null) return <Failure error={failure.value} retry={make} />;
  if (recap.value !== null) return <Recap of={recap.value} />;
  return (
    <>
      <p role="status">{text.running}</p>
      <Skeleton lines={3} />
    </>
  );
}

function Recap({ of }: { readonly of: GoalsRecapAnswer }): JSX.Element {
  const { headline, bullets, next_actions, artifacts, recap_synthesizer, recap_llm_error } = of;
  return (
    <>
      <p dir="auto">
        <strong>{headline}</strong>
      </p>
      <Lines of={bullets} />
      {next_actions.length > 0 && <h3>{text.next}</h3>}
      <Lines of={next_actions} />
      {artifacts.length > 0 && <h3>{text.artifacts}</h3>}
      <Lines of={artifacts.map(({ label, locator }) => (label === locator ? label : `${label}: ${locator}`))} />
      {recap_llm_error !== undefined && <p class="bad">{text.failed(recap_llm_error)}</p>}
      <p class="quiet">{recap_synthesizer === 'llm' ? text.byModel : text.byRules}</p>
    </>
  );
}

function Lines({ of }: { readonly of: readonly string[] }): JSX.Element | null {
  if (of.length === 0) return null;
  return (
    <ul class="goals-criteria">
      {of.map((line) => (
        <li key={line} dir="auto">
          {line}
        </li>
      ))}
    </ul>
  );
}
