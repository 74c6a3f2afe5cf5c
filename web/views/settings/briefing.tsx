/** When the briefing is written, and how. */
import { signal } from '@preact/signals';
import type { JSX, TargetedInputEvent } from 'preact';
import { api, type BriefingSettings } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Loaded } from '../../ui/states.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { guardUnsent } from '../../unsent.ts';
import { briefing } from './data.ts';

const text = all.settings.briefing;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const KEPT_MAX = 365;

export function BriefingPart(): JSX.Element {
  return <Loaded of={briefing}>{(settings) => <Form settings={settings} />}</Loaded>;
}

/** The fields as they are edited. */
interface Fields extends Pick<BriefingSettings, 'enabled' | 'time' | 'days' | 'writer' | 'length'> {
  readonly timezone: string;
  readonly keep: string;
}

/** The edits that are not saved. They outlive the view. */
const edited = signal<Partial<Fields>>({});
guardUnsent(() => Object.keys(edited.peek()).length > 0);

/** Sends the fields that were edited, so that what somebody else sets meanwhile stays. */
async function save({ timezone, keep, ...rest }: Partial<Fields>): Promise<void> {
  const body = {
    ...rest,
    ...(timezone !== undefined && { timezone: timezone || null }),
    ...(keep !== undefined && { keep: Number(keep) }),
  };
  await briefing.change(
    (shown) => ({ ...shown, ...body }),
    () => api.briefing.updateSettings(body),
  );
  toast(all.settings.saved);
}

/** What was edited since it was sent. */
function editedSince(sent: Readonly<Record<string, unknown>>): Partial<Fields> {
  return Object.fromEntries(Object.entries(edited.value).filter(([name, value]) => value !== sent[name]));
}

function Form({ settings }: { readonly settings: BriefingSettings }): JSX.Element {
  const edit = (fields: Partial<Fields>): void => {
    edited.value = { ...edited.value, ...fields };
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const sent = edited.value;
    if (await attempt(() => save(sent))) edited.value = editedSince(sent);
  };
  const { timezone, keep } = settings;
  const fields = { ...settings, timezone: timezone ?? '', keep: String(keep), ...edited.value };
  return (
    <form class="card settings-form" onSubmit={(event) => void submit(event)}>
      <label class="check">
        <input
          type="checkbox"
          checked={fields.enabled}
          onChange={(event) => edit({ enabled: event.currentTarget.checked })}
        />
        <span>{text.enabled}</span>
      </label>
      <TextFields fields={fields} edit={edit} />
      <Days days={fields.days} edit={edit} />
      <div class="settings-fields">
        <Choice
          label={text.writer}
          value={fields.writer}
          options={pairsOf(text.writers)}
          choose={(writer) => edit({ writer })}
        />
        <Choice
          label={text.length}
          value={fields.length}
          options={pairsOf(text.lengths)}
          choose={(length) => edit({ length })}
        />
      </div>
      <div class="row">
        <Button tone="primary" type="submit">
          {all.settings.save}
        </Button>
      </div>
    </form>
  );
}

function pairsOf<Id extends string>(words: Readonly<Record<Id, string>>): readonly (readonly [Id, string])[] {
  return Object.entries(words) as [Id, string][];
}

interface PartProps {
  edit(fields: Partial<Fields>): void;
}

function TextFields({ fields, edit }: PartProps & { readonly fields: Fields }): JSX.Element {
  const field = (name: 'time' | 'timezone' | 'keep') => ({
    name,
    value: fields[name],
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => edit({ [name]: event.currentTarget.value }),
  });
  return (
    <div class="settings-fields">
      <label class="field">
        <span>{text.time}</span>
        <input type="time" {...field('time')} required />
      </label>
      <label class="field">
        <span>{text.timezone}</span>
        <input {...field('timezone')} placeholder={text.timezoneHint} spellcheck={false} />
      </label>
      <label class="field">
        <span>{text.keep}</span>
        <input type="number" {...field('keep')} min={1} max={KEPT_MAX} required />
      </label>
    </div>
  );
}

function Days({ days, edit }: PartProps & Pick<Fields, 'days'>): JSX.Element {
  const set = (day: string, isOn: boolean): void =>
    edit({ days: DAYS.filter((each) => (each === day ? isOn : days.includes(each))) });
  return (
    <fieldset class="settings-days">
      <legend>{text.days}</legend>
      {DAYS.map((day) => (
        <label key={day} class="check">
          <input
            type="checkbox"
            checked={days.includes(day)}
            onChange={(event) => set(day, event.currentTarget.checked)}
          />
          <span>{text.dayNames[day]}</span>
        </label>
      ))}
    </fieldset>
  );
}
