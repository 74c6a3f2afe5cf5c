/** A connector that is not in the catalogue: any MCP server that a command starts. */
import type { JSX } from 'preact';
import { api } from '../../api.ts';
import { text as all } from '../../text.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written, writtenList } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { connectors } from './data.ts';

const text = all.settings.connectors.own;
const CREDENTIAL = /^([A-Z0-9_]+)=(.*)$/;

export function OwnDialog(opened: DialogState): JSX.Element {
  const send = async (fields: FormData): Promise<void> => {
    await api.connectors.add({
      id: written(fields, 'id'),
      title: written(fields, 'title') || null,
      command: written(fields, 'command'),
      args: writtenList(fields, 'args', '\n'),
      credentials: credentialsOf(writtenList(fields, 'credentials', '\n')),
    });
    toast(all.settings.connectors.added);
    await connectors.refresh();
  };
  return (
    <FormDialog title={text.title} submit={all.settings.connectors.add} send={send} {...opened}>
      <Field label={text.id} name="id" help={text.idHelp} required />
      <Field label={text.name} name="title" />
      <Field label={text.command} name="command" help={text.commandHelp} required />
      <Field label={text.args} name="args" rows={3} help={text.argsHelp} />
      <Field label={text.credentials} name="credentials" rows={2} help={text.credentialsHelp} />
    </FormDialog>
  );
}

/** Throws for an invalid line, so that the dialog stays open and shows the error. */
function credentialsOf(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line): [string, string] => {
      const [, name, secret] = CREDENTIAL.exec(line) ?? [];
      if (name === undefined || secret === undefined) throw new Error(text.credentialsWrong);
      return [name, secret];
    }),
  );
}
