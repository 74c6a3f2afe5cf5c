/** The evidence of a deliverable: each file with its hash, and whether it has changed since. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type Deliverable } from '../../api.ts';
import { bytes } from '../../format.ts';
import { href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { openedBy, useDialog } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { When } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { AttachDialog } from './attach.tsx';
import type { Shown } from './blockers.tsx';
import { type EvidenceItem, evidence, evidenceKey } from './data.ts';

const text = all.engagements.evidence;
const HASH_SHOWN = 12;

interface EvidenceProps {
  readonly deliverable: Deliverable;
  readonly shown: Shown;
}

export function Evidence({ deliverable, shown }: EvidenceProps): JSX.Element {
  const attaching = useDialog();
  const removing = useSignal<EvidenceItem | null>(null);
  const items = evidence(evidenceKey(shown.id, deliverable.id, shown.at));
  const isPast = shown.at !== null;
  return (
    <div class="engagement-evidence">
      <div class="section-head">
        <h3>{text.title}</h3>
        {!isPast && (
          <Button icon="link" onClick={attaching.open}>
            {text.attach}
          </Button>
        )}
      </div>
      <Loaded of={items} lines={1}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{text.none}</p>
          ) : (
            <ul class="stack">
              {list.map((item) => (
                <Item key={item.id} item={item} remove={isPast ? null : () => (removing.value = item)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <AttachDialog deliverable={deliverable} shown={shown} {...attaching.opened} />
      <RemoveDialog of={removing} shown={shown} />
    </div>
  );
}

interface ItemProps {
  readonly item: EvidenceItem;
  readonly remove: (() => void) | null;
}

function Item({ item, remove }: ItemProps): JSX.Element {
  const { kind, label, reference, captured_at, size_bytes, sha256 } = item;
  const isNamed = label !== '' && label !== reference;
  return (
    <li class="engagement-item">
      <div>
        <span class="row">
          <Badge tone="quiet">{text.kinds[kind]}</Badge>
          <strong dir="auto">{isNamed ? label : <Reference of={item} />}</strong>
          {kind === 'file' && <Standing of={item} />}
        </span>
        {isNamed && (
          <span dir="auto" class="quiet engagement-reference">
            <Reference of={item} />
          </span>
        )}
        <span class="quiet">
          <When at={captured_at} />
          {size_bytes !== null && ` · ${bytes(size_bytes)}`}
          {sha256 !== null && (
            <>
              {' · '}
              {text.hash}{' '}
              <code title={sha256} class="engagement-hash">
                {sha256.slice(0, HASH_SHOWN)}…
              </code>
            </>
          )}
          {kind === 'file' && sha256 === null && ` · ${text.noHash}`}
        </span>
      </div>
      {remove !== null && (
        <Button tone="plain" icon="close" aria-label={`${text.remove}: ${label || reference}`} onClick={remove} />
      )}
    </li>
  );
}

function Reference({ of: { kind, reference } }: { readonly of: EvidenceItem }): JSX.Element {
  if (kind === 'url' && /^https?:/i.test(reference)) {
    return (
      <a href={reference} rel="noreferrer noopener" target="_blank">
        {reference}
      </a>
    );
  }
  if (kind === 'run') return <a href={href(['runs', reference])}>{reference}</a>;
  return <>{reference}</>;
}

function Standing({ of: { changed_since } }: { readonly of: EvidenceItem }): JSX.Element {
  if (changed_since === null) return <Badge tone="quiet">{text.unchecked}</Badge>;
  return changed_since ? (
    <Badge tone="bad" icon="warning">
      {text.changed}
    </Badge>
  ) : (
    <Badge tone="good" icon="check">
      {text.same}
    </Badge>
  );
}

interface RemoveDialogProps {
  readonly of: Signal<EvidenceItem | null>;
  readonly shown: Shown;
}

function RemoveDialog({ of, shown }: RemoveDialogProps): JSX.Element {
  const item = of.value;
  const remove = async (fields: FormData): Promise<void> => {
    if (item === null) return;
    await api.engagements.deleteEvidence(shown.id, item.id, { query: { reason: written(fields, 'reason') } });
    toast(text.removed);
    await evidence(evidenceKey(shown.id, item.deliverable_id, null)).refresh();
  };
  return (
    <FormDialog title={text.removeTitle} submit={text.remove} tone="danger" send={remove} {...openedBy(of)}>
      <p>{text.lost(item?.label || item?.reference || '')}</p>
      <Field label={text.reason} name="reason" required />
    </FormDialog>
  );
}
