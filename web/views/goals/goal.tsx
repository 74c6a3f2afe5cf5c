/** One goal: its statement, its plan, its runs, its subgoals, and its actions. */
import type { ComponentChildren, JSX } from 'preact';
import { api, type Goal, type GoalLink, type GoalPlan } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { saveBundle } from '../../lib/save.ts';
import { useResource } from '../../resource.ts';
import { href, setQuery } from '../../router.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { useDialogs } from '../../ui/dialog.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Head } from '../../ui/head.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Status, StepStatus } from '../../ui/status.tsx';
import { When } from '../../ui/time.tsx';
import { details, goals, type Node, runs } from './data.ts';
import { LinkDialog, PlanDialog, RemoveDialog, StartDialog } from './dialogs.tsx';
import { EditDialog } from './edit.tsx';
import { Lines, RecapButton } from './recap.tsx';

const text = all.goals;

interface GoalPageProps {
  readonly node: Node;
  readonly list: readonly Goal[];
}

type Dialogs = 'start' | 'plan' | 'edit' | 'link' | 'remove';

export function GoalPage({ node, list }: GoalPageProps): JSX.Element {
  const { goal, progress } = node;
  const note = (
    <span class="row">
      <Status of={goal.status} />
      {goals.isPending.value && <span class="pending-mark">{all.unconfirmed}</span>}
      {progress !== null && (
        <>
          <progress class="progress goals-wide" max={1} value={progress} aria-label={text.progress(goal.title)} />
          <span class="number">{percent(progress)}</span>
        </>
      )}
    </span>
  );
  return (
    <article class="stack">
      <Head title={goal.title} above={<Above goal={goal} list={list} />} note={note}>
        <Actions node={node} list={list} />
      </Head>
      {goal.statement !== '' && (
        <p class="goals-statement" dir="auto">
          {goal.statement}
        </p>
      )}
      <Card title={text.page.criteria}>
        {goal.success_criteria.length === 0 ? (
          <p class="quiet">{text.page.noCriteria}</p>
        ) : (
          <Lines of={goal.success_criteria} />
        )}
      </Card>
      <Plan of={goal.current_plan} />
      <Card title={text.page.links}>
        <Loaded of={details(goal.id)} lines={1}>
          {({ links }) => <Links of={links} goal={goal.id} />}
        </Loaded>
      </Card>
      {node.children.length > 0 && <Below of={node.children} />}
      <About goal={goal} />
    </article>
  );
}

function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Above({ goal, list }: { readonly goal: Goal; readonly list: readonly Goal[] }): JSX.Element {
  const parent = list.find(({ id }) => id === goal.parent_goal_id);
  return (
    <>
      <a href={href(['goals'])}>{text.page.all}</a>
      {parent !== undefined && (
        <>
          {' / '}
          <a dir="auto" href={href(['goals', parent.id])}>
            {parent.title}
          </a>
        </>
      )}
    </>
  );
}

function Actions({ node, list }: GoalPageProps): JSX.Element {
  const { goal } = node;
  const { open, opened } = useDialogs<Dialogs>();
  const bundle = async (): Promise<void> => saveBundle(await api.goals.evidenceBundle(goal.id), goal.id);
  useShortcuts(all.shortcuts.here, [
    { keys: 's', label: text.keys.start, run: open('start') },
    { keys: 'p', label: text.keys.plan, run: open('plan') },
    { keys: 'e', label: text.keys.edit, run: open('edit') },
  ]);
  return (
    <>
      <Button tone="primary" onClick={open('start')}>
        {text.actions.start}
      </Button>
      <Button onClick={open('plan')}>{text.actions.plan}</Button>
      <RecapButton goal={goal} />
      <Button onClick={open('edit')}>{text.actions.edit}</Button>
      <Menu label={text.actions.more}>
        <PinAction goal={goal} />
        <Button onClick={() => setQuery({ new: goal.id })}>{text.actions.below}</Button>
        <Button onClick={open('link')}>{text.actions.link}</Button>
        <Action run={bundle} label={`${all.bundle.save}. ${all.bundle.help}`}>
          {all.bundle.save}
        </Action>
        <Button tone="danger" onClick={open('remove')}>
          {text.actions.remove}
        </Button>
      </Menu>
      <StartDialog goal={goal} {...opened('start')} />
      <PlanDialog goal={goal} {...opened('plan')} />
      <EditDialog goal={goal} list={list} {...opened('edit')} />
      <LinkDialog goal={goal} {...opened('link')} />
      <RemoveDialog node={node} {...opened('remove')} />
    </>
  );
}

function PinAction({ goal }: { readonly goal: Goal }): JSX.Element {
  const { id, workspace } = goal;
  const known = useResource(details(id));
  const isPinned = known.value.value?.pinned ?? false;
  const toggle = (): Promise<void> =>
    known.change(
      (shown) => ({ ...shown, pinned: !isPinned }),
      () =>
        isPinned
          ? api.goals.unpin({ query: { workspace: workspace ?? undefined } })
          : api.goals.pin({ goal_id: id, workspace }),
    );
  return (
    <Action
      run={toggle}
      label={`${isPinned ? text.actions.unpin : text.actions.pin}. ${text.actions.pinHelp(workspace)}`}
    >
      {isPinned ? text.actions.unpin : text.actions.pin}
    </Action>
  );
}

function Plan({ of }: { readonly of: GoalPlan | null }): JSX.Element {
  if (of === null) {
    return (
      <Card title={text.plan.title}>
        <p class="quiet">{text.plan.none}</p>
      </Card>
    );
  }
  const done = of.steps.filter(({ status }) => status === 'done').length;
  return (
    <Card title={text.plan.title}>
      <p class="quiet">{text.plan.steps(count(done), count(of.steps.length))}</p>
      <ol class="goals-steps">
        {of.steps.map(({ id, description, estimated_path, status }) => (
          <li key={id}>
            <span class="number quiet">{count(id)}</span>
            <span dir="auto">
              {description} {estimated_path !== null && <code class="quiet">{estimated_path}</code>}
            </span>
            <StepStatus of={status} />
          </li>
        ))}
      </ol>
      {of.risks.length > 0 && (
        <>
          <h3>{text.plan.risks}</h3>
          <Lines of={of.risks} />
        </>
      )}
    </Card>
  );
}

function Links({ of, goal }: { readonly of: readonly GoalLink[]; readonly goal: string }): JSX.Element {
  const known = useResource(runs(goal)).value.value;
  if (of.length === 0) return <p class="quiet">{text.page.noLinks}</p>;
  return (
    <ul class="goals-links">
      {of.map(({ id, kind, target_id, note, linked_at }) => (
        <li key={id}>
          {known?.has(target_id) ? (
            <RunStatus of={known.get(target_id)!} />
          ) : (
            <span class="quiet">{text.link.kinds[kind]}</span>
          )}
          <span>
            {kind === 'note' || kind === 'recap' ? (
              <span dir="auto">{target_id}</span>
            ) : (
              <a dir="auto" class="goals-run" href={href(['runs', target_id])}>
                {known?.get(target_id)?.task ?? target_id.slice(0, 12)}
              </a>
            )}
            {note !== null && (
              <span class="quiet goals-note" dir="auto">
                {note}
              </span>
            )}
          </span>
          <span class="quiet">
            <When at={Date.parse(linked_at)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Below({ of }: { readonly of: readonly Node[] }): JSX.Element {
  return (
    <Card title={text.page.below}>
      <ul class="goals-links">
        {of.map(({ goal: { id, title, status }, progress }) => (
          <li key={id}>
            <Status of={status} />
            <a dir="auto" href={href(['goals', id])}>
              {title}
            </a>
            <span class="quiet number">{progress === null ? '' : percent(progress)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function About({ goal }: { readonly goal: Goal }): JSX.Element {
  const { page } = text;
  const facts: readonly Fact[] = [
    [page.folder, goal.workspace ?? page.everywhere],
    [page.tags, goal.tags.join(', ') || all.none],
    [page.created, <When key="created" at={Date.parse(goal.created_at)} />],
    [page.changed, <When key="changed" at={Date.parse(goal.updated_at)} />],
  ];
  return <Facts of={facts} />;
}
