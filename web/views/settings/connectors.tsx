/** Connectors of the workspace: the catalogue, their credentials, a test, and their removal. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type CatalogConnector, type ConnectorsListAnswer } from '../../api.ts';
import { count, listed } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { openedBy, useDialog } from '../../ui/dialog.tsx';
import { Field, FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { toast } from '../../ui/toasts.tsx';
import { connectors } from './data.ts';
import { OwnDialog } from './own-connector.tsx';

const text = all.settings.connectors;
type Connector = ConnectorsListAnswer['connectors'][number];

export function ConnectorsPart(): JSX.Element {
  const removed = useSignal<Connector | null>(null);
  const added = useSignal<CatalogConnector | null>(null);
  const { open, opened } = useDialog();
  return (
    <div class="stack">
      <p class="quiet">
        {text.lead} {all.settings.project}
      </p>
      <Loaded of={connectors} lines={6}>
        {({ connectors: own, catalog }) => (
          <>
            {own.length === 0 ? (
              <Empty title={text.none} help={text.noneHelp} />
            ) : (
              <ul class="rows settings-rows">
                {own.map((each) => (
                  <Own key={each.id} connector={each} removed={removed} />
                ))}
              </ul>
            )}
            <p class="row">
              <Button icon="plus" onClick={open}>
                {text.own.title}
              </Button>
            </p>
            <h2>{text.catalogue}</h2>
            <ul class="settings-catalogue">
              {catalog.map((each) => (
                <li key={each.id} class="card">
                  <Offered connector={each} added={added} isThere={own.some(({ id }) => id === each.id)} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <RemoveDialog of={removed} />
      <AddDialog of={added} />
      <OwnDialog {...opened} />
    </div>
  );
}

function Own({
  connector,
  removed,
}: {
  readonly connector: Connector;
  readonly removed: Signal<Connector | null>;
}): JSX.Element {
  const { id, title, command, args, enabled, missing_credentials } = connector;
  const toggle = async (): Promise<void> => {
    await api.connectors.toggle({ id, enabled: !enabled });
    await connectors.refresh();
  };
  return (
    <li>
      <span>
        <strong>{title}</strong> {!enabled && <Badge tone="quiet">{text.off}</Badge>}
        {missing_credentials !== null && missing_credentials.length > 0 && (
          <span class="warn"> {text.missing(listed(missing_credentials))}</span>
        )}
        <br />
        <code class="quiet">{[command, ...args].join(' ')}</code>
      </span>
      <span class="row">
        <Action run={() => probe(connector)}>{text.probe}</Action>
        <Action run={toggle}>{enabled ? text.disable : text.enable}</Action>
        <Button tone="danger" onClick={() => (removed.value = connector)}>
          {text.remove}
        </Button>
      </span>
    </li>
  );
}

/** Several tests may be in progress, so each result names its connector. */
async function probe({ id, title }: Connector): Promise<void> {
  const { result } = await api.connectors.probe({ id });
  if (result.state === 'failed') throw new Error(text.failed(title, result.error));
  if (result.state === 'timedout') throw new Error(text.timedOut(title, count(result.after_secs)));
  toast(text.ok(title, count(result.tools.length)));
}

interface OfferedProps {
  readonly connector: CatalogConnector;
  readonly added: Signal<CatalogConnector | null>;
  readonly isThere: boolean;
}

async function add(id: string, credentials: Readonly<Record<string, string>>): Promise<void> {
  await api.connectors.add({ catalog_id: id, ...(Object.keys(credentials).length > 0 && { credentials }) });
  toast(text.added);
  await connectors.refresh();
}

function Offered({ connector, added, isThere }: OfferedProps): JSX.Element {
  const { id, title, description, runtime_available, runtime_program, credentials } = connector;
  const run = async (): Promise<void> => {
    if (credentials.length > 0) added.value = connector;
    else await add(id, {});
  };
  return (
    <>
      <h3>{title}</h3>
      <p class="quiet">{description}</p>
      <p class="row">
        {isThere ? (
          <span class="quiet">{text.added}</span>
        ) : (
          <Action run={run} label={text.addLabel(title)}>
            {text.add}
          </Action>
        )}
        {!runtime_available && <span class="warn">{text.needs(runtime_program)}</span>}
      </p>
    </>
  );
}

function AddDialog({ of }: { readonly of: Signal<CatalogConnector | null> }): JSX.Element {
  const connector = of.value;
  const send = async (fields: FormData): Promise<void> => {
    const given = connector!.credentials.map(({ env }) => [env, String(fields.get(env))] as const);
    await add(connector!.id, Object.fromEntries(given));
  };
  return (
    <FormDialog
      title={connector === null ? '' : text.addLabel(connector.title)}
      submit={text.add}
      send={send}
      {...openedBy(of)}
    >
      {connector?.credentials.map(({ env, label, help }) => (
        <Field key={env} label={label} name={env} type="password" help={help} required />
      ))}
      <p class="quiet">{text.credentials}</p>
    </FormDialog>
  );
}

function RemoveDialog({ of }: { readonly of: Signal<Connector | null> }): JSX.Element {
  const connector = of.value;
  const remove = async (): Promise<void> => {
    await api.connectors.remove({ id: connector!.id });
    await connectors.refresh();
  };
  return (
    <FormDialog
      title={text.removeTitle(connector?.title ?? '')}
      submit={text.removeConfirm}
      tone="danger"
      send={remove}
      {...openedBy(of)}
    >
      <p>{text.removeLoss}</p>
    </FormDialog>
  );
}
