/** A voice conversation, with its transcript and the duration of each part. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { duration } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { useResource } from '../../resource.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Head } from '../../ui/head.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Empty } from '../../ui/states.tsx';
import { Badge, type Tone } from '../../ui/status.tsx';
import {
  type DuplexState,
  entries,
  failure,
  hold,
  isHeld,
  level,
  MODES,
  mode,
  notices,
  phase,
  start,
  state,
  stop,
} from './conversation.ts';
import { settings, status } from './data.ts';
import { VoiceSettingsCard } from './settings.tsx';
import type { Entry, Reply } from './transcript.ts';

const text = all.voice;
const TONES: Readonly<Record<DuplexState, Tone>> = {
  listening: 'good',
  hearing: 'busy',
  thinking: 'quiet',
  speaking: 'busy',
};

export function View(): JSX.Element {
  const toggle = (): void => {
    if (phase.value === 'off') void start();
    else stop();
  };
  useShortcuts(all.views.voice.name, [
    { keys: 's', label: text.keys.toggle, run: toggle },
    { keys: 'h', label: text.keys.free, run: () => (mode.value = mode.value === 'free' ? 'push' : 'free') },
  ]);
  // A conversation in a hidden page would keep listening.
  useEffect(() => stop, []);
  const isOff = phase.value === 'off';
  return (
    <>
      <Head title={text.title} note={<State />}>
        <Button
          tone={isOff ? 'primary' : undefined}
          icon={isOff ? 'voice' : 'stop'}
          aria-busy={phase.value === 'starting'}
          onClick={toggle}
        >
          {isOff ? text.start : phase.value === 'starting' ? text.starting : text.stop}
        </Button>
      </Head>
      <div class="voice">
        <div class="stack">
          <Troubles />
          {phase.value === 'on' && mode.value === 'push' && <HoldButton />}
          <Transcript />
        </div>
        <div class="stack">
          <ModeCard />
          <VoiceSettingsCard />
          <p class="quiet">{text.lead}</p>
        </div>
      </div>
    </>
  );
}

function State(): JSX.Element {
  const { value } = state;
  return (
    <span class="row" role="status">
      {phase.value === 'on' ? (
        <Badge tone={TONES[value]}>{text.states[value]}</Badge>
      ) : (
        <Badge tone="quiet">{phase.value === 'off' ? text.off : text.starting}</Badge>
      )}
    </span>
  );
}

/** What is missing before the conversation can begin, and what went wrong. */
function Troubles(): JSX.Element {
  const can = useResource(status).value.value;
  const engines = useResource(settings).value.value?.engines ?? [];
  const isMute = engines.length > 0 && engines.every(({ available }) => !available);
  return (
    <>
      <div role="alert">{failure.value !== null && <Trouble words={failure.value} />}</div>
      {notices.value.map((words) => (
        <Trouble key={words} words={words} />
      ))}
      {can?.can_transcribe === false && notices.value.length === 0 && (
        <Trouble words={`${text.missing.ears} ${text.missing.earsHow}`} />
      )}
      {isMute && <Trouble words={[text.missing.voice, ...engines.map(({ detail }) => detail)].join(' ')} />}
    </>
  );
}

function Trouble({ words }: { readonly words: string }): JSX.Element {
  return (
    <p class="voice-trouble">
      <Icon name="warning" />
      <span dir="auto">{words}</span>
    </p>
  );
}

function HoldButton(): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  // Before the paint, so that the next key press goes to the button.
  useLayoutEffect(() => {
    button.current?.focus();
    return () => hold(false);
  }, []);
  const isKey = (event: KeyboardEvent): boolean => event.key === ' ' || event.key === 'Enter';
  return (
    <button
      ref={button}
      type="button"
      class="button primary voice-hold"
      aria-pressed={isHeld.value}
      onPointerDown={() => hold(true)}
      onPointerUp={() => hold(false)}
      onPointerCancel={() => hold(false)}
      onPointerLeave={() => hold(false)}
      onBlur={() => hold(false)}
      onKeyDown={(event) => {
        if (!isKey(event)) return;
        event.preventDefault();
        if (!event.repeat) hold(true);
      }}
      onKeyUp={(event) => {
        if (isKey(event)) hold(false);
      }}
    >
      <Icon name="voice" />
      {isHeld.value ? text.held : text.hold}
    </button>
  );
}

function ModeCard(): JSX.Element {
  const helps = { push: text.mode.pushHelp, free: text.mode.freeHelp };
  return (
    <div class="card">
      <fieldset class="voice-modes">
        <legend>{text.mode.label}</legend>
        {MODES.map((each) => (
          <label key={each} class="check">
            <input type="radio" name="mode" checked={mode.value === each} onChange={() => (mode.value = each)} />
            <span>
              {text.mode[each]} <span class="quiet">{helps[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Level />
    </div>
  );
}

function Level(): JSX.Element {
  return <meter class="voice-level" min={0} max={1} value={level.value} aria-label={text.level} />;
}

function Transcript(): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const said = entries.value;
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [said]);
  if (said.length === 0) {
    return <Empty title={text.transcript.empty} help={text.transcript.emptyHelp} />;
  }
  return (
    <div ref={list} class="voice-transcript" role="log" aria-label={text.transcript.label}>
      {said.map((entry, index) => (
        <Said key={index} entry={entry} />
      ))}
    </div>
  );
}

function Said({ entry }: { readonly entry: Entry }): JSX.Element {
  const { transcript: words } = text;
  switch (entry.kind) {
    case 'heard':
      return (
        <article class="voice-said voice-you">
          <h3>{words.you}</h3>
          <p dir="auto">{entry.text}</p>
          <p class="quiet">{[words.asr(duration(entry.asrMs)), entry.language].filter(Boolean).join(' · ')}</p>
        </article>
      );
    case 'reply':
      return (
        <article class="voice-said card">
          <h3>{words.assistant}</h3>
          <Markdown of={entry.text} />
          <p class="quiet">{timesOf(entry).join(' · ')}</p>
          {entry.status === 'interrupted' && <p class="quiet">{words.interrupted}</p>}
        </article>
      );
    case 'carried':
      return (
        <p class="quiet" dir="auto">
          {words.carried(entry.text)}
        </p>
      );
    case 'error':
      return <Trouble words={entry.text} />;
  }
}

function timesOf({ firstAudioMs, firstWordMs, totalMs }: Reply): readonly string[] {
  const { transcript: words } = text;
  return [
    ...(firstWordMs === null ? [] : [words.firstWord(duration(firstWordMs))]),
    ...(firstAudioMs === null ? [] : [words.firstAudio(duration(firstAudioMs))]),
    ...(totalMs === null ? [] : [words.total(duration(totalMs))]),
  ];
}
