/** Plugins of the workspace: which can be installed, the policy of installed ones, and their removal. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type PluginsCatalogAnswer } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { Options } from '../../ui/choice.tsx';
import { openedBy } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { plugins } from './data.ts';

const text = all.settings.plugins;
/** What a request can choose; `required` is set in `config.json`. */
const POLICIES = ['on', 'off'] as const;
type Plugin = PluginsCatalogAnswer['plugins'][number];

export function PluginsPart(): JSX.Element {
  const removed = useSignal<Plugin | null>(null);
  return (
    <div class="stack">
      <p class="quiet">
        {text.lead} {all.settings.project}
      </p>
      <Loaded of={plugins} lines={6}>
        {({ plugins: known }) => (
          <ul class="rows settings-rows">
            {known.map((each) => (
              <Row key={each.name} plugin={each} removed={removed} />
            ))}
          </ul>
        )}
      </Loaded>
      <RemoveDialog of={removed} />
    </div>
  );
}

function Row({ plugin, removed }: { readonly plugin: Plugin; readonly removed: Signal<Plugin | null> }): JSX.Element {
  const { name, title, version, description, installed, policy, trouble } = plugin;
  const isRequired = policy === 'required';
  const setPolicy = (chosen: (typeof POLICIES)[number]): Promise<boolean> =>
    attempt(() =>
      plugins.change(
        (shown) => ({
          plugins: shown.plugins.map((each) => (each.name === name ? { ...each, policy: chosen } : each)),
        }),
        () => api.plugins.setPolicy({ name, policy: chosen }),
      ),
    );
  return (
    <li>
      <span>
        <strong>{title}</strong> <span class="quiet">{version}</span>
        <br />
        <span class="quiet">{description}</span>
        {trouble !== null && <span class="warn"> {trouble}</span>}
      </span>
      <span class="row">
        {installed ? (
          <>
            <select
              class="settings-policy"
              aria-label={text.policy(title)}
              value={policy ?? 'on'}
              disabled={isRequired}
              onChange={({ currentTarget: { value } }) => void setPolicy(POLICIES.find((each) => each === value)!)}
            >
              <Options of={(isRequired ? [policy] : POLICIES).map((each) => [each, text.policies[each]])} />
            </select>
            <Button tone="danger" onClick={() => (removed.value = plugin)}>
              {text.uninstall}
            </Button>
          </>
        ) : (
          <Action run={() => install(name)} label={`${text.install} ${title}`}>
            {text.install}
          </Action>
        )}
      </span>
    </li>
  );
}

async function install(name: string): Promise<void> {
  const { connectors } = await api.plugins.install({ name });
  await plugins.refresh();
  for (const { state, title, error } of connectors) {
    if (state === 'needs_credentials') toast(text.needsCredentials(title), 'bad');
    else if (state === 'failed' || state === 'unknown') toast(error ?? text.notConfigured(title), 'bad');
  }
}

function RemoveDialog({ of }: { readonly of: Signal<Plugin | null> }): JSX.Element {
  const plugin = of.value;
  const remove = async (): Promise<void> => {
    await api.plugins.uninstall({ name: plugin!.name });
    await plugins.refresh();
  };
  return (
    <FormDialog
      title={text.uninstallTitle(plugin?.title ?? '')}
      submit={text.confirm}
      tone="danger"
      send={remove}
      {...openedBy(of)}
    >
      <p>{(plugin?.includes.length ?? 0) > 0 ? text.bundleLoss : text.uninstallLoss}</p>
    </FormDialog>
  );
}
