/** What is running, what waits for the user, and what has changed. */
import type { JSX } from 'preact';
import { approvals } from '../../approval.ts';
import { count } from '../../format.ts';
import { openOverlay } from '../../shell/overlay.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Head } from '../../ui/head.tsx';
import { Approvals } from './approvals.tsx';
import { Engagements, Goals, NewestBriefing, StorageState } from './aside.tsx';
import { running } from './data.ts';
import { Recent, Running } from './running.tsx';

const text = all.now;

export function View(): JSX.Element {
  return (
    <>
      <Head title={text.title} note={<Summary />}>
        <Button tone="primary" icon="plus" onClick={() => openOverlay('new-run')}>
          {all.newRun}
        </Button>
      </Head>
      <div class="now">
        <div class="now-main">
          <Approvals />
          <Running />
          <Recent />
        </div>
        <div class="now-aside">
          <Goals />
          <Engagements />
          <NewestBriefing />
          <StorageState />
        </div>
      </div>
    </>
  );
}

function Summary(): JSX.Element {
  const runs = running.value.value?.length ?? 0;
  const waiting = approvals.value.value?.length ?? 0;
  const isKnown = running.value.value !== undefined && approvals.value.value !== undefined;
  if (!isKnown) return <>{'\u00a0'}</>;
  return <>{runs + waiting === 0 ? text.quiet : text.summary(count(runs), count(waiting))}</>;
}
