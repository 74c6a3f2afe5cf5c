/** The results of a goal, in a dialog. */
import type { JSX } from 'preact';
import { api, type Goal, type GoalsRecapAnswer } from '../../api.ts';
import { text as all } from '../../text.ts';
import { AnswerDialog } from '../../ui/answer-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog.tsx';

const text = all.goals.recap;

export function RecapButton({ goal }: { readonly goal: Goal }): JSX.Element {
  const { open, opened } = useDialog();
  return (
    <>
      <Button onClick={open}>{all.goals.actions.recap}</Button>
      <AnswerDialog title={text.title} ask={() => api.goals.recap(goal.id)} meanwhile={text.running} {...opened}>
        {(recap) => <Recap of={recap} />}
      </AnswerDialog>
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

export function Lines({ of }: { readonly of: readonly string[] }): JSX.Element | null {
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
